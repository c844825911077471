// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/torus_port.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace contraflow::host {

torus_positions::torus_positions(const std::vector<std::uint32_t>& nodes) { std::ranges::copy(nodes, size_.begin()); }

nic::position torus_positions::of(unsigned node) const {
    const auto part = [](unsigned n) { return static_cast<std::uint8_t>(n); };
    return {part(node % size_[0]), part(node / size_[0] % size_[1]), part(node / size_[0] / size_[1])};
}

std::vector<nic::position> torus_positions::all() const {
    std::vector<nic::position> each(size_[0] * size_[1] * size_[2]);
    for (unsigned n = 0; n < each.size(); ++n) each[n] = of(n);
    return each;
}

std::optional<unsigned> torus_positions::number(const nic::position& at) const {
    if (at.x >= size_[0] || at.y >= size_[1] || at.z >= size_[2]) return std::nullopt;
    return at.x + size_[0] * (at.y + size_[1] * at.z);
}

void about_torus_packet::crossed(observe::trace& trace, const nic::torus_packet& words, const char* link,
                                 core::sim_time started, core::sim_time arrived) {
    const auto h =
        nic::packet_header::decode(std::span<const std::uint8_t, nic::word_bytes>(words.data(), nic::word_bytes));
    const bool put = h.kind == static_cast<std::uint8_t>(nic::packet_kind::put);
    trace.slice(trace.track("torus", link), put ? "put" : "get request", started, arrived,
                fmt::format(R"({{"bytes":{},"address":"{:#x}","tag":{}}})", h.length, h.address, h.tag));
}

torus_port::torus_port(const spec& s, const resources& r)
    : spec_(s),
      port_(r.port),
      packets_(r.packets),
      positions_(r.positions),
      events_(r.events),
      inject_(r.events, *this),
      injected_(r.statistics, s.name + ".injected", "packets", "packets from the NIC into the torus"),
      injected_bytes_(r.statistics, s.name + ".injected_bytes", "bytes", "whole words of them"),
      taken_(r.statistics, s.name + ".taken", "packets", "packets that the NIC took from the torus"),
      taken_bytes_(r.statistics, s.name + ".taken_bytes", "bytes", "whole words of them"),
      unroutable_(r.statistics, s.name + ".unroutable", "packets",
                  "packets to a node that does not exist; they are dropped") {
    port_.set_client(*this);
}

void torus_port::connect(channel& requests, channel& responses, channel& to_nic) {
    out_[static_cast<unsigned>(net::packet_class::request)].from = &requests;
    out_[static_cast<unsigned>(net::packet_class::response)].from = &responses;
    to_nic_ = &to_nic;
}

// ---- into the torus

void torus_port::take(unsigned kind, nic::torus_packet p) {
    const auto header =
        nic::packet_header::decode(std::span<const std::uint8_t, nic::word_bytes>(p.data(), nic::word_bytes));
    const auto target = positions_.number(header.target);
    if (!target) {
        ++unroutable_;
        return;
    }
    const std::uint64_t words = p.size() / nic::word_bytes;
    core::sim_time due = events_.now();
    if (spec_.nic_word > spec_.torus_word) due = due + (spec_.nic_word - spec_.torus_word) * words;
    out_[kind].held = outgoing{std::move(p), *target, due};
    if (due > events_.now())
        inject_.arm_by(due);
    else
        inject(static_cast<net::packet_class>(kind));
}

// Packets held back may leave now.
void torus_port::inject(net::packet_class kind) {
    auto& held = out_[static_cast<unsigned>(kind)].held;
    if (!port_.can_inject(kind, held->target)) return;
    carried_packets::carried& c = packets_.take(held->words.size());
    c.packet = std::move(held->words);
    link::packet p;
    p.payload = &c;
    p.bytes = static_cast<std::uint32_t>(c.packet.size());
    p.source = static_cast<std::uint16_t>(spec_.node);
    p.target = static_cast<std::uint16_t>(held->target);
    held.reset();
    ++injected_;
    injected_bytes_ += p.bytes;
    port_.inject(kind, p);
}

void torus_port::may_inject(net::packet_class kind) {
    sender& s = out_[static_cast<unsigned>(kind)];
    if (!s.held || s.held->due > events_.now()) return;
    inject(kind);
    if (!s.held) s.from->resume();
}

void torus_port::inject_due() {
    for (const net::packet_class kind : {net::packet_class::response, net::packet_class::request}) may_inject(kind);
    for (const sender& s : out_)
        if (s.held && s.held->due > events_.now()) inject_.arm_by(s.held->due);
}

// ---- out of it

bool torus_port::can_take(net::packet_class, const link::packet& p) { return to_nic_->ready(carried_by(p).packet); }

void torus_port::take_packet(net::packet_class, const link::packet& p) {
    carried_packets::carried& c = carried_by(p);
    nic::torus_packet words = std::move(c.packet);
    packets_.give_back(c);
    ++taken_;
    taken_bytes_ += p.bytes;
    to_nic_->push(std::move(words));
}

void torus_port::channel_ready(unsigned) {
    for (const net::packet_class kind : {net::packet_class::response, net::packet_class::request})
        port_.offer_again(kind);
}

// ---- all of it

void torus_port::reset() {
    inject_.cancel();
    dropped_ += held();
    for (sender& s : out_) s.held.reset();
}

void torus_port::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const sender& s : out_) s.from->report_waits(edges);
    to_nic_->report_waits(edges);
}

}  // namespace contraflow::host
