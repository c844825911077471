// SPDX-License-Identifier: Apache-2.0
// Device memory as one array of bytes, without homes of pages, copies or time.
#pragma once

#include <vector>

#include "gpu/kernel/device_memory.h"

namespace contraflow::gpu {

class flat_memory final : public device_memory {
public:
    static constexpr std::uint64_t page = 65536;
    static constexpr std::uint64_t base = page;  // address 0 never belongs to an array

    std::uint64_t reserve(std::size_t bytes) override;
    std::uint64_t reserve_uncached(std::size_t bytes) override { return reserve(bytes); }
    void write_bytes(std::uint64_t address, std::span<const std::byte> from) override;
    void read_bytes(std::uint64_t address, std::span<std::byte> to) const override;
    std::uint8_t* at(std::uint64_t address) { return bytes_.data() + (address - base); }

private:
    void check(std::uint64_t address, std::size_t size) const;

    std::vector<std::uint8_t> bytes_;
};

}  // namespace contraflow::gpu
