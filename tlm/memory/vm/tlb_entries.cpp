// SPDX-License-Identifier: Apache-2.0
#include "memory/vm/tlb_entries.h"

#include <algorithm>

namespace contraflow::memory {

tlb_entries::tlb_entries(const tlb_spec& s)
    : sets_(s.sets),
      ways_(s.ways),
      replacement_(make_replacement(s.replacement, {s.sets, s.ways, s.seed})) {}

std::uint32_t tlb_entries::place_of(std::uint32_t process, std::uint64_t address, unsigned bits) const {
    const std::uint64_t key = key_of(process, address, bits);
    const std::uint32_t first = first_of(address, bits);
    for (std::uint32_t way = 0; way < ways_; ++way)
        if (keys_[first + way] == key) return first + way;
    return none;
}

const page_translation* tlb_entries::find_in_sets(std::uint32_t process, std::uint64_t address, std::uint64_t small) {
    for (const unsigned bits : page_sizes) {
        if (counts_[code_of(bits)] == 0) continue;
        const std::uint32_t place = place_of(process, address, bits);
        if (place == none) continue;
        remembered_[slot_of(small)] = {small, place};
        use(place);
        return &pages_[place];
    }
    return nullptr;
}

bool tlb_entries::fill(std::uint32_t process, const page_translation& page) {
    if (out_of_reach(process, page.virtual_page)) return false;
    if (keys_.empty()) {
        keys_.resize(std::size_t{sets_} * ways_);
        pages_.resize(keys_.size());
    }
    // What it covers is of an earlier time, as is a larger page around it.
    forget({process, false, page.virtual_page, page.virtual_page + page.size() - 1});
    const std::uint32_t first = first_of(page.virtual_page, page.bits);
    const std::uint64_t all = ways_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ways_) - 1;
    std::uint32_t way = 0;
    while (way < ways_ && keys_[first + way] != 0) ++way;
    const bool evicts = way == ways_;
    if (evicts) {
        way = replacement_->victim(first / ways_, all);
        drop(first + way);
    }
    keys_[first + way] = key_of(process, page.virtual_page, page.bits);
    pages_[first + way] = page;
    ++counts_[code_of(page.bits)];
    replacement_->filled(first / ways_, way);
    last_used_ = none;
    return evicts;
}

void tlb_entries::drop(std::uint32_t place) {
    --counts_[code_of(pages_[place].bits)];
    keys_[place] = 0;
    remembered_.fill({});
    last_used_ = none;
}

bool tlb_entries::forget(std::uint32_t process, std::uint64_t address) {
    return !out_of_reach(process, address) && forget({process, false, address, address}) != 0;
}

// So few pages that each is looked for; otherwise all entries are gone through.
bool tlb_entries::names_few(const translation_range& which) const {
    constexpr std::uint64_t few = 16;
    return !which.any_process && !out_of_reach(which.process, which.last) &&
           std::all_of(page_sizes.begin(), page_sizes.end(), [&](unsigned bits) {
               return counts_[code_of(bits)] == 0 || (which.last >> bits) - (which.first >> bits) < few;
           });
}

std::size_t tlb_entries::forget(const translation_range& which) {
    if (count() == 0) return 0;
    std::size_t gone = 0;
    if (names_few(which)) {
        for (const unsigned bits : page_sizes) {
            if (counts_[code_of(bits)] == 0) continue;
            for (std::uint64_t n = which.first >> bits; n <= which.last >> bits; ++n) {
                const std::uint32_t place = place_of(which.process, n << bits, bits);
                if (place == none) continue;
                drop(place);
                ++gone;
            }
        }
        return gone;
    }
    for (std::uint32_t place = 0; place < keys_.size(); ++place) {
        const page_translation& p = pages_[place];
        const auto process = static_cast<std::uint32_t>(keys_[place] >> 2 & ((1u << process_bits) - 1));
        if (keys_[place] == 0 || !which.meets(process, p.virtual_page, p.virtual_page + p.size() - 1)) continue;
        drop(place);
        ++gone;
    }
    return gone;
}

void tlb_entries::reset() {
    if (count() > 0) std::fill(keys_.begin(), keys_.end(), 0);
    counts_ = {};
    remembered_.fill({});
    last_used_ = none;
    replacement_->reset();
}

}  // namespace contraflow::memory
