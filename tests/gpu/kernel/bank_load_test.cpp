// SPDX-License-Identifier: Apache-2.0
// How long the banks of a scratchpad take for accesses whose answer is known, and for random ones counted otherwise.
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "gpu/kernel/bank_load.h"

namespace {

using namespace contraflow::gpu;

using places = per_thread<std::uint32_t>;

places apart(unsigned bytes) {
    return places::from([&](unsigned i) { return i * bytes; });
}

TEST(bank_load, grows_with_the_common_divisor_of_stride_and_banks) {
    for (const unsigned width : {32u, 64u}) {
        const running_wave wave(width);
        const auto all = mask::everything();
        const unsigned rounds = width / 32;  // of the banks, by words side by side
        EXPECT_EQ(load_of_banks(apart(4), all, 4, 32), (bank_load{rounds, rounds}));
        EXPECT_EQ(load_of_banks(apart(8), all, 4, 32), (bank_load{2 * rounds, rounds}));
        EXPECT_EQ(load_of_banks(apart(12), all, 4, 32), (bank_load{rounds, rounds}));
        EXPECT_EQ(load_of_banks(apart(32 * 4), all, 4, 32), (bank_load{width, rounds}));
        EXPECT_EQ(load_of_banks(apart(33 * 4), all, 4, 32), (bank_load{rounds, rounds}));
        EXPECT_EQ(load_of_banks(apart(8), all, 8, 32), (bank_load{2 * rounds, 2 * rounds}));  // two words a thread
        EXPECT_EQ(load_of_banks(apart(4), all, 4, 64), (bank_load{1, 1}));
        EXPECT_EQ(load_of_banks(apart(32 * 4), all, 4, 64), (bank_load{width / 2, width / 64 + width % 64 / 32}));
    }
}

TEST(bank_load, threads_that_name_the_same_word_share_it) {
    const running_wave wave(32);
    EXPECT_EQ(load_of_banks(places(128), mask::everything(), 4, 32), (bank_load{1, 1}));
    EXPECT_EQ(load_of_banks(apart(1), mask::everything(), 1, 32), (bank_load{1, 1}));  // four bytes a word
    EXPECT_EQ(load_of_banks(apart(2), mask::everything(), 2, 32), (bank_load{1, 1}));
    const auto two = places::from([](unsigned i) { return i % 2 * 128; });  // of the same bank
    EXPECT_EQ(load_of_banks(two, mask::everything(), 4, 32), (bank_load{2, 1}));
    EXPECT_EQ(load_of_banks(two, mask(0x55555555), 4, 32), (bank_load{1, 1}));
    EXPECT_EQ(load_of_banks(two, mask(), 4, 32), (bank_load{0, 0}));
}

TEST(bank_load, is_what_sets_of_words_say) {
    std::mt19937_64 draw(1);
    for (unsigned round = 0; round < 2000; ++round) {
        const running_wave wave(round % 2 == 0 ? 32 : 64);
        const unsigned bytes = 1u << draw() % 4, banks = 1u << draw() % 7, range = 1u << draw() % 10;
        const auto at = places::from([&](unsigned) { return static_cast<std::uint32_t>(draw() % range * bytes); });
        const mask threads = mask(draw()) & mask::everything();
        std::map<std::uint32_t, std::set<std::uint32_t>> words;
        for (mask left = threads; left.any(); left = left.without_lowest())
            for (unsigned byte = 0; byte < bytes; ++byte) {
                const std::uint32_t word = (at[left.lowest()] + byte) / 4;
                words[word % banks].insert(word);
            }
        std::size_t most = 0, all = 0;
        for (const auto& [bank, of_bank] : words) {
            most = std::max(most, of_bank.size());
            all += of_bank.size();
        }
        const bank_load found = load_of_banks(at, threads, bytes, banks);
        ASSERT_EQ(found.cycles, most) << round;
        ASSERT_EQ(found.least, (all + banks - 1) / banks) << round;
    }
}

}  // namespace
