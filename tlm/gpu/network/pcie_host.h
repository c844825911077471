// SPDX-License-Identifier: Apache-2.0
// The host in a PCIe tree of GPUs: its memory, as far as it is pinned, at a range of bus addresses; the window of its
// interrupts; and its driver's commands to the GPUs, in slots of their BARs.
//
//   submit() -> [waiting] -> slot of the GPU -> packet, doorbell -> tree -> GPU
//   work_part::end() <- processing <- record in memory <- interrupt <- tree <- GPU
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/timer.h"
#include "gpu/kernel/work_part.h"
#include "gpu/network/host_command.h"
#include "observe/counter.h"
#include "pcie/device/msi.h"
#include "pcie/device/pinned_memory.h"
#include "pcie/link/device_if.h"

namespace contraflow::gpu {

class pcie_host final : public pcie::device_if, private pcie::requester_user_if, private pcie::interrupt_user_if {
public:
    static constexpr std::uint64_t memory_base = 0x1'0000'0000;  // bus address
    static constexpr core::bytes memory_size{64ull << 30};
    static constexpr std::uint64_t interrupt_address = 0xfee0'0000, interrupt_bytes = 1u << 12;

    struct spec {
        pcie::link_rate link{5, 16};
        core::sim_time read_latency = core::sim_time::from_ns(100);
        core::bandwidth read_rate = core::bandwidth::from_gb_per_s(100);
        unsigned read_queue = 256;
        core::sim_time processing = core::sim_time::from_ns(150);

        static void describe(config::fields<spec>& f);
    };
    static pcie::function_spec place() {
        return {{}, {{memory_base, memory_size.count}, {interrupt_address, interrupt_bytes}}};
    }

    // `command_bars`: the bus address of each GPU's BAR 1.
    pcie_host(const char* name, const pcie::port::resources& shared, pcie::tlp_pool& packets,
              const pcie::function::spec& device, const pcie::address_map::function& place, const spec& s,
              std::vector<std::uint64_t> command_bars);

    // ---- for the driver
    // The bus address of a buffer of the host, until it is unpinned. Throws std::length_error if there is no room.
    std::uint64_t pin(std::byte* buffer, std::uint64_t bytes);
    void unpin(std::uint64_t address) { memory_.unpin(address - memory_base); }
    // Gives a command to a GPU, counted from 0; `work` ends when the GPU's interrupt has been handled.
    void submit(unsigned gpu, const host_command& c, work_part& work);
    // Ends all work with that error, within the call; its GPUs have been reset.
    void drop(const std::exception_ptr& why);
    bool idle() const { return under_way_ == 0; }

    // ---- for a GPU's end of it
    // What a command refers to beside its packet: a kernel's code, and where the text of an error goes.
    work_part& work(unsigned gpu, unsigned slot) { return *gpus_[gpu].slots[slot].work; }
    // Whether the GPU has a command in that slot; not after a reset.
    bool has(unsigned gpu, unsigned slot) const { return gpus_[gpu].slots[slot].work != nullptr; }
    std::uint64_t record_of(unsigned gpu, unsigned slot) const {
        return records_at_ + (gpu * command_slots + slot) * sizeof(host_record);
    }
    static pcie::msi_message interrupt_of(unsigned gpu) { return {interrupt_address, gpu}; }

    pcie::port& link() override { return function_.link(); }
    const char* name() const { return function_.name(); }
    const pcie::function& device() const { return function_; }
    // pause: the function's; a reset leaves the work to drop().
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    struct slot {
        work_part* work = nullptr;  // null: free
        std::uint32_t sequence = 0;
        bool handled = false;  // its record has been seen
        core::sim_time since{};
        host_command::packet packet{};
        std::array<std::uint8_t, 4> doorbell{};
        pcie::operation write, ring;
    };
    struct waiting {
        host_command command;
        work_part* work = nullptr;
    };
    struct gpu_side {
        std::deque<slot> slots{command_slots};  // stay where they are: operations refer to them
        std::deque<waiting> queue;              // without a slot
        std::deque<waiting> preparing;          // the driver is at work on them
    };

    void finished(pcie::operation&) override {}
    void interrupt(std::uint64_t offset, std::uint32_t data) override;
    void prepared(std::uint32_t gpu);
    void give(unsigned gpu);
    void handled(std::uint32_t number);

    core::scheduler& events_;
    const spec spec_;
    const std::vector<std::uint64_t> command_bars_;
    pcie::function function_;
    pcie::pinned_memory memory_;
    pcie::interrupt_window interrupts_;
    std::vector<gpu_side> gpus_;
    std::vector<host_record> records_;
    std::uint64_t records_at_ = 0;  // bus address
    std::uint32_t sequence_ = 0;
    std::uint64_t under_way_ = 0;  // commands
    bool paused_ = false;
    core::sim_time paused_since_{};
    core::cancellable_calls<pcie_host> calls_;
    observe::counter doorbells_, interrupts_taken_;
};

}  // namespace contraflow::gpu
