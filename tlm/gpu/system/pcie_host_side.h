// SPDX-License-Identifier: Apache-2.0
// The host's memory at a DMA engine, by PCIe: pieces of a copy are read from it ahead of the engine's lines, and lines
// for it are gathered into pieces that are posted when they are complete.
//
//   to_device    tree -> completions -> piece -> take(): lines for memory
//   from_device  lines from memory: put() -> piece -> posted writes -> tree
#pragma once

#include <array>
#include <deque>
#include <string>

#include "core/scheduler.h"
#include "gpu/system/host_side_if.h"
#include "pcie/device/copy_pieces.h"

namespace contraflow::gpu {

class pcie_host_side final : public host_side_if, private pcie::requester_user_if {
public:
    // `path`: of the engine; `host`: the name of the host, in reports of waits. `pieces`: in each direction.
    pcie_host_side(core::scheduler& events, pcie::function& function, std::string path, std::string host,
                   std::size_t pieces, host_side_user_if& user);

    void begin(const host_transfer& t) override;
    std::uint64_t reach(const host_transfer& t, std::uint64_t offset) const override;
    bool ready(const host_transfer& t, std::uint64_t offset, unsigned length) override;
    void take(const host_transfer& t, std::uint64_t offset, std::uint8_t* to, unsigned length) override;
    void put(const host_transfer& t, std::uint64_t offset, const std::uint8_t* from, unsigned length) override;
    void all_put(const host_transfer& t) override;
    // The function has been reset as well.
    void reset() override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    struct piece : pcie::operation {
        host_transfer of;
        std::uint64_t offset = 0;  // in the copy
        std::uint32_t lines = 0;   // bytes that lines have taken or put
        bool arrived = false;      // from the host
        core::sim_time since{};
        std::array<std::uint8_t, pcie::boundary_4k> bytes{};
    };
    struct reading {  // a copy to the device with bytes to be asked for
        host_transfer of;
        std::uint64_t asked = 0;
    };
    static constexpr unsigned most_posted = 2;  // pieces that wait for the link, so that other requests get their turn

    void finished(pcie::operation& o) override;
    void prepare(piece& p, const host_transfer& t, std::uint64_t offset, pcie::operation_kind kind);
    void ask();
    void post();
    void tell_ended();
    piece* filling(const host_transfer& t, std::uint64_t offset);

    core::scheduler& events_;
    pcie::function& function_;
    const std::string path_, host_;
    host_side_user_if& user_;
    pcie::copy_pieces<piece> in_, out_;
    std::deque<reading> to_ask_;
    std::deque<piece*> coming_;         // from the host, in order
    std::deque<piece*> filling_;        // for the host, with lines missing
    std::deque<piece*> full_;           // for the host, not yet posted
    std::deque<piece*> posted_;         // have not left
    std::deque<std::uint32_t> ending_;  // copies to the host whose lines are all put
};

}  // namespace contraflow::gpu
