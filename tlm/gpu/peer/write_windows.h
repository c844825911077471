// SPDX-License-Identifier: Apache-2.0
// Each requester has a window of 64 KiB through which it writes into a page of GPU memory. A write to a register moves
// the window. The move takes time, and every later posted write waits for it. So data is written to the page that the
// window showed when the data was sent. A window that is closed, or whose token does not match its page, accepts
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/peer/peer_memory.h"
#include "gpu/peer/peer_spec.h"
#include "observe/counter.h"
#include "pcie/device/function.h"

namespace contraflow::gpu {

class write_windows final : public pcie::region_if, public core::waiter_if {
public:
    write_windows(core::scheduler& events, observe::statistics& statistics, pcie::function& of, peer_memory& memory,
                  const peer_spec& s, std::string name);

    // A write to the register of a window. Busy while that window is still moving.
    pcie::access_result move(unsigned requester, std::uint64_t word);
    std::uint32_t refused(unsigned requester) const { return windows_.at(requester).refused; }
    std::uint64_t moves() const { return moves_.value(); }
    // Closes all windows.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override;
    pcie::access_result request(pcie::inbound_request&, const pcie::tlp&) override {
        return pcie::access_result::unsupported;  // windows are write-only
    }
    void fetch(const pcie::inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}

private:
    struct window {
        peer_window shows{0, 0, false};
        bool moving = false;
        core::sim_time since{};
        std::uint32_t refused = 0;
    };
    void moved(std::uint32_t requester);

    core::scheduler& events_;
    pcie::function& function_;
    peer_memory& memory_;
    const std::string name_;
    const core::sim_time move_time_;
    std::vector<window> windows_;
    bool held_back_ = false;
    core::cancellable_calls<write_windows> calls_{events_, *this};
    observe::counter moves_, refused_;
};

}  // namespace contraflow::gpu
