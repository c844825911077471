// SPDX-License-Identifier: Apache-2.0
#include "workloads/dense/aes256.h"

#include <bit>

namespace contraflow::workloads::aes256 {
namespace {

constexpr std::uint8_t byte_of(std::uint32_t word, unsigned i) {
    return static_cast<std::uint8_t>(word >> (24 - 8 * i));
}

std::uint32_t substituted(std::uint32_t word) {
    std::uint32_t out = 0;
    for (unsigned i = 0; i < 4; ++i) out = out << 8 | s_box()[byte_of(word, i)];
    return out;
}

// Row r of the state is byte r of each word; a word is a column.
block with_rows_shifted(const block& state) {
    block out{};
    for (unsigned column = 0; column < block_words; ++column)
        for (unsigned row = 0; row < 4; ++row)
            out[column] = out[column] << 8 | byte_of(state[(column + row) % block_words], row);
    return out;
}

std::uint32_t mixed(std::uint32_t column) {
    std::uint32_t out = 0;
    for (unsigned row = 0; row < 4; ++row) {
        const auto a = [&](unsigned k) { return byte_of(column, (row + k) % 4); };
        out = out << 8 | static_cast<std::uint32_t>(product(2, a(0)) ^ product(3, a(1)) ^ a(2) ^ a(3));
    }
    return out;
}

std::array<std::uint8_t, 256> make_s_box() {
    std::array<std::uint8_t, 256> box{};
    for (unsigned x = 0; x < box.size(); ++x) {
        std::uint8_t inverse = 0;
        for (unsigned y = 1; y < box.size(); ++y)
            if (product(static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)) == 1)
                inverse = static_cast<std::uint8_t>(y);
        std::uint8_t out = 0x63;
        for (int turn = 0; turn <= 4; ++turn) out = static_cast<std::uint8_t>(out ^ std::rotl(inverse, turn));
        box[x] = out;
    }
    return box;
}

}  // namespace

std::uint8_t product(std::uint8_t a, std::uint8_t b) {
    std::uint8_t sum = 0;
    for (; b != 0; b = static_cast<std::uint8_t>(b >> 1)) {
        if ((b & 1) != 0) sum = static_cast<std::uint8_t>(sum ^ a);
        a = static_cast<std::uint8_t>(a << 1 ^ ((a & 0x80) != 0 ? 0x1b : 0));
    }
    return sum;
}

const std::array<std::uint8_t, 256>& s_box() {
    static const auto box = make_s_box();
    return box;
}

schedule expand(const key& k) {
    schedule w{};
    std::uint8_t constant = 1;
    for (unsigned i = 0; i < schedule_words; ++i) {
        if (i < k.size()) {
            w[i] = k[i];
            continue;
        }
        std::uint32_t t = w[i - 1];
        if (i % k.size() == 0) {
            t = substituted(std::rotl(t, 8)) ^ std::uint32_t{constant} << 24;
            constant = product(constant, 2);
        } else if (i % k.size() == 4) {
            t = substituted(t);
        }
        w[i] = w[i - k.size()] ^ t;
    }
    return w;
}

block encrypt(const block& plain, const schedule& s) {
    block state = plain;
    const auto add_key = [&](unsigned round) {
        for (unsigned i = 0; i < block_words; ++i) state[i] ^= s[round * block_words + i];
    };
    add_key(0);
    for (unsigned round = 1; round <= rounds; ++round) {
        for (auto& word : state) word = substituted(word);
        state = with_rows_shifted(state);
        if (round != rounds)
            for (auto& word : state) word = mixed(word);
        add_key(round);
    }
    return state;
}

}  // namespace contraflow::workloads::aes256
