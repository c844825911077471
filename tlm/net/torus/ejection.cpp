// SPDX-License-Identifier: Apache-2.0
#include "net/torus/ejection.h"

#include <algorithm>
#include <utility>

#include "net/torus/torus_link.h"

namespace contraflow::net {

ejection::ejection(torus_shared& all, observe::statistics& group, const std::string& path, network_port& port)
    : all_(all),
      word_time_(all.spec.word_time()),
      port_(port),
      done_(all.events, *this),
      packets_(group, path + ".packets", "packets", "packets that have left the network here"),
      words_(group, path + ".words", "words", "their words") {}

void ejection::request(packet_class kind, input_buffer& b) {
    turns_.add(static_cast<unsigned>(kind), b);
    serve();
}

void ejection::serve() {
    if (arriving_ != nullptr) return;
    input_buffer* const next = turns_.next([&](unsigned kind, std::uint32_t) { return held_[kind] == nullptr; });
    if (next == nullptr) return;
    const flight& first = next->first();
    const core::sim_time finish = std::max(all_.events.now() + word_time_ * first.words, first.tail);
    flight& f = next->leave(finish);
    if (next->feeder != nullptr) next->feeder->credit_back(next->channel, f.words, finish);
    held_[static_cast<unsigned>(f.kind)] = arriving_ = &f;
    done_.arm(finish);
    next->room();
}

void ejection::done() {
    hand_over(static_cast<unsigned>(std::exchange(arriving_, nullptr)->kind));
    serve();
}

void ejection::hand_over(std::size_t kind) {
    flight& f = *held_[kind];
    network_port::channel& client = port_.arrivals(f.kind);
    if (!client.ready(f.what)) return;
    ++packets_;
    words_ += f.words;
    held_[kind] = nullptr;
    all_.latency.add((all_.events.now() - f.injected).ps);
    ++all_.packets.taken;
    ++all_.packets.moved;
    const link::packet p = f.what;
    all_.flights.give_back(f);
    client.push(p);
}

void ejection::offer_again(unsigned kind) {
    if (held_[kind] == nullptr || held_[kind] == arriving_) return;
    hand_over(kind);
    serve();
}

std::size_t ejection::reset() {
    const std::size_t held = packets();
    for (flight*& f : held_)
        if (f != nullptr) all_.flights.give_back(*std::exchange(f, nullptr));
    arriving_ = nullptr;
    done_.cancel();
    turns_.reset();
    return held;
}

}  // namespace contraflow::net
