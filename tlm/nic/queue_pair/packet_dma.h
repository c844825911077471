// SPDX-License-Identifier: Apache-2.0
// Moves payloads between packets and memory over PCIe, in pieces that end at pages: reads for packets that leave,
// posted writes for packets that have arrived. Pieces begin in the order in which they are started; writes also end in
// it, each when its last TLP has left.
#pragma once

#include <string>

#include "core/callback.h"
#include "core/waiting.h"
#include "nic/queue_pair/transport_packet.h"
#include "pcie/device/copy_pieces.h"

namespace contraflow::nic {

class packet_dma final : public core::waiter_if, private pcie::requester_user_if {
public:
    class user_if {
    public:
        // A piece has ended, and is not counted in `moving` any more.
        virtual void moved(carried_packet& p, std::uint32_t queue) = 0;

    protected:
        ~user_if() = default;
    };
    // `room` is called when a piece is free again after there was none.
    packet_dma(pcie::function& of, pcie::operation_kind kind, std::uint32_t pieces, const core::callback& room,
               std::string name)
        : function_(of),
          kind_(kind),
          room_(room),
          name_(std::move(name)),
          pieces_(pieces) {}

    bool ready() {
        if (!pieces_.none_free()) return true;
        refused_ = true;
        return false;
    }
    // Only when ready(): that many bytes of its payload from `begun` on, which grows by them.
    void start(user_if& user, carried_packet& p, std::uint32_t queue, std::uint64_t address, std::uint32_t length) {
        piece& o = pieces_.take();
        o.of = &p;
        o.user = &user;
        o.queue = queue;
        o.kind = kind_;
        o.address = address;
        o.length = length;
        o.buffer = p.packet.payload.data() + p.packet.begun;
        o.owner = this;
        p.packet.begun += length;
        ++p.packet.moving;
        function_.start(o);
    }
    // The function has been reset. Packets whose pieces were under way are given back.
    void reset() {
        for (piece& o : pieces_.all()) {
            carried_packet* const p = std::exchange(o.of, nullptr);
            if (p != nullptr && --p->packet.moving == 0) p->of.give_back(*p);
        }
        pieces_.reset();
        refused_ = false;
    }
    std::size_t under_way() const { return pieces_.under_way(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        if (under_way() != 0)
            edges.push_back({name_,
                             kind_ == pcie::operation_kind::read ? "data of packets" : "writes to leave",
                             function_.link().name(),
                             {}});
    }

private:
    struct piece : pcie::operation {
        carried_packet* of = nullptr;
        user_if* user = nullptr;
        std::uint32_t queue = 0;
    };
    void finished(pcie::operation& o) override {
        auto& p = static_cast<piece&>(o);
        carried_packet& c = *std::exchange(p.of, nullptr);
        --c.packet.moving;
        if (p.failed()) c.packet.failed = true;
        pieces_.give_back(p);
        p.user->moved(c, p.queue);
        if (std::exchange(refused_, false)) room_();
    }

    pcie::function& function_;
    const pcie::operation_kind kind_;
    const core::callback room_;
    const std::string name_;
    pcie::copy_pieces<piece> pieces_;
    bool refused_ = false;
};

}  // namespace contraflow::nic
