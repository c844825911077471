// SPDX-License-Identifier: Apache-2.0
// Spreads a contiguous range over equal parts (L2 banks, DRAM channels), a granule at a time, and gives the dense
// offset within the part. It shifts if the numbers are powers of two.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>

namespace contraflow::memory {

class interleave {
public:
    // One part.
    interleave() : interleave(1) {}
    // Hashed: the part's number is folded with the bits above it, so that strides of a power of two use all parts
    // (parts must be a power of two then). The granule, in bytes, is a power of two.
    explicit interleave(unsigned parts, std::uint64_t granule = 128, bool hashed = false)
        : parts_(parts),
          granule_(granule),
          granule_shift_(static_cast<unsigned>(std::countr_zero(granule))),
          part_bits_(std::has_single_bit(parts) ? static_cast<unsigned>(std::countr_zero(parts)) : 0),
          shifts_(std::has_single_bit(parts)),
          hashed_(hashed && parts > 1) {
        if (parts == 0 || !std::has_single_bit(granule) || (hashed && !shifts_))
            throw std::invalid_argument("interleave: parts and granule that cannot be divided so");
    }

    unsigned parts() const { return parts_; }
    std::uint64_t granule() const { return granule_; }
    unsigned part_of(std::uint64_t address) const {
        const std::uint64_t index = address >> granule_shift_;
        if (!shifts_) return static_cast<unsigned>(index % parts_);
        if (!hashed_) return static_cast<unsigned>(index & (parts_ - 1));
        std::uint64_t folded = index;  // its low bits become the parity of every group of bits
        for (unsigned shift = part_bits_; shift < 64; shift *= 2) folded ^= folded >> shift;
        return static_cast<unsigned>(folded & (parts_ - 1));
    }
    std::uint64_t within(std::uint64_t address) const {
        const std::uint64_t index = address >> granule_shift_;
        const std::uint64_t dense = shifts_ ? index >> part_bits_ : index / parts_;
        return dense << granule_shift_ | (address & (granule_ - 1));
    }
    // The bytes from there up to where another part may begin.
    std::uint64_t span(std::uint64_t address) const {
        return parts_ == 1 ? ~std::uint64_t{0} - address : granule_ - (address & (granule_ - 1));
    }

private:
    unsigned parts_;
    std::uint64_t granule_;
    unsigned granule_shift_;
    unsigned part_bits_;
    bool shifts_;
    bool hashed_;
};

}  // namespace contraflow::memory
