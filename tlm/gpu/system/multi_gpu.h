// SPDX-License-Identifier: Apache-2.0
// Several GPUs, each with a command processor of its own, in one physical address space, for a driver. GPUs are
// numbered from 1, and the number is in the high bits of their physical addresses; 0 is the host's.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/migration/page_migration_controller.h"
#include "gpu/rdma/access_counters.h"
#include "gpu/system/command_processor.h"
#include "gpu/system/gpu_hardware.h"
#include "gpu/translation/gpu_translation.h"

namespace contraflow::gpu {

inline constexpr unsigned most_gpus = 63;

// The sockets of `gpu` are GPUs here. The driver places pages, and only the costs of the dispatcher's settings apply.
// The machine that has these GPUs describes the fields.
struct multi_gpu_spec {
    gpu_spec gpu;
    command_processor::spec processor;
    gpu_translation::spec translation;
    page_migration_controller::spec migration;
    access_counters::spec counters;
    pcie_host::spec host;  // with a PCIe tree
    // Set by the machine, not by a configuration: whether pages move, and so whether these two exist.
    bool migrates = false;

    bool timed() const { return translation.mode == translation_mode::timed; }
};

// Conflicts between its fields.
std::vector<config::problem> problems_of(const multi_gpu_spec& s);

// The level below the translation of all GPUs, if translation takes time: an IOMMU and the tables that it walks. They
// must outlive the machine, and are reset with it.
struct translation_base {
    const memory::radix_table* table = nullptr;
    memory::translation_server* below = nullptr;
};

class multi_gpu final : public core::waiter_if, public core::controllable_if, private kernel_boundary_if {
public:
    // A specification with a problem is a std::invalid_argument, and so is timed translation without a base.
    multi_gpu(core::scheduler& events, observe::statistics& statistics, const multi_gpu_spec& s,
              const translation_base& base = {}, core::sim_time series_window = core::sim_time::from_us(5),
              const link::lane_set_factory& controllers = {});
    ~multi_gpu() override;

    unsigned gpus() const { return hardware_.sockets(); }
    command_processor& processor(unsigned number) { return *processors_.at(number - 1); }
    // Null if pages never move; the counters are also null with a single GPU.
    page_migration_controller* migration(unsigned number) {
        return controllers_.empty() ? nullptr : controllers_.at(number - 1).get();
    }
    access_counters* counters(unsigned number) { return counters_.empty() ? nullptr : counters_.at(number - 1).get(); }
    // The host in the PCIe tree; null with other networks, and for a single GPU.
    pcie_host* host();
    // Gives work to a GPU: over PCIe if the host is in the tree, else within the call.
    void submit(unsigned number, grid_part& p);
    void submit(unsigned number, copy_part& p);
    gpu_socket& gpu(unsigned number) { return hardware_.socket(number - 1); }
    gpu_hardware& hardware() { return hardware_; }
    // The network between the GPUs, null for a single one; and the same if it consists of reversible links.
    net::network_if* packets() { return hardware_.packets(); }
    net::network* network() { return hardware_.network(); }
    // Translates addresses in no time; unused with timed translation.
    memory::page_table& pages() { return pages_; }
    const memory::address_map& map() const { return map_; }
    request_profile& profile() { return profile_; }
    core::scheduler& events() { return shared_.events; }
    const multi_gpu_spec& configuration() const { return spec_; }

    // For a watchdog: a count that grows with progress, and the work that has begun and not ended.
    std::uint64_t moved() const;
    bool computing() const { return hardware_.computing(); }
    std::uint64_t outstanding() const;
    std::uint64_t payloads_in_flight() const { return payloads_.in_flight(); }
    bool idle() const;
    void settle() { hardware_.settle(); }
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // A reset drops all work in progress; launches and copies end with an error.
    bool control(core::control_verb verb) override;

private:
    bool kernel_begins(const kernel_launch& k) override;
    bool kernel_ends(const kernel_launch& k) override;
    std::vector<cta_sink_if*> build_processors();
    void build_migration();
    static std::optional<translation_source> source(const multi_gpu_spec& s, const translation_base& base);

    const multi_gpu_spec spec_;
    const std::optional<translation_source> translation_;
    memory::payload_pool payloads_;
    memory::resources shared_;
    memory::address_map map_;
    memory::page_table pages_;
    request_profile profile_;
    machine_memory machine_{pages_, map_, profile_, translation_ ? &*translation_ : nullptr};
    unsigned running_ = 0;  // kernels, counted once per GPU
    std::vector<std::unique_ptr<command_processor>> processors_;
    std::vector<std::unique_ptr<page_migration_controller>> controllers_;
    std::vector<std::unique_ptr<access_counters>> counters_;
    gpu_hardware hardware_;  // last member: coroutines of wavefronts must end before the objects they refer to
};

}  // namespace contraflow::gpu
