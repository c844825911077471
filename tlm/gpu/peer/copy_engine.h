// SPDX-License-Identifier: Apache-2.0
// The GPU's own DMA engine: copies between its memory and the host's at its own rate. Commands are carried out in
// order, each a run of bytes that are side by side at both ends; what has ended is counted, and the count written into
// the host's memory before the interrupt.
//
//   driver --copy_host, copy_gpu, copy_start--> queue -> pieces of 4 KiB at most -> reads or posted writes of the
//   host's driver <--count, interrupt 0--------------- those commands that ask for it      memory
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/peer/peer_memory.h"
#include "gpu/peer/peer_spec.h"
#include "observe/counter.h"
#include "pcie/device/copy_pieces.h"
#include "pcie/device/function.h"
#include "pcie/device/msi.h"

namespace contraflow::gpu {

class copy_engine final : public core::waiter_if, private pcie::requester_user_if {
public:
    copy_engine(core::scheduler& events, observe::statistics& statistics, pcie::function& of, peer_memory& memory,
                const peer_spec& s, std::string name);

    void set_report(std::uint64_t address) { report_at_ = address; }
    void set_host(std::uint64_t address) { next_.host = address; }
    void set_gpu(std::uint64_t address) { next_.gpu = address; }
    // Refused, and counted, if the queue is full or the GPU has no such memory.
    pcie::access_result start(std::uint64_t word);
    void configure_msi(const pcie::msi_message& m) { msi_.configure(0, m); }

    std::uint64_t bytes() const { return bytes_.value(); }
    // The function has been reset as well.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    static constexpr unsigned pieces_under_way = 16;
    struct command {
        std::uint64_t host = 0, gpu = 0;
        std::uint32_t length = 0, issued = 0, under_way = 0;  // bytes, bytes, pieces
        bool to_host = false, tell = false;
    };
    struct piece : pcie::operation {
        command* of = nullptr;
    };
    void finished(pcie::operation& o) override;
    void arm();
    void issue();
    void end_commands();
    void report();

    core::scheduler& events_;
    pcie::function& function_;
    peer_memory& memory_;
    const peer_spec spec_;
    const std::string name_;
    pcie::msi_sender msi_;
    command next_;
    std::deque<command> commands_;  // stay where they are: pieces refer to them
    std::size_t issuing_ = 0;       // the first that has bytes to ask for
    pcie::copy_pieces<piece> pieces_{pieces_under_way};
    core::sim_time free_at_{};
    std::uint64_t ended_ = 0, report_at_ = 0;
    std::array<std::uint8_t, 8> count_{};
    pcie::operation report_;
    bool reporting_ = false, report_again_ = false;
    core::timer<&copy_engine::issue> issue_{events_, *this};
    observe::counter bytes_, failed_, refused_;
};

}  // namespace contraflow::gpu
