// SPDX-License-Identifier: Apache-2.0
// The Verilated cf_nic_rx behind plain values. A cycle is drive(), perhaps more than once, then edge(): outputs have
// the cycle's values after drive(). clock() does both; the outputs then are those of the cycle that begins, but for the
// answer to a command and the core's bus, which depend on the inputs of their cycle. It is one evaluation if the
// cycle's inputs were expected. Data of a port have a meaning while it is valid. A failed assertion of the RTL ends the
// program with its name.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "nic_rx/stored_bit.h"

namespace contraflow::wave {
class wave_file;
}

namespace contraflow::nic_rx {

inline constexpr unsigned word_bytes = 16;
inline constexpr unsigned most_beats = 256;  // of a write
using word = std::array<std::uint8_t, word_bytes>;

// Whether two structures without padding are the same: they are compared in most cycles.
template <class T> bool same(const T& a, const T& b) {
    static_assert(std::has_unique_object_representations_v<T>);
    return std::memcmp(&a, &b, sizeof a) == 0;
}

// Inputs that are the same in most cycles.
struct seldom_inputs {
    std::uint16_t node = 0;  // x 4:0, y 9:5, z 14:10
    std::uint8_t max_payload = 0;
    bool by_core = false;
    bool soft_reset = false, pause = false;
    bool table_ready = false, entry_valid = false;
    bool message_ready = false, error_ready = false, task_ready = false;
    bool psel = false, penable = false, pwrite = false;
    bool transmit_irq = false;
    bool command_valid = false, consumed_valid = false;
    std::uint8_t command_opcode = 0;
    std::uint16_t command_index = 0, consumed_ring = 0, paddr = 0;
    std::uint32_t consumed_count = 0, pwdata = 0;
    std::uint64_t entry = 0;
    std::array<std::uint32_t, 8> command_data{};
    bool operator==(const seldom_inputs& other) const { return same(*this, other); }
};

struct word_inputs {
    bool in_valid = false, in_last = false, in_null = false;
    word in_data{};
    bool operator==(const word_inputs& other) const { return same(*this, other); }
};

struct write_inputs {
    bool dma_ready = false;
    bool ack_valid = false;
    std::uint8_t ack_tag = 0;
    bool operator==(const write_inputs& other) const { return same(*this, other); }
};

struct inputs : seldom_inputs, word_inputs, write_inputs {
    bool rst_n = true;
};

struct outputs {
    bool resetting = false, idle = false, quiet = false, calm = false;
    bool in_ready = false;
    bool dma_valid = false, dma_last = false;
    std::uint8_t dma_kind = 0, dma_space = 0;
    std::uint64_t dma_address = 0;
    std::uint16_t dma_token = 0, dma_packet = 0, dma_strobe = 0;
    std::uint8_t dma_tag = 0;
    word dma_data{};
    bool table_valid = false;
    std::uint64_t table_address = 0;
    bool message_valid = false;
    std::uint16_t message_packet = 0;
    std::array<word, 2> message_words{};
    bool error_valid = false;
    std::uint16_t error_packet = 0, error_process = 0, error_tag = 0, error_source = 0;
    std::uint8_t error_reason = 0;
    std::uint32_t errors_lost = 0;
    bool command_ready = false;
    std::uint32_t command_answer = 0;
    std::uint32_t prdata = 0;
    bool pready = false, pslverr = false, irq = false;
    bool task_valid = false;
    std::array<word, 2> task_words{};
    std::uint64_t table_segment = 0;
    bool operator==(const outputs&) const = default;
};

// Builds of the block: with its default parameters, the same without assertions, and with as little of everything as it
// allows.
enum class build : std::uint8_t { usual, plain, smallest };

class nic_rx_block {
public:
    virtual ~nic_rx_block() = default;
    virtual void drive(const inputs& in) = 0;
    virtual void edge() = 0;
    // `expected`: of the next cycle, whose inputs may be others.
    virtual void clock(const inputs& in, const inputs& expected) = 0;
    // Cycles in which words enter, if `in` has one, and beats of a write leave, if it is ready for them. `words` are
    // those behind that of `in`, one a cycle; `in` then has the inputs of the cycle that has begun. Beats that the
    // cycles show are added to `bytes`. It ends before a cycle whose word is the last one or is not taken, and after an
    // edge that shows a read of a table, a drop, a message or the last beat of a write. The number of edges.
    virtual unsigned stream(unsigned cycles, inputs& in, std::span<const std::uint8_t> words,
                            std::vector<std::uint8_t>& bytes) = 0;
    // Between two edges; what reads it in this cycle may still show it as it was. Not of `plain`, in which nothing
    // is open.
    virtual void flip(const stored_bit& at) = 0;
    const outputs& out() const { return out_; }
    // Edges of stream() in calm cycles (calm_cycles.inc): of words, of beats, of both. None but in `plain`.
    struct calm_edges {
        std::uint64_t words = 0, beats = 0, both = 0;
    };
    const calm_edges& calm() const { return calm_; }

    // Copies the bytes that a beat of a write has, of a word; how many they are.
    static std::size_t add_beat(std::uint8_t* to, const void* data, std::uint16_t strobe) {
        if (strobe == 0xffff) {
            std::memcpy(to, data, word_bytes);
            return word_bytes;
        }
        const auto count = static_cast<std::size_t>(std::popcount(strobe));
        if (count != 0) std::memcpy(to, static_cast<const std::uint8_t*>(data) + std::countr_zero(strobe), count);
        return count;
    }

protected:
    outputs out_;
    calm_edges calm_;
};

std::unique_ptr<nic_rx_block> make_nic_rx_block(build b);
// With all its signals in the file, under that name, scopes with spaces between; `plain` is shown by `usual`, whose
// registers are the same.
std::unique_ptr<nic_rx_block> make_nic_rx_block(build b, wave::wave_file& file, const std::string& name);

}  // namespace contraflow::nic_rx
