// SPDX-License-Identifier: Apache-2.0
#include "net/torus/torus_node.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"

namespace contraflow::net {
namespace {

const char* name_of_class(std::size_t kind) { return kind == 0 ? "requests" : "responses"; }

}  // namespace

torus_node::torus_node(shared& all, observe::statistics& group, std::string name)
    : all_(all),
      name_(std::move(name)),
      word_time_(all.spec.word_time()),
      router_time_(all.spec.router_time()),
      lanes_(all.spec.virtual_channels / all.levels),
      out_(all.events, group, name_ + ".out", word_time_, *this) {}

void torus_node::add_link(std::unique_ptr<torus_link> out) {
    const torus_link::place& at = out->where();
    ways_.push_back({out.get(), static_cast<std::uint8_t>(at.dimension), at.dateline});
    links_.push_back(std::move(out));
}

void torus_node::connect(unsigned port, torus_link& in) {
    std::vector<input_buffer*> buffers;
    for (unsigned c = 0; c < channels(all_.spec); ++c) {
        buffer_owner_if& owner = *this;
        const std::string& path = paths_.emplace_back(fmt::format("{}.in{}.vc{}", name_, port, c));
        buffers.push_back(&inputs_.emplace_back(all_.events, owner, path, &in, c));
    }
    in.connect(*this, buffers);
}

void torus_node::finish(std::vector<std::uint8_t> routes) {
    routes_ = std::move(routes);
    for (unsigned port = 0; port < ports(); ++port)
        for (unsigned kind = 0; kind < 2; ++kind) {
            buffer_owner_if& owner = *this;
            const std::string& path = paths_.emplace_back(fmt::format("{}.{}{}", name_, name_of_class(kind), port));
            queues_.emplace_back(all_.events, owner, path, nullptr, 2 * port + kind);
        }
    refused_.resize(queues_.size());
    refused_since_.resize(queues_.size());
}

// ---- from here

bool torus_node::can_inject(packet_class kind, unsigned target) {
    const unsigned q = queue_of(kind, target);
    if (queues_[q].packets() < all_.spec.queue) return true;
    if (!refused_[q]) refused_since_[q] = all_.events.now();
    refused_[q] = true;
    return false;
}

void torus_node::inject(packet_class kind, link::packet p) {
    input_buffer& queue = queues_[queue_of(kind, p.target)];
    flight& f = all_.flights.take();
    f.what = p;
    f.words = std::max<std::uint32_t>(1, (p.bytes + torus_word_bytes - 1) / torus_word_bytes);
    if (f.words > all_.spec.buffer)
        throw std::logic_error(
            fmt::format("{}: a packet of {} words never fits a buffer of {}", name_, f.words, all_.spec.buffer));
    if (queue.packets() >= all_.spec.queue)
        throw std::logic_error(fmt::format("{}: a packet was injected that can_inject() refuses", name_));
    ++all_.packets.accepted;
    f.kind = kind;
    f.injected = all_.events.now();
    f.header = std::max(f.injected, injecting_until_);
    f.tail = injecting_until_ = f.header + word_time_ * f.words;
    route(f);
    queue.push(f);
}

// ---- through here, and to here

void torus_node::route(flight& f) const {
    f.output = routes_[f.what.target];
    f.ready = f.header;
    if (f.output == ways_.size()) return;
    f.ready += router_time_;
    const way& by = ways_[f.output];
    f.level = static_cast<std::uint8_t>(wiring::next_level(by.dimension, by.dateline, f.dimension, f.level));
    f.dimension = by.dimension;
    // Packets from one node to another stay in order: they use the same channel on each link.
    const auto pair = std::uint64_t{f.what.source} << 16 | f.what.target;
    const unsigned lane = lanes_ == 1 ? 0 : static_cast<unsigned>(core::mix64(pair) % lanes_);
    f.channel = static_cast<std::uint8_t>((static_cast<unsigned>(f.kind) * all_.levels + f.level) * lanes_ + lane);
    f.what.vc = f.channel;
}

void torus_node::arrives(input_buffer& b, flight& f) {
    route(f);
    if (f.output != ways_.size()) f.what.payload->passed(name_.c_str(), f.header);
    b.push(f);
}

void torus_node::first_ready(input_buffer& b) {
    const flight& f = b.first();
    ++all_.packets.moved;
    if (f.output == ways_.size())
        out_.request(f.kind, b);
    else
        ways_[f.output].link->request(f.channel, b);
}

void torus_node::room_in(input_buffer& b) {
    ++all_.packets.moved;
    if (b.feeder != nullptr || !refused_[b.channel]) return;
    refused_[b.channel] = false;
    client_->may_inject(static_cast<packet_class>(b.channel % 2));
}

bool torus_node::deliver(const flight& f) { return client_->can_take(f.kind, f.what); }

void torus_node::delivered(flight& f) {
    const link::packet p = f.what;
    const packet_class kind = f.kind;
    all_.latency.add((all_.events.now() - f.injected).ps);
    ++all_.packets.taken;
    ++all_.packets.moved;
    all_.flights.give_back(f);
    client_->take_packet(kind, p);
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
    all_.packets.dropped += out_.reset(all_.flights);
    for (const auto& l : links_) l->reset();
    refused_.assign(refused_.size(), false);
    injecting_until_ = {};
}

void torus_node::report_waits(std::vector<core::wait_edge>& edges) const {
    const auto output_of = [this](const input_buffer& b) {
        const unsigned output = b.first().output;
        return output == links_.size() ? name_ + ".out" : links_[output]->path();
    };
    for (std::size_t q = 0; q < queues_.size(); ++q)
        if (refused_[q]) edges.push_back({client_->client_name(), "room", queues_[q].path(), refused_since_[q]});
    for (const auto* buffers : {&queues_, &inputs_})
        for (const input_buffer& b : *buffers)
            if (b.waits()) edges.push_back({b.path(), "a turn", output_of(b), b.since()});
    for (const auto& l : links_) l->report_waits(edges);
    out_.report_waits(edges);
}

}  // namespace contraflow::net
