// SPDX-License-Identifier: Apache-2.0
// A growing set of states, numbered in the order in which they are added. No allocation a state: they lie in blocks,
// and a table of their numbers is doubled when it is half full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ordering/model/packed_state.h"

namespace contraflow::ordering::model {

class state_set {
public:
    using number = std::uint32_t;
    static constexpr number most = 0x7fff'ffff;
    static std::size_t bytes_a_state(unsigned words);  // at most, tables included

    explicit state_set(unsigned words);

    std::size_t size() const { return size_; }
    const state_word* operator[](number i) const { return &blocks_[i >> block_bits][(i & block_mask) * words_]; }

    std::uint64_t hash_of(const state_word* s) const {
        std::uint64_t h = 0x9e37'79b9'7f4a'7c15;
        for (unsigned w = 0; w < words_; ++w) {
            h = (h ^ s[w]) * 0xff51'afd7'ed55'8ccd;
            h ^= h >> 32;
        }
        return h;
    }
    // Brings what add() reads first into the processor's cache.
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&table_[hash & table_mask_]); }
    // True: it was not there, and is the last one now.
    bool add(const state_word* s, std::uint64_t hash);
    bool add(const state_word* s) { return add(s, hash_of(s)); }

private:
    static constexpr unsigned block_bits = 14;
    static constexpr number block_mask = (1u << block_bits) - 1;
    // A state's number plus one, and the upper half of its hash; 0: free.
    using slot = std::uint64_t;

    void grow();

    unsigned words_;
    std::size_t size_ = 0;
    std::vector<std::unique_ptr<state_word[]>> blocks_;
    std::vector<slot> table_;
    std::size_t table_mask_;
};

}  // namespace contraflow::ordering::model
