// SPDX-License-Identifier: Apache-2.0
// A complete NUMA GPU: sockets, the network between them, the CTA dispatcher, virtual memory, and a host program.
// gpu_system g(...); g.host().start(workload.run(g.host())); simulate; g.host().rethrow().
#pragma once

#include <string>
#include <vector>

#include "core/timer.h"
#include "gpu/dispatch/host_program.h"
#include "gpu/system/gpu_hardware.h"

namespace contraflow::gpu {

class path_block;

class gpu_system final : public core::waiter_if,
                         public core::controllable_if,
                         private kernel_boundary_if,
                         private physical_memory_if {
public:
    // A specification with a problem is a std::invalid_argument. `series_window` is for statistics over time;
    // `controllers` for the links' lanes, by default models; `path` comes before the names of statistics that belong to
    // no module, where there are several systems.
    gpu_system(core::scheduler& events, observe::statistics& statistics, const gpu_spec& s,
               core::sim_time series_window = core::sim_time::from_us(5),
               const link::lane_set_factory& controllers = {}, const std::string& path = "");
    ~gpu_system() override;

    host_program& host() { return host_; }
    device_memory& memory() { return memory_; }
    cta_dispatcher& dispatcher() { return dispatcher_; }
    request_profile& profile() { return profile_; }
    // The network between the sockets, null for a single one; and the same if it consists of reversible links.
    net::network_if* packets() { return hardware_.packets(); }
    net::network* network() { return hardware_.network(); }
    gpu_socket& socket(unsigned i) { return hardware_.socket(i); }
    unsigned sockets() const { return hardware_.sockets(); }
    memory::page_table& pages() { return pages_; }
    const memory::address_map& map() const { return map_; }
    const gpu_spec& configuration() const { return spec_; }
    const memory::resources& resources() const { return shared_; }  // for clients of its sockets

    // Also flushed at the end of a kernel that empties the second level, after it.
    void set_path_block(path_block& block) { path_block_ = &block; }

    // For a watchdog: a count that grows with progress, and the work that has begun and not ended.
    std::uint64_t moved() const;
    bool computing() const { return hardware_.computing(); }
    std::uint64_t outstanding() const;
    std::uint64_t payloads_in_flight() const { return payloads_.in_flight(); }
    bool idle() const;
    // Brings statistics to this moment; call it before they are read and before check().
    void settle();
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // A reset drops all work in progress; launches end with an error that host programs see.
    bool control(core::control_verb verb) override;

private:
    bool kernel_begins(const kernel_launch& k) override;
    // Everything is written through or up to date, unless the second level is to be emptied.
    bool kernel_ends(const kernel_launch& k) override;
    void write_back();
    void bank_written_back();
    void empty_second_level();
    void kernel_ended();
    void debug_write(std::uint64_t physical, std::span<const std::byte> from) override {
        hardware_.debug_write(physical, from);
    }
    void debug_read(std::uint64_t physical, std::span<std::byte> to) const override {
        hardware_.debug_read(physical, to);
    }

    const gpu_spec spec_;
    memory::payload_pool payloads_;
    memory::resources shared_;
    memory::address_map map_;
    memory::page_table pages_;
    request_profile profile_;
    machine_memory machine_{pages_, map_, profile_};
    cta_dispatcher dispatcher_;
    paged_memory memory_;
    host_program host_;
    path_block* path_block_ = nullptr;
    const kernel_launch* ending_ = nullptr;
    unsigned banks_missing_ = 0;
    core::cancellable_calls<gpu_system> calls_;
    gpu_hardware hardware_;  // last member: coroutines of wavefronts must end before the objects they refer to
};

}  // namespace contraflow::gpu
