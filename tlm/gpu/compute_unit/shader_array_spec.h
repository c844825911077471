// SPDX-License-Identifier: Apache-2.0
// The parameters of a shader array: neighbouring compute units that share an instruction cache and a scalar cache.
// Defaults of the caches, but not of their lines, and of the instructions: GCN ("AMD Graphics Cores Next (GCN)
// Architecture", white paper, 2012: up to four units share an instruction cache of 32 KB, 4 ways and lines of 64 B that
// typically hold 8 instructions, and a scalar cache of 16 KB and 4 ways). Their latencies and a kernel's sizes are
// assumed.
#pragma once

#include "config/fields.h"
#include "core/units.h"
#include "memory/cache/cache_spec.h"

namespace contraflow::gpu {

inline constexpr core::bytes instruction_size{8};

struct shader_array_spec {
    unsigned units = 0;
    memory::cache_spec instructions;
    memory::cache_spec scalars;
    unsigned buffer = 4;
    core::bytes code{2048};
    core::bytes arguments{64};

    // Set by the machine, not by a configuration: the code and arguments of kernels, at the end of a GPU's memory.
    core::bytes region{0};

    shader_array_spec();
    bool present() const { return units > 0; }
    // What a kernel's code and arguments take, in whole lines.
    core::bytes code_lines() const;
    core::bytes kernel_lines() const;
    static void describe(config::fields<shader_array_spec>& f);
};

}  // namespace contraflow::gpu
