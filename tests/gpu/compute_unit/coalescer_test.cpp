// SPDX-License-Identifier: Apache-2.0
// Threads are joined to the fewest line requests, and every thread's bytes go where they belong.
#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "gpu/compute_unit/coalescer.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;

wave_access make(access_kind kind, unsigned bytes, const std::function<std::uint64_t(unsigned)>& address,
                 mask active = mask::first(default_wave_width)) {
    wave_access a;
    a.kind = kind;
    a.element_bytes = static_cast<std::uint8_t>(bytes);
    a.active = active;
    for (unsigned i = 0; i < default_wave_width; ++i) a.address[i] = address(i);
    for (unsigned i = 0; i < a.data.size(); ++i) a.data[i] = static_cast<std::uint8_t>(i + 1);
    return a;
}

std::vector<line_request> all_lines(const wave_access& a, std::uint64_t line = 128) {
    std::vector<line_request> out;
    for (mask left = a.active; left.any(); left &= !out.back().threads) out.push_back(next_line(a, left, line));
    return out;
}

TEST(coalescer, neighbours_share_lines) {
    const auto words = all_lines(make(access_kind::load, 4, [](unsigned i) { return 0x1000 + 4 * i; }));
    ASSERT_EQ(words.size(), 1u);
    EXPECT_EQ(words[0].address, 0x1000u);
    EXPECT_EQ(words[0].length, 128u);
    EXPECT_TRUE(words[0].dense);
    const auto doubles = all_lines(make(access_kind::load, 8, [](unsigned i) { return 0x1040 + 8 * i; }));
    ASSERT_EQ(doubles.size(), 3u);  // not aligned to lines
    EXPECT_EQ(doubles[0].length, 64u);
    EXPECT_EQ(doubles[1].length, 128u);
    EXPECT_EQ(doubles[2].length, 64u);
    EXPECT_EQ(all_lines(make(access_kind::load, 4, [](unsigned i) { return 0x1000 + 4 * i; }), 64).size(), 2u);
}

TEST(coalescer, joins_the_threads_of_a_wide_wavefront) {
    const auto apart = [](unsigned bytes) {
        wave_access a;
        a.element_bytes = 4;
        a.active = mask::first(64);
        for (unsigned i = 0; i < 64; ++i) a.address[i] = 0x1000 + bytes * i;
        return all_lines(a);
    };
    const auto words = apart(4);
    ASSERT_EQ(words.size(), 2u);
    EXPECT_EQ(words[1].address, 0x1080u);
    EXPECT_EQ(words[1].threads.lowest(), 32u);
    EXPECT_TRUE(words[1].dense);
    EXPECT_EQ(apart(0).size(), 1u);
    EXPECT_EQ(apart(0)[0].threads.count(), 64u);
    EXPECT_EQ(apart(128).size(), 64u);
}

TEST(coalescer, order_and_repetition_within_a_line_cost_nothing) {
    EXPECT_EQ(all_lines(make(access_kind::load, 4, [](unsigned i) { return 0x1000 + 4 * (31 - i); })).size(), 1u);
    const auto same = all_lines(make(access_kind::load, 8, [](unsigned) { return 0x1018; }));
    ASSERT_EQ(same.size(), 1u);
    EXPECT_EQ(same[0].address, 0x1018u);
    EXPECT_EQ(same[0].length, 8u);
}

TEST(coalescer, scattered_threads_take_a_line_each) {
    EXPECT_EQ(all_lines(make(access_kind::load, 4, [](unsigned i) { return 0x1000 + 128 * i; })).size(), 32u);
    EXPECT_EQ(all_lines(make(access_kind::load, 4, [](unsigned i) { return 0x1000 + 64 * i; })).size(), 16u);
}

TEST(coalescer, threads_that_are_not_active_ask_for_nothing) {
    const auto r = all_lines(make(
        access_kind::load, 4, [](unsigned i) { return 0x1000 + 4 * i; }, mask(0xF0)));
    ASSERT_EQ(r.size(), 1u);
    EXPECT_EQ(r[0].address, 0x1010u);
    EXPECT_EQ(r[0].length, 16u);
    EXPECT_TRUE(all_lines(make(
                              access_kind::load, 4, [](unsigned) { return 0u; }, mask{}))
                    .empty());
}

TEST(coalescer, atomics_have_each_element_once_a_request) {
    const auto same = all_lines(make(access_kind::atomic, 4, [](unsigned) { return 0x1000; }));
    ASSERT_EQ(same.size(), 32u);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(same[i].threads, mask::thread(i));
    EXPECT_EQ(all_lines(make(access_kind::atomic, 4, [](unsigned i) { return 0x1000 + 4 * i; })).size(), 1u);
    EXPECT_EQ(all_lines(make(access_kind::atomic, 8, [](unsigned i) { return 0x1000 + 8 * (i % 4); })).size(), 8u);
    wave_access cas = make(access_kind::atomic, 4, [](unsigned i) { return 0x1000 + 4 * i; });
    cas.op = memory::atomic_op::compare_exchange;
    EXPECT_EQ(all_lines(cas).size(), 32u);
}

