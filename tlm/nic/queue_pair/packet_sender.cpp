// SPDX-License-Identifier: Apache-2.0
#include "nic/queue_pair/packet_sender.h"

#include <algorithm>

namespace contraflow::nic {

packet_sender::packet_sender(transport_port& port, packet_dma& reads, translator& translate, const spec& s,
                             user_if& user, std::string name)
    : port_(port),
      reads_(reads),
      translate_(translate),
      spec_(s),
      user_(user),
      name_(std::move(name)) {
    for (std::uint32_t q = 0; q < s.queues; ++q) lanes_.emplace_back(q);
}

carried_packet& packet_sender::begin(std::uint32_t queue, std::uint16_t node, std::uint64_t bytes) {
    lane& l = lanes_[queue];
    carried_packet& c = port_.packets().take(bytes);
    c.packet.moving = c.packet.begun = 0;
    c.packet.failed = c.packet.dropped = false;
    c.packet.payload.clear();
    l.packets.push(c);
    l.filling = &c;
    l.node = node;
    ++used_;
    return c;
}

translator::answer packet_sender::gather(std::uint32_t queue, const registered_region& r, std::uint64_t address) {
    carried_packet& c = *lanes_[queue].filling;
    while (c.packet.begun < c.packet.payload.size()) {
        if (!reads_.ready()) return translator::answer::later;
        const std::uint64_t at = address + c.packet.begun;
        const translator::result where = translate_.find(r, at);
        if (where.what != translator::answer::here) return where.what;
        const std::uint64_t left = c.packet.payload.size() - c.packet.begun;
        reads_.start(*this, c, queue, where.address, static_cast<std::uint32_t>(std::min(left, r.left_in_page(at))));
    }
    complete(queue);
    return translator::answer::here;
}

void packet_sender::complete(std::uint32_t queue) {
    lanes_[queue].filling = nullptr;
    settle(lanes_[queue]);
}

void packet_sender::discard(carried_packet& p) {
    --used_;
    port_.packets().give_back(p);
}

void packet_sender::drop(std::uint32_t queue) {
    lane& l = lanes_[queue];
    l.filling = nullptr;
    while (!l.packets.empty()) {
        carried_packet& c = l.packets.pop();
        if (c.packet.moving == 0)
            discard(c);
        else
            c.packet.dropped = true;
    }
}

void packet_sender::moved(carried_packet& p, std::uint32_t queue) {
    if (p.packet.moving != 0) return;
    if (p.packet.dropped)
        discard(p);
    else
        settle(lanes_[queue]);
    user_.data_here();
}

void packet_sender::send() {
    while (!ready_.empty()) {
        lane& l = lanes_[ready_.first()];
        const std::uint32_t queue = ready_.take();
        if (!first_complete(l)) continue;  // its packets have been dropped meanwhile
        if (l.packets.front().packet.failed) {
            user_.gather_failed(queue, l.packets.front());
            continue;
        }
        if (!port_.can_send(spec_.kind, l.node)) {
            blocked_.add(l.turn);
            continue;
        }
        carried_packet& c = l.packets.pop();
        --used_;
        if (user_.leaves(queue, c))
            port_.send(spec_.kind, l.node, c);
        else
            port_.packets().give_back(c);
        settle(l);
    }
}

void packet_sender::reset() {
    ready_.reset();
    blocked_.reset();
    for (lane& l : lanes_) {
        l.filling = nullptr;
        while (!l.packets.empty()) {
            carried_packet& c = l.packets.pop();
            if (c.packet.moving == 0) port_.packets().give_back(c);
        }
    }
    used_ = 0;
    refused_ = false;
}

void packet_sender::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!blocked_.empty()) edges.push_back({name_, "the network to take a packet", port_.name(), {}});
    if (refused_) edges.push_back({name_, "a place for a packet", name_ + ".places", {}});
}

}  // namespace contraflow::nic
