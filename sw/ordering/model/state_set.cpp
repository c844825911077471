// SPDX-License-Identifier: Apache-2.0
#include "ordering/model/state_set.h"

#include <cstring>
#include <stdexcept>

namespace contraflow::ordering::model {
namespace {

constexpr std::size_t first_slots = 1024;
constexpr std::uint64_t upper_half = 0xffff'ffff'0000'0000;

}  // namespace

// While the table is doubled, both of them are there: up to 4 + 2 slots a state.
std::size_t state_set::bytes_a_state(unsigned words) { return words * sizeof(state_word) + 6 * sizeof(slot); }

state_set::state_set(unsigned words) : words_(words), table_(first_slots), table_mask_(first_slots - 1) {}

bool state_set::add(const state_word* s, std::uint64_t hash) {
    std::size_t at = hash & table_mask_;
    for (; table_[at] != 0; at = (at + 1) & table_mask_) {
        if (((table_[at] ^ hash) & upper_half) != 0) continue;
        const auto there = static_cast<number>(table_[at] & ~upper_half) - 1;
        if (std::memcmp((*this)[there], s, words_ * sizeof(state_word)) == 0) return false;
    }
    if (size_ == most) throw std::length_error("more states than can be numbered");
    if ((size_ & block_mask) == 0)
        blocks_.push_back(std::make_unique_for_overwrite<state_word[]>((std::size_t{1} << block_bits) * words_));
    std::memcpy(&blocks_.back()[(size_ & block_mask) * words_], s, words_ * sizeof(state_word));
    table_[at] = (hash & upper_half) | ++size_;
    if (2 * size_ > table_.size()) grow();
    return true;
}

void state_set::grow() {
    std::vector<slot> old(2 * table_.size());
    old.swap(table_);
    table_mask_ = table_.size() - 1;
    for (std::size_t i = 0; i < size_; ++i) {
        const std::uint64_t hash = hash_of((*this)[static_cast<number>(i)]);
        std::size_t at = hash & table_mask_;
        while (table_[at] != 0) at = (at + 1) & table_mask_;
        table_[at] = (hash & upper_half) | (i + 1);
    }
}

}  // namespace contraflow::ordering::model
