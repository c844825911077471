// SPDX-License-Identifier: Apache-2.0
#include "net/torus/torus_node.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"

namespace contraflow::net {
namespace {

const char* name_of(packet_class kind) { return kind == packet_class::request ? "requests" : "responses"; }

}  // namespace

torus_node::torus_node(torus_shared& all, observe::statistics& group, std::string name)
    : all_(all),
      name_(std::move(name)),
      word_time_(all.spec.word_time()),
      router_time_(all.spec.router_time()),
      channels_(all.spec.virtual_channels / all.levels),
      port_(all.events, name_, {*this, *this, name_ + ".out"}),
      out_(all, group, name_ + ".out", port_) {}

void torus_node::add_link(std::unique_ptr<torus_link> out) {
    const torus_link::place& at = out->where();
    outputs_.push_back({out.get(), static_cast<std::uint8_t>(at.dimension), at.dateline});
    links_.push_back(std::move(out));
}

void torus_node::connect(unsigned port, torus_link& in) {
    std::vector<input_buffer*> buffers;
    for (unsigned c = 0; c < channels(all_.spec); ++c) {
        const std::string& path = paths_.emplace_back(fmt::format("{}.in{}.vc{}", name_, port, c));
        buffers.push_back(&inputs_.emplace_back(all_.events, *this, path, &in, c));
    }
    in.connect(*this, buffers);
}

void torus_node::finish(std::vector<unsigned> routes) {
    const auto to_itself = static_cast<unsigned>(links_.size());
    std::vector<std::string> names;
    for (unsigned port = 0; port <= to_itself; ++port)
        for (const auto kind : {packet_class::request, packet_class::response}) {
            const std::string& path = paths_.emplace_back(fmt::format("{}.{}{}", name_, name_of(kind), port));
            queues_.emplace_back(all_.events, *this, path, nullptr, network_port::number_of(kind, port));
            names.push_back(path);
        }
    port_.set_routes(std::move(routes), std::move(names));
}

// ---- from here

void torus_node::take(unsigned number, link::packet p) {
    input_buffer& queue = queues_[number];
    flight& f = all_.flights.take();
    f.what = p;
    f.words = std::max<std::uint32_t>(1, (p.bytes + torus_word_bytes - 1) / torus_word_bytes);
    if (f.words > all_.spec.buffer)
        throw std::logic_error(
            fmt::format("{}: a packet of {} words never fits a buffer of {}", name_, f.words, all_.spec.buffer));
    if (queue.packets() >= all_.spec.queue)
        throw std::logic_error(fmt::format("{}: a packet was injected that can_inject() refuses", name_));
    ++all_.packets.accepted;
    f.kind = network_port::class_of(number);
    f.injected = all_.events.now();
    f.header = std::max(f.injected, injecting_until_);
    f.tail = injecting_until_ = f.header + word_time_ * f.words;
    route(f);
    queue.push(f);
}

// ---- through here, and to here

void torus_node::route(flight& f) const {
    f.output = static_cast<std::uint8_t>(port_.link_to(f.what.target));
    f.ready = f.header;
    if (f.output == outputs_.size()) return;
    f.ready += router_time_;
    const outgoing& by = outputs_[f.output];
    f.level = static_cast<std::uint8_t>(wiring::next_level(by.dimension, by.dateline, f.dimension, f.level));
    f.dimension = by.dimension;
    // Packets from one node to another stay in order: they use the same channel on each link.
    const auto pair = std::uint64_t{f.what.source} << 16 | f.what.target;
    const unsigned channel = channels_ == 1 ? 0 : static_cast<unsigned>(core::mix64(pair) % channels_);
    f.channel =
        static_cast<std::uint8_t>((static_cast<unsigned>(f.kind) * all_.levels + f.level) * channels_ + channel);
    f.what.vc = f.channel;
}

void torus_node::arrives(input_buffer& b, flight& f) {
    route(f);
    if (f.output != outputs_.size()) f.what.payload->passed(name_.c_str(), f.header);
    b.push(f);
}

void torus_node::first_ready(input_buffer& b) {
    const flight& f = b.first();
    ++all_.packets.moved;
    if (f.output == outputs_.size())
        out_.request(f.kind, b);
    else
        outputs_[f.output].link->request(f.channel, b);
}

void torus_node::room_in(input_buffer& b) {
    ++all_.packets.moved;
    if (b.feeder == nullptr) port_.may_inject(b.channel);
}

// ---- all of it

std::uint64_t torus_node::held() const {
    std::uint64_t sum = out_.packets();
    for (const input_buffer& b : inputs_) sum += b.packets();
    for (const input_buffer& b : queues_) sum += b.packets();
    return sum;
}

void torus_node::reset() {
    for (input_buffer& b : inputs_) all_.packets.dropped += b.reset(all_.flights);
    for (input_buffer& b : queues_) all_.packets.dropped += b.reset(all_.flights);
    all_.packets.dropped += out_.reset();
    for (const auto& l : links_) l->reset();
    port_.reset();
    injecting_until_ = {};
}

void torus_node::report_waits(std::vector<core::wait_edge>& edges) const {
    const auto output_of = [this](const input_buffer& b) {
        const unsigned output = b.first().output;
        return output == links_.size() ? name_ + ".out" : links_[output]->path();
    };
    port_.report_waits(edges);
    for (const auto* buffers : {&queues_, &inputs_})
        for (const input_buffer& b : *buffers)
            if (b.waits()) edges.push_back({b.path(), "a turn", output_of(b), b.since()});
    for (const auto& l : links_) l->report_waits(edges);
}

}  // namespace contraflow::net
