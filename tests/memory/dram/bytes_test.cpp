// SPDX-License-Identifier: Apache-2.0
// The parts that move bytes: masks, byte enables, atomic operations, the backing store.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "memory/dram/backing_store.h"
#include "memory/transaction/atomic.h"
#include "memory/transaction/byte_enables.h"

using namespace contraflow;
using namespace contraflow::memory;

namespace {

TEST(byte_mask, is_what_a_loop_over_bytes_says) {
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) {
        const unsigned offset = random() % 128;
        const unsigned length = random() % (129 - offset);
        const byte_mask range = byte_mask::range(offset, length);
        for (unsigned i = 0; i < 128; ++i) ASSERT_EQ(range.has(i), i >= offset && i < offset + length);
        std::array<std::uint8_t, 128> enables{};
        const unsigned count = 1 + random() % 128;
        for (unsigned i = 0; i < count; ++i) enables[i] = random() % 2 == 0 ? 0xff : 0;
        const byte_mask chosen = byte_mask::enabled(offset, length, enables.data(), count);
        for (unsigned i = 0; i < 128; ++i)
            ASSERT_EQ(chosen.has(i), range.has(i) && enables[(i - offset) % count] == 0xff);
        EXPECT_TRUE(range.contains(chosen));
        EXPECT_EQ(chosen.contains(range), chosen == range);
        std::array<std::uint8_t, 128> to{};
        std::array<std::uint8_t, 128> from{};
        std::array<std::uint8_t, 128> written{};
        for (unsigned i = 0; i < 128; ++i) {
            to[i] = static_cast<std::uint8_t>(i);
            from[i] = static_cast<std::uint8_t>(200 - i);
        }
        chosen.copy(to.data(), from.data(), 128);
        chosen.write_enables(written.data(), 128);
        for (unsigned i = 0; i < 128; ++i) {
            ASSERT_EQ(to[i], chosen.has(i) ? 200 - i : i);
            ASSERT_EQ(written[i], chosen.has(i) ? 0xff : 0);
        }
    }
}

TEST(enabled_copy, is_what_a_loop_over_bytes_says) {
    std::mt19937 random(4);
    for (int round = 0; round < 2000; ++round) {
        const unsigned length = 1 + random() % 130;
        const unsigned count = 1 + random() % 140;
        std::array<std::uint8_t, 140> enables{};
        std::array<std::uint8_t, 140> to{};
        std::array<std::uint8_t, 140> from{};
        std::array<std::uint8_t, 140> wanted{};
        for (unsigned i = 0; i < 140; ++i) {
            enables[i] = random() % 2 == 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
            to[i] = wanted[i] = static_cast<std::uint8_t>(random());
            from[i] = static_cast<std::uint8_t>(random());
        }
        for (unsigned i = 0; i < length; ++i)
            if (enables[i % count] != 0) wanted[i] = from[i];
        enabled_copy(to.data(), from.data(), length, enables.data(), count);
        ASSERT_EQ(to, wanted);
    }
}

template <class T> std::pair<T, T> once(atomic_op op, operand_type type, T at_home, T operand, T compare = {}) {
    atomic_request what{op, type, 0};
    std::memcpy(&what.compare, &compare, sizeof compare);
    EXPECT_TRUE(perform(what, reinterpret_cast<std::uint8_t*>(&at_home), reinterpret_cast<std::uint8_t*>(&operand),
                        nullptr, 0, sizeof(T)));
    return {at_home, operand};
}

