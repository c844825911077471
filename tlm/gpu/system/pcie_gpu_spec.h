// SPDX-License-Identifier: Apache-2.0
// The parameters of a GPU whose threads reach PCIe themselves, and models of GPUs as presets.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "gpu/ppb/io_port.h"
#include "gpu/ppb/ppb_spec.h"
#include "gpu/system/gpu_spec.h"

namespace contraflow::gpu {

// mi25: AMD Radeon Instinct MI25 (Vega 10).
enum class gpu_model : std::uint8_t { volta, mi25 };

struct pcie_gpu_spec : gpu_parts {
    core::bytes page_size{64u << 10};
    core::sim_time launch = core::sim_time::from_ns(6325);
    core::sim_time teardown = core::sim_time::from_ns(6325);
    core::sim_time uncached_store = core::sim_time::from_ns(500);
    memory::data_fabric_spec fabric;
    ppb_spec ppb;
    gpu::io_port::spec io;

    static pcie_gpu_spec of(gpu_model m);
    static void describe(config::fields<pcie_gpu_spec>& f);
    // The parts as they are built.
    gpu_spec machine() const;
    ppb_spec path_block() const;
};

// In the keys of a configuration that holds it as `gpu`.
std::vector<config::problem> problems_of(const pcie_gpu_spec& s);

// {preset: mi25, units: 16}: a model's values, and the changes to them.
struct pcie_gpu_choice {
    gpu_model preset = gpu_model::mi25;
    pcie_gpu_spec values = pcie_gpu_spec::of(gpu_model::mi25);

    config::chosen_part chosen() { return {&config::structure_of<pcie_gpu_spec>(), &values}; }
    void settle(const pcie_gpu_choice& like) {
        preset = like.preset;
        values = pcie_gpu_spec::of(preset);
    }
    static void describe(config::fields<pcie_gpu_choice>& f);
};

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::gpu_model> {
    static constexpr std::array names{std::pair{contraflow::gpu::gpu_model::volta, "volta"},
                                      std::pair{contraflow::gpu::gpu_model::mi25, "mi25"}};
};
