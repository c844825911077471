// SPDX-License-Identifier: Apache-2.0
#include "net/torus/ejection.h"

#include <algorithm>
#include <utility>

#include "net/torus/torus_link.h"

namespace contraflow::net {

ejection::ejection(core::scheduler& events, observe::statistics& group, std::string path, core::sim_time word_time,
                   owner_if& owner)
    : events_(events),
      path_(std::move(path)),
      word_time_(word_time),
      owner_(owner),
      done_(events, *this),
      packets_(group, path_ + ".packets", "packets", "packets that have left the network here"),
      words_(group, path_ + ".words", "words", "their words") {}

void ejection::request(packet_class kind, input_buffer& b) {
    turns_.add(static_cast<unsigned>(kind), b);
    serve();
}

void ejection::serve() {
    if (arriving_ != nullptr) return;
    input_buffer* const next = turns_.next([&](unsigned kind, std::uint32_t) { return held_[kind] == nullptr; });
    if (next == nullptr) return;
    const flight& first = next->first();
    const core::sim_time finish = std::max(events_.now() + word_time_ * first.words, first.tail);
    flight& f = next->leave(finish);
    if (next->feeder != nullptr) next->feeder->credit_back(next->channel, f.words, finish);
    held_[static_cast<unsigned>(f.kind)] = arriving_ = &f;
    done_.arm(finish);
    next->room();
}

void ejection::done() {
    flight& f = *std::exchange(arriving_, nullptr);
    refused_[static_cast<unsigned>(f.kind)] = events_.now();
    hand_over(static_cast<unsigned>(f.kind));
    serve();
}

void ejection::hand_over(std::size_t kind) {
    flight& f = *held_[kind];
    if (!owner_.deliver(f)) return;
    ++packets_;
    words_ += f.words;
    held_[kind] = nullptr;
    owner_.delivered(f);
}

void ejection::offer_again(packet_class kind) {
    const auto k = static_cast<unsigned>(kind);
    if (held_[k] == nullptr || held_[k] == arriving_) return;
    hand_over(k);
    serve();
}

std::size_t ejection::reset(flight_store& to) {
    const std::size_t held = packets();
    for (flight*& f : held_)
        if (f != nullptr) to.give_back(*std::exchange(f, nullptr));
    arriving_ = nullptr;
    done_.cancel();
    turns_.reset();
    return held;
}

void ejection::report_waits(std::vector<core::wait_edge>& edges) const {
    for (std::size_t kind = 0; kind < 2; ++kind)
        if (held_[kind] != nullptr && held_[kind] != arriving_)
            edges.push_back({path_, kind == 0 ? "acceptance of a request" : "acceptance of a response", owner_.taker(),
                             refused_[kind]});
}

}  // namespace contraflow::net