TEST(atomic, each_operation_changes_the_home_and_returns_what_was_there) {
    using u32 = std::uint32_t;
    EXPECT_EQ(once<u32>(atomic_op::add, operand_type::u32, 5, 7), (std::pair<u32, u32>{12, 5}));
    EXPECT_EQ(once<u32>(atomic_op::add, operand_type::u32, 0xffffffffu, 2), (std::pair<u32, u32>{1, 0xffffffffu}));
    EXPECT_EQ(once<std::int32_t>(atomic_op::add, operand_type::i32, 0x7fffffff, 1).first, -0x7fffffff - 1);
    EXPECT_EQ(once<std::int32_t>(atomic_op::min, operand_type::i32, 3, -4).first, -4);
    EXPECT_EQ(once<u32>(atomic_op::min, operand_type::u32, 3, 0xfffffffcu).first, 3u);
    EXPECT_EQ(once<std::int64_t>(atomic_op::max, operand_type::i64, -9, -4).first, -4);
    EXPECT_EQ(once<float>(atomic_op::add, operand_type::f32, 0.5f, 0.25f), (std::pair{0.75f, 0.5f}));
    EXPECT_EQ(once<double>(atomic_op::max, operand_type::f64, 0.5, 2.25).first, 2.25);
    EXPECT_EQ(once<std::uint64_t>(atomic_op::exchange, operand_type::u64, 1, 2),
              (std::pair<std::uint64_t, std::uint64_t>{2, 1}));
    EXPECT_EQ(once<u32>(atomic_op::bit_and, operand_type::u32, 6, 3).first, 2u);
    EXPECT_EQ(once<u32>(atomic_op::bit_or, operand_type::u32, 6, 3).first, 7u);
    EXPECT_EQ(once<u32>(atomic_op::bit_xor, operand_type::u32, 6, 3).first, 5u);
    EXPECT_EQ(once<u32>(atomic_op::compare_exchange, operand_type::u32, 6, 3, 6), (std::pair<u32, u32>{3, 6}));
    EXPECT_EQ(once<u32>(atomic_op::compare_exchange, operand_type::u32, 6, 3, 5), (std::pair<u32, u32>{6, 6}));
}

TEST(atomic, works_on_several_operands_and_leaves_disabled_ones_alone) {
    std::array<std::uint32_t, 3> home{1, 2, 3};
    std::array<std::uint32_t, 3> data{10, 20, 30};
    std::array<std::uint8_t, 12> enables{};
    std::fill_n(enables.begin(), 4, 0xff);
    std::fill_n(enables.begin() + 8, 4, 0xff);
    ASSERT_TRUE(perform({atomic_op::add, operand_type::u32, 0}, reinterpret_cast<std::uint8_t*>(home.data()),
                        reinterpret_cast<std::uint8_t*>(data.data()), enables.data(), 12, 12));
    EXPECT_EQ(home, (std::array<std::uint32_t, 3>{11, 2, 33}));
    EXPECT_EQ(data, (std::array<std::uint32_t, 3>{1, 20, 3}));
}

TEST(atomic, what_does_not_fit_changes_nothing) {
    std::array<std::uint8_t, 16> home{};
    std::array<std::uint8_t, 16> data{1};
    const auto refused = [&](atomic_request what, unsigned length) {
        return !perform(what, home.data(), data.data(), nullptr, 0, length) && home == std::array<std::uint8_t, 16>{};
    };
    EXPECT_TRUE(refused({atomic_op::add, operand_type::u64, 0}, 12));
    EXPECT_TRUE(refused({atomic_op::bit_or, operand_type::f32, 0}, 4));
    EXPECT_TRUE(refused({atomic_op::compare_exchange, operand_type::u32, 0}, 8));
    EXPECT_TRUE(refused({atomic_op::none, operand_type::u32, 0}, 4));
}

TEST(backing_store, is_zero_until_written_and_takes_room_for_what_is_written) {
    backing_store store(std::uint64_t{3} << 32, {std::uint64_t{16} << 30});
    std::array<std::uint8_t, 300> bytes{};
    bytes.fill(9);
    const std::uint64_t edge = store.base() + 5 * backing_store::page_bytes - 100;
    store.read(edge, bytes.data(), bytes.size());
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 300>{}));
    EXPECT_EQ(store.pages_in_use(), 0u);
    for (unsigned i = 0; i < 300; ++i) bytes[i] = static_cast<std::uint8_t>(i);
    store.write(edge, bytes.data(), bytes.size());
    EXPECT_EQ(store.pages_in_use(), 2u);
    std::array<std::uint8_t, 300> back{};
    store.read(edge, back.data(), back.size());
    EXPECT_EQ(back, bytes);
    EXPECT_EQ(*store.at(edge + 150), 150);
    EXPECT_TRUE(store.contains(store.base(), store.size()));
    EXPECT_FALSE(store.contains(store.base() - 1, 1));
    EXPECT_FALSE(store.contains(store.base() + store.size() - 1, 2));
    EXPECT_FALSE(store.contains(store.base() + 1, ~std::uint64_t{0}));
}

}  // namespace
