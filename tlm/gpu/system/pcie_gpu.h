// SPDX-License-Identifier: Apache-2.0
// A GPU on PCIe whose threads talk to other devices themselves.
//
//   NIC, host ---PCIe---> function: BAR 0 memory, BAR 1 control page --> path_block ---+
//             <--PCIe---- function <-- posted writes, reads --- io_port <--+           |
//                                                                          |           v
//                                                gpu_system: units -- crossbar -- second level -- memory
//
// The second level is emptied, and the path block flushed, at a kernel's end and not before. Within a kernel, threads
// and other devices see each other's writes through uncached pages (device_memory::allocate) alone.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/ppb/io_port.h"
#include "gpu/ppb/path_block.h"
#include "gpu/system/gpu_system.h"
#include "gpu/system/pcie_gpu_spec.h"

namespace contraflow::gpu {

class pcie_gpu final : public sc_core::sc_module, public pcie::device_if, private pcie::requester_user_if {
public:
    // The function that the GPU needs in the address map.
    static pcie::function_spec place_of(const pcie_gpu_spec& s) { return {path_block::bars(s.path_block()), {}}; }

    pcie_gpu(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& packets,
             const pcie::function::spec& f, const pcie::address_map::function& place, const pcie_gpu_spec& s);
    ~pcie_gpu() override;

    gpu_system& system() { return system_; }
    host_program& host() { return system_.host(); }
    device_memory& memory() { return system_.memory(); }
    path_block& ppb() { return ppb_; }
    io_port& io() { return io_; }
    const pcie::function& function() const { return function_; }
    const pcie_gpu_spec& configuration() const { return spec_; }

    // Elements at a bus address (doorbells, the host's memory), in the address space of this GPU's kernels.
    template <element T> array<T> map_io(std::uint64_t bus_address, std::size_t count) {
        return {system_.pages().map_io(bus_address, {count * sizeof(T)}), count};
    }
    // The control page of the own path block, by ppb_register / ppb_register_size.
    array<std::uint64_t> control_page() {
        return map_io<std::uint64_t>(control_address(), ppb_control_page / ppb_register_size);
    }
    std::uint64_t control_address() const { return function_.place().bars[path_block::control_bar].base; }
    // The bus address of a byte of device memory; its page gets its place. Addresses are adjacent within a page only.
    std::uint64_t bus_address(std::uint64_t virtual_address);

    // For a watchdog: a count that grows with progress, and the work that has begun and not ended.
    std::uint64_t moved() const { return system_.moved() + ppb_.moved() + io_.moved(); }
    std::uint64_t outstanding() const { return system_.outstanding() + (ppb_.idle() ? 0 : 1); }
    bool idle() const { return system_.idle() && ppb_.idle() && io_.idle(); }
    pcie::port& link() override { return function_.link(); }
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    // Unused: each operation has an owner.
    void finished(pcie::operation&) override {}

    const pcie_gpu_spec spec_;
    pcie::function function_;
    gpu_system system_;
    path_block ppb_;
    io_port io_;
};

}  // namespace contraflow::gpu
