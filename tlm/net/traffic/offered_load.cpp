// SPDX-License-Identifier: Apache-2.0
#include "net/traffic/offered_load.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace contraflow::net {

void offered_load::parcel::crossed(const char* link, bool, core::sim_time started, core::sim_time arrived) {
    if (owner.trace_ == nullptr) return;
    owner.trace_->slice(owner.trace_->track("links", link), fmt::format("packet {}", number), started, arrived);
}

std::span<std::uint8_t> offered_load::parcel::bytes_on_wire() {
    return {reinterpret_cast<std::uint8_t*>(content.data()), content.size() * sizeof content[0]};
}

offered_load::node::node(offered_load& of, unsigned n)
    : owner(of),
      number(n),
      name(of.net_.port(n).name() + ".source"),
      draw(core::mix64(of.spec_.seed) ^ n),
      next(of.events_, *this) {
    of.net_.port(n).set_client(*this);
}

offered_load::offered_load(core::scheduler& events, observe::statistics& group, network_if& net,
                           const std::vector<std::uint32_t>& nodes, const spec& s, std::function<void(bool)> measuring)
    : events_(events),
      net_(net),
      spec_(s),
      targets_(s.traffic, nodes),
      packet_probability_(s.load / s.traffic.packet_words),
      measuring_(std::move(measuring)),
      last_(std::size_t{targets_.nodes()} * targets_.nodes()),
      latency_(group, "source.latency", "ps",
               "time of packets created in the measurement, from their creation until they are taken") {
    for (unsigned n = 0; n < targets_.nodes(); ++n) {
        nodes_.emplace_back(*this, n);
        senders_ += targets_.sends(n);
    }
}

void offered_load::start() {
    for (node& n : nodes_)
        if (targets_.sends(n.number)) arm(n);
    const core::sim_time begin = events_.now() + spec_.cycle * spec_.traffic.warm_up;
    const core::sim_time end = begin + spec_.cycle * spec_.traffic.measure;
    middle_ = begin + core::sim_time{(end - begin).ps / 2};
    events_.at<&offered_load::begin_measurement>(begin, this);
    events_.at<&offered_load::end_measurement>(end, this);
    events_.at<&offered_load::stop>(end + spec_.cycle * spec_.traffic.measure, this);
}

void offered_load::begin_measurement() {
    phase_ = phase::measurement;
    if (measuring_) measuring_(true);
}

void offered_load::end_measurement() {
    phase_ = phase::tail;
    if (measuring_) measuring_(false);
    if (marked_left_ == 0) stop();
}

void offered_load::stop() {
    if (phase_ == phase::over) return;
    phase_ = phase::over;
    for (node& n : nodes_) {
        n.next.cancel();
        kept_ += n.backlog.size();
        n.backlog.clear();
    }
}

// Each cycle creates a packet with the same probability.
void offered_load::arm(node& n) {
    const double cycles =
        packet_probability_ >= 1 ? 1 : 1 + std::floor(std::log(n.draw.unit()) / std::log1p(-packet_probability_));
    n.next.arm_after(spec_.cycle * static_cast<std::uint64_t>(cycles));
}

void offered_load::create(node& n) {
    ++created_;
    if (phase_ == phase::measurement) {
        created_words_ += spec_.traffic.packet_words;
        ++marked_;
        ++marked_left_;
    }
    n.backlog.push_back({events_.now(), targets_.next(n.number, n.draw), phase_ == phase::measurement});
    arm(n);
    inject(n);
}

void offered_load::fill(parcel& p) {
    const std::uint64_t key = core::mix64(p.number);
    for (std::size_t i = 0; i < p.content.size(); ++i) p.content[i] = key + i * core::golden_gamma;
}

void offered_load::inject(node& n) {
    network_port& port = net_.port(n.number);
    while (!n.backlog.empty() && port.can_inject(packet_class::response, n.backlog.front().target)) {
        const waiting_packet next = n.backlog.front();
        n.backlog.pop_front();
        parcel& p = free_.empty() ? parcels_.emplace_back(*this) : free_.pop();
        p.content.resize(std::size_t{spec_.traffic.packet_words} * 2);
        p.number = ++injected_;
        p.created = next.created;
        p.marked = next.marked;
        fill(p);
        port.inject(packet_class::response,
                    {&p, spec_.traffic.packet_words * word_bytes, static_cast<std::uint16_t>(n.number),
                     static_cast<std::uint16_t>(next.target)});
    }
}

void offered_load::take(unsigned target, const link::packet& p) {
    auto& one = p.payload_as<parcel>();
    ++taken_;
    if (phase_ == phase::measurement) {
        taken_words_ += spec_.traffic.packet_words;
        if (events_.now() < middle_) taken_at_first_ += spec_.traffic.packet_words;
    }
    std::uint32_t& last = last_[std::size_t{p.source} * targets_.nodes() + target];
    const std::uint64_t key = core::mix64(one.number);
    bool same = p.target == target;
    for (std::size_t i = 0; i < one.content.size(); ++i) same &= one.content[i] == key + i * core::golden_gamma;
    if (wrong_.empty() && !same)
        wrong_ = fmt::format("packet {} from node {} to node {} has other bytes than were sent", one.number, p.source,
                             p.target);
    if (wrong_.empty() && one.number <= last)
        wrong_ =
            fmt::format("packet {} from node {} to node {} came after packet {}", one.number, p.source, target, last);
    last = static_cast<std::uint32_t>(one.number);
    if (one.marked) {
        latency_.add((events_.now() - one.created).ps);
        --marked_left_;
    }
    free_.push(one);
    if (phase_ == phase::tail && marked_left_ == 0) stop();
}

double offered_load::rate(std::uint64_t words) const {
    return senders_ == 0 ? 0 : static_cast<double>(words) / (static_cast<double>(spec_.traffic.measure) * senders_);
}

}  // namespace contraflow::net
