// SPDX-License-Identifier: Apache-2.0
// Writes the payloads of packets that have arrived into memory, by posted writes in order of arrival. One packet at a
// time is being started; a packet is given back when its last write has left.
#pragma once

#include <algorithm>
#include <string>

#include "nic/queue_pair/packet_dma.h"
#include "nic/queue_pair/translator.h"

namespace contraflow::nic {

class packet_writer final : public core::waiter_if, private packet_dma::user_if {
public:
    class user_if {
    public:
        // All writes of the packet have been started: another one can be taken.
        virtual void started(std::uint32_t queue, const carried_packet& p) = 0;
        // All have left. Packets end in order, except that one without any write ends at once.
        virtual void written(std::uint32_t queue, const carried_packet& p) = 0;

    protected:
        ~user_if() = default;
    };
    packet_writer(packet_dma& writes, translator& translate, observe::statistics& statistics, user_if& user,
                  std::string name)
        : writes_(writes),
          translate_(translate),
          user_(user),
          name_(std::move(name)),
          bytes_(statistics, name_ + ".bytes", "bytes", "payload written over PCIe"),
          unmapped_(statistics, name_ + ".unmapped", "bytes",
                    "bytes whose page was taken away while their packet was being written") {}

    bool busy() const { return current_ != nullptr; }
    // Only if it is not busy.
    void write(carried_packet& p, std::uint32_t queue, const registered_region& r, std::uint64_t address) {
        p.packet.moving = p.packet.begun = 0;
        current_ = &p;
        queue_ = queue;
        region_ = r;
        address_ = address;
        go_on();
    }
    // There may be a piece, or a translation.
    void go_on() {
        if (current_ == nullptr) return;
        carried_packet& c = *current_;
        while (c.packet.begun < c.packet.payload.size()) {
            if (!writes_.ready()) return;
            const std::uint64_t at = address_ + c.packet.begun;
            const auto length = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(c.packet.payload.size() - c.packet.begun, region_.left_in_page(at)));
            const translator::result where = translate_.find(region_, at);
            if (where.what == translator::answer::later) return;
            if (where.what == translator::answer::absent) {
                unmapped_ += length;
                c.packet.begun += length;
                continue;
            }
            bytes_ += length;
            writes_.start(*this, c, queue_, where.address, length);
        }
        const std::uint32_t queue = queue_;
        current_ = nullptr;
        // The packet is held until the user, who may begin another one, has looked at it.
        ++c.packet.moving;
        user_.started(queue, c);
        if (--c.packet.moving == 0) end(c, queue);
    }
    // Call it before the reset of the writes.
    void reset() {
        if (current_ != nullptr && current_->packet.moving == 0) current_->of.give_back(*current_);
        current_ = nullptr;
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        if (busy()) edges.push_back({name_, "writes of a packet to begin", name_ + ".pieces", {}});
    }

private:
    void moved(carried_packet& p, std::uint32_t queue) override {
        if (p.packet.moving == 0 && &p != current_) end(p, queue);
    }
    void end(carried_packet& p, std::uint32_t queue) {
        user_.written(queue, p);
        p.of.give_back(p);
    }

    packet_dma& writes_;
    translator& translate_;
    user_if& user_;
    const std::string name_;
    carried_packet* current_ = nullptr;
    std::uint32_t queue_ = 0;
    registered_region region_;
    std::uint64_t address_ = 0;
    observe::counter bytes_, unmapped_;
};

}  // namespace contraflow::nic
