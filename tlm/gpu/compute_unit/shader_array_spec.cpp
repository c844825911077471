// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/shader_array_spec.h"

namespace contraflow::gpu {

shader_array_spec::shader_array_spec() {
    instructions.size = {32u << 10};
    instructions.hit_latency = {16};
    instructions.mshrs = 16;
    instructions.mshr_targets = 64;
    scalars = instructions;
    scalars.size = {16u << 10};
}

core::bytes shader_array_spec::code_lines() const {
    const std::uint64_t line = instructions.line.count;
    return {(code.count + line - 1) / line * line};
}

core::bytes shader_array_spec::kernel_lines() const {
    const std::uint64_t line = scalars.line.count;
    return {code_lines().count + (arguments.count + line - 1) / line * line};
}

void shader_array_spec::describe(config::fields<shader_array_spec>& f) {
    f("units", &shader_array_spec::units)
        .in(0, 64)
        .text("neighbouring compute units that share the two caches; 0: instructions and a kernel's arguments are "
              "always there");
    f("instructions", &shader_array_spec::instructions).text("the instruction cache");
    f("scalars", &shader_array_spec::scalars).text("the scalar cache, through which a wavefront loads its arguments");
    f("buffer", &shader_array_spec::buffer)
        .in(1, 16)
        .unit("lines")
        .text("of instructions that a wavefront has, or has asked for, the one that it executes among them");
    f("code", &shader_array_spec::code)
        .in(instruction_size, core::bytes{64u << 10})
        .text("of each kernel, in instructions of 8 bytes; a wavefront runs through it again and again");
    f("arguments", &shader_array_spec::arguments)
        .in(core::bytes{0}, core::bytes{4096})
        .text("of each kernel, which a wavefront loads before it begins");
}

}  // namespace contraflow::gpu
