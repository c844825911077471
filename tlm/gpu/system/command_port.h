// SPDX-License-Identifier: Apache-2.0
// A GPU's end of its driver's commands over PCIe, behind BAR 1: slots of packets, and a doorbell. A command is made of
// the bytes in its slot; at its end the GPU writes a record into the host's memory and raises an interrupt behind it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "gpu/kernel/grid.h"
#include "gpu/network/pcie_host.h"
#include "gpu/system/copy_part.h"
#include "pcie/device/msi.h"
#include "pcie/device/region_if.h"

namespace contraflow::gpu {

class command_port final : public pcie::region_if, private pcie::requester_user_if {
public:
    // An interface, because a callback has no room for the work; commands are submitted as a driver without PCIe does.
    class owner_if {
    public:
        virtual void submit(grid_part& p) = 0;
        virtual void submit(copy_part& p) = 0;

    protected:
        ~owner_if() = default;
    };
    // `gpu`: the number of its slots at the host.
    command_port(pcie::function& of, pcie_host& host, unsigned gpu, owner_if& owner);

    // A reset of the GPU and the tree: what ends between the two calls ends at the host at once.
    void begin_reset() { resetting_ = true; }
    void end_reset();

private:
    struct kernel_part final : grid_part {
        kernel_part(command_port& port, unsigned slot, const kernel_launch& k, cta_run run)
            : grid_part(k, run),
              port(port),
              slot(slot) {}
        void end() override { port.ended(slot); }
        command_port& port;
        const unsigned slot;
    };
    struct copied_part final : copy_part {
        copied_part(command_port& port, unsigned slot, const host_command& c)
            : copy_part(kind_of(c), c.from, c.to, {nullptr, c.host}, c.bytes),
              port(port),
              slot(slot) {}
        void end() override { port.ended(slot); }
        command_port& port;
        const unsigned slot;
    };
    struct command {
        std::array<std::uint8_t, command_slot_bytes> packet{};
        std::uint32_t sequence = 0;
        std::optional<kernel_part> kernel;
        std::optional<copied_part> copy;
        pcie::operation report;
        host_record record = 0;
    };

    pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override;
    pcie::access_result request(pcie::inbound_request&, const pcie::tlp&) override {
        return pcie::access_result::unsupported;
    }
    void fetch(const pcie::inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}
    using pcie::requester_user_if::fetch;
    void finished(pcie::operation& o) override;
    static copy_kind kind_of(const host_command& c);
    bool ring(std::uint32_t slot);
    void start(unsigned slot, const host_command& what);
    void ended(unsigned slot);

    pcie::function& function_;
    pcie_host& host_;
    const unsigned gpu_;
    owner_if& owner_;
    pcie::msi_sender msi_;
    std::deque<command> commands_;  // by slot; stay where they are
    bool resetting_ = false;
};

}  // namespace contraflow::gpu
