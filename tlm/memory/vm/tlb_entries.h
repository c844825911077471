// SPDX-License-Identifier: Apache-2.0
// The entries of a TLB: pages of three sizes side by side in the same sets, each in the set that its number names. A
// lookup tries the sizes that are here; most hits are found by a few remembered pages without it. Host memory is taken
// when the first page comes in.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "memory/cache/replacement_if.h"
#include "memory/vm/tlb_spec.h"
#include "memory/vm/translation.h"

namespace contraflow::memory {

class tlb_entries {
public:
    explicit tlb_entries(const tlb_spec& s);

    // The page of that address, which counts as a use of it; or null.
    const page_translation* find(std::uint32_t process, std::uint64_t address) {
        if (out_of_reach(process, address)) return nullptr;
        const std::uint64_t small = address >> page_bits_4k << process_bits | process;
        const remembered& r = remembered_[slot_of(small)];
        if (r.small == small) {
            use(r.place);
            return &pages_[r.place];
        }
        return find_in_sets(process, address, small);
    }
    // True: another one had to go.
    bool fill(std::uint32_t process, const page_translation& page);
    // False: it is not here.
    bool forget(std::uint32_t process, std::uint64_t address);
    // How many went.
    std::size_t forget(const translation_range& which);
    std::size_t count() const { return counts_[1] + counts_[2] + counts_[3]; }
    void reset();

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint64_t nothing = ~std::uint64_t{0};
    struct remembered {
        std::uint64_t small = nothing;  // number of the 4 KiB page, and process
        std::uint32_t place = none;
    };

    static bool out_of_reach(std::uint32_t process, std::uint64_t address) {
        return (address >> virtual_address_bits | process >> process_bits) != 0;
    }
    static std::size_t slot_of(std::uint64_t small) { return (small * 0x9e3779b97f4a7c15u) >> 60; }
    static unsigned code_of(unsigned bits) { return bits == page_bits_4k ? 1 : bits == page_bits_64k ? 2 : 3; }
    static std::uint64_t key_of(std::uint32_t process, std::uint64_t address, unsigned bits) {
        return (address >> bits << (bits - page_bits_4k)) << (process_bits + 2) | std::uint64_t{process} << 2 |
               code_of(bits);
    }
    std::uint32_t first_of(std::uint64_t address, unsigned bits) const {
        return static_cast<std::uint32_t>((address >> bits) & (sets_ - 1)) * ways_;
    }
    void use(std::uint32_t place) {
        // The last one to be used is in front already, whatever the policy.
        if (place == last_used_) return;
        last_used_ = place;
        replacement_->used(place / ways_, place % ways_);
    }
    const page_translation* find_in_sets(std::uint32_t process, std::uint64_t address, std::uint64_t small);
    std::uint32_t place_of(std::uint32_t process, std::uint64_t address, unsigned bits) const;
    bool names_few(const translation_range& which) const;
    void drop(std::uint32_t place);

    const unsigned sets_, ways_;
    std::array<remembered, 16> remembered_{};
    std::uint32_t last_used_ = none;
    std::array<std::size_t, 4> counts_{};  // by code
    std::vector<std::uint64_t> keys_;      // 0: free
    std::vector<page_translation> pages_;
    std::unique_ptr<replacement_if> replacement_;
};

}  // namespace contraflow::memory
