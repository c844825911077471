// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/stored_bit.h"

#include <cstddef>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include <verilated.h>
#include <verilated_sym_props.h>
#include <verilated_syms.h>

namespace contraflow::nic_rx {
namespace {

struct array {
    std::uint8_t* bytes = nullptr;
    std::size_t words = 0, word_bytes = 0;

    void flip(std::size_t word, unsigned bit) const {
        bytes[word % words * word_bytes + bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    }
};

array array_at(VerilatedContext& context, const std::string& name) {
    for (const auto& [scope_name, scope] : *context.scopeNameMap()) {
        if (scope->varsp() == nullptr) continue;
        for (auto& [variable, contents] : *scope->varsp()) {
            if (!fmt::format("{}.{}", scope->name(), variable).ends_with(name)) continue;
            const auto words =
                contents.udims() == 0 ? std::size_t{1} : static_cast<std::size_t>(contents.unpacked().elements());
            return {static_cast<std::uint8_t*>(contents.datap()), words, contents.totalSize() / words};
        }
    }
    return {};
}

// One a place in a group that the search compares.
array lane(VerilatedContext& context, unsigned number, const char* which) {
    return array_at(context, fmt::format("u_list.gen_lane[{}].u_entries.{}.words_q", number, which));
}

// As the register map has them: one of 32 bits a place, bytes at two.
void flip_in_counters(VerilatedContext& context, unsigned place, unsigned bit) {
    const char* const name = place == lost_errors ? "u_errors.lost_q"
                             : place == 0         ? "u_counters.accepted_q"
                             : place == 1         ? "u_counters.mailed_q"
                             : place < 4          ? "u_counters.bytes_q"
                                                  : "u_counters.drops_q";
    const array counter = array_at(context, name);
    if (counter.bytes == nullptr) throw std::logic_error("the counters are not open");
    const unsigned first = place == lost_errors ? lost_errors : place < 2 ? place : place < 4 ? 2 : 4;
    counter.flip(0, bit + 32 * (place - first));
}

}  // namespace

void flip(VerilatedContext& context, const stored_bit& at) {
    if (at.in == stored_bit::memory::packet_buffer) {
        const array words = array_at(context, "u_buffer.u_words.u_ram.words_q");
        if (words.bytes == nullptr) throw std::logic_error("the packet buffer's memory is not open");
        return words.flip(at.word, at.bit);
    }
    if (at.in == stored_bit::memory::counters) return flip_in_counters(context, at.word, at.bit);
    constexpr unsigned data_bits = 256;
    unsigned lanes = 0;
    while (lane(context, lanes, "u_data").bytes != nullptr) ++lanes;
    if (lanes == 0) throw std::logic_error("the memory of BUF_LIST is not open");
    const bool data = at.bit < data_bits;
    lane(context, at.word % lanes, data ? "u_data" : "u_parity").flip(at.word / lanes, at.bit % data_bits);
}

}  // namespace contraflow::nic_rx