TEST(coalescer, bytes_of_stores_land_where_they_belong_and_only_they_are_enabled) {
    memory::payload_pool pool;
    wave_access a = make(
        access_kind::store, 2, [](unsigned i) { return 0x1000 + 6 * (i % 10); }, mask::first(20));
    const auto r = all_lines(a);
    ASSERT_EQ(r.size(), 1u);
    memory::payload& p = pool.take();
    fill_payload(p, 0x5000, a, r[0]);
    EXPECT_TRUE(p.is_write());
    EXPECT_EQ(p.get_address(), 0x5000u);
    ASSERT_EQ(p.get_data_length(), 9u * 6 + 2);
    ASSERT_NE(p.get_byte_enable_ptr(), nullptr);
    for (unsigned k = 0; k < p.get_data_length(); ++k) {
        EXPECT_EQ(p.get_byte_enable_ptr()[k] == TLM_BYTE_ENABLED, k % 6 < 2) << k;
        // If two threads store to one element, the higher thread's value stays.
        if (k % 6 < 2) { EXPECT_EQ(p.get_data_ptr()[k], (10 + k / 6) * 2 + k % 6 + 1) << k; }
    }
    p.release();
}

TEST(coalescer, a_store_without_holes_needs_no_byte_enables) {
    memory::payload_pool pool;
    memory::payload& p = pool.take();
    const wave_access backwards = make(access_kind::store, 4, [](unsigned i) { return 0x1000 + 4 * (31 - i); });
    fill_payload(p, 0x5000, backwards, next_line(backwards, backwards.active, 128));
    EXPECT_EQ(p.get_byte_enable_ptr(), nullptr);
    EXPECT_EQ(p.get_data_ptr()[0], 31 * 4 + 1);
    p.release();
}

TEST(coalescer, what_comes_back_reaches_its_threads) {
    memory::payload_pool pool;
    for (const bool dense : {true, false}) {
        wave_access a = make(access_kind::load, 4, [&](unsigned i) { return 0x1000 + (dense ? 4 * i : 8 * (i % 16)); });
        const line_request r = next_line(a, a.active, 128);
        EXPECT_EQ(r.dense, dense);
        memory::payload& p = pool.take();
        fill_payload(p, 0x7000, a, r);
        EXPECT_TRUE(p.is_read());
        for (unsigned k = 0; k < p.get_data_length(); ++k) p.get_data_ptr()[k] = static_cast<std::uint8_t>(200 - k);
        a.data = {};
        take_data(p, a, r);
        for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(a.data_of(i)[1], 200 - (dense ? 4 * i : 8 * (i % 16)) - 1);
        p.release();
    }
}

// What find_range() tells saves work and changes no request.
TEST(coalescer, a_known_range_changes_no_request) {
    std::mt19937_64 random(7);
    unsigned in_row = 0;
    for (int n = 0; n < 20'000; ++n) {
        wave_access a;
        a.kind = std::array{access_kind::load, access_kind::store, access_kind::atomic}[random() % 3];
        a.op = random() % 2 == 0 ? memory::atomic_op::compare_exchange : memory::atomic_op::add;
        a.element_bytes = static_cast<std::uint8_t>(1u << random() % 4);
        const unsigned first = random() % 64, count = 1 + random() % (64 - first);
        a.active = mask(mask::first(count).bits() << first);
        if (random() % 3 == 0) a.active &= mask(random() | mask::thread(first).bits());
        const std::uint64_t base = 0x10000 + random() % 512 * (random() % 8 == 0 ? 1 : a.element_bytes);
        const std::uint64_t stride = random() % 4 == 0 ? random() % 40 : a.element_bytes;
        const std::uint64_t odd = random() % 64;
        for (unsigned i = 0; i < a.address.size(); ++i) a.address[i] = base + i * stride;
        if (random() % 3 == 0) a.address[odd] += a.element_bytes;
        const std::uint64_t line = 64u << random() % 2;
        const auto unknown = all_lines(a, line);
        const mask some = a.active & mask(random() | mask::thread(a.active.lowest()).bits());
        const line_request of_some = next_line(a, some, line);
        find_range(a);
        const line_request same = next_line(a, some, line);
        ASSERT_EQ(same.threads, of_some.threads);
        ASSERT_EQ(same.length, of_some.length);
        ASSERT_EQ(same.dense, of_some.dense);
        in_row += a.in_row ? 1 : 0;
        const auto known = all_lines(a, line);
        ASSERT_EQ(known.size(), unknown.size());
        for (std::size_t i = 0; i < known.size(); ++i) {
            ASSERT_EQ(known[i].threads, unknown[i].threads);
            ASSERT_EQ(known[i].address, unknown[i].address);
            ASSERT_EQ(known[i].length, unknown[i].length);
            ASSERT_EQ(known[i].dense, unknown[i].dense);
            ASSERT_EQ(known[i].misaligned, unknown[i].misaligned);
        }
        std::uint64_t low = ~std::uint64_t{0}, high = 0;
        for (mask m = a.active; m.any(); m = m.without_lowest()) {
            low = std::min(low, a.address[m.lowest()]);
            high = std::max(high, a.address[m.lowest()] + a.element_bytes);
        }
        ASSERT_EQ(a.begin, low);
        ASSERT_EQ(a.end, high);
    }
    EXPECT_GT(in_row, 3000u);
    EXPECT_LT(in_row, 17'000u);
}

}  // namespace
