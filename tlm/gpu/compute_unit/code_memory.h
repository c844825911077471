// SPDX-License-Identifier: Apache-2.0
// Where the code and the arguments of kernels lie in a GPU's memory: each kernel, by its name, has the next place of a
// region at the memory's end, and when all are taken they are used again from the first on. Each word of the region is
// a function of its address, so that who reads it can tell whether it got the right bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "core/units.h"
#include "gpu/compute_unit/shader_array_spec.h"

namespace contraflow::gpu {

class code_memory {
public:
    code_memory(const shader_array_spec& s, std::uint64_t begin);

    // The physical address of a kernel's first instruction; its arguments follow in the next line.
    std::uint64_t place_of(const std::string& kernel);
    std::uint64_t begin() const { return begin_; }
    core::bytes size() const { return size_; }

    static std::uint64_t word(std::uint64_t address);  // of 8 bytes
    static void fill(std::uint64_t address, std::span<std::uint8_t> bytes);
    static bool is_right(std::uint64_t address, std::span<const std::uint8_t> bytes);

private:
    const std::uint64_t begin_;
    const core::bytes size_, kernel_;
    std::unordered_map<std::string, std::uint64_t> places_;
};

}  // namespace contraflow::gpu
