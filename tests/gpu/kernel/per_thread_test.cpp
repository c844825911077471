// SPDX-License-Identifier: Apache-2.0
// Operations on vectors of threads equal those on each element.
#include <gtest/gtest.h>

#include "gpu/kernel/thread_functions.h"

namespace {

using namespace contraflow::gpu;

// Within a wavefront of that width.
class per_thread_values : public testing::TestWithParam<unsigned> {
protected:
    unsigned width() const { return GetParam(); }
    int last() const { return static_cast<int>(width()) - 1; }

private:
    const running_wave wave_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(widths, per_thread_values, testing::Values(32u, 64u), testing::PrintToStringParamName());

per_thread<int> ramp() {
    return per_thread<int>::from([](unsigned i) { return static_cast<int>(i); });
}

TEST_P(per_thread_values, begin_as_zero_and_broadcast) {
    EXPECT_TRUE((per_thread<double>{} == 0.0).all());
    EXPECT_TRUE((per_thread<float>(2) == 2.0).all());
}

TEST_P(per_thread_values, operators_work_element_by_element) {
    const auto x = ramp();
    const auto y = (x * 3 + 7) % 5 - (x >> 1);
    for (unsigned i = 0; i < width(); ++i) {
        const int e = static_cast<int>(i);
        EXPECT_EQ(y[i], (e * 3 + 7) % 5 - (e >> 1));
        EXPECT_EQ((-x)[i], -e);
        EXPECT_EQ((~x)[i], ~e);
        EXPECT_EQ((1 << (x & 7))[i], 1 << (e & 7));
        EXPECT_EQ(((x | 9) ^ x)[i], (e | 9) ^ e);
    }
    auto z = x;
    z += 5;
    z *= x;
    z -= x;
    z /= 2;
    EXPECT_EQ(z[4], (9 * 4 - 4) / 2);
}

TEST_P(per_thread_values, operands_meet_in_their_common_type) {
    static_assert(std::is_same_v<decltype(per_thread<float>{} * 2.0), per_thread<float>>);
    static_assert(std::is_same_v<decltype(per_thread<float>{} * per_thread<double>{}), per_thread<double>>);
    static_assert(std::is_same_v<decltype(per_thread<int>{} * 0.5), per_thread<double>>);
    static_assert(std::is_same_v<decltype(per_thread<std::uint32_t>{} + 1), per_thread<std::uint32_t>>);
    static_assert(std::is_same_v<decltype(per_thread<std::uint32_t>{} + std::uint64_t{1}), per_thread<std::uint64_t>>);
    static_assert(!std::is_convertible_v<per_thread<double>, per_thread<int>>);
    EXPECT_EQ((per_thread<int>(-3) * 0.5)[0], -1.5);
    EXPECT_EQ(per_thread<int>(per_thread<double>(2.75))[width() - 1], 2);
}

TEST_P(per_thread_values, comparisons_give_masks) {
    const auto x = ramp();
    EXPECT_EQ((x < 4).bits(), 0xFu);
    EXPECT_EQ((x >= last() - 1).bits(), mask::bits_type{3} << (width() - 2));
    EXPECT_EQ((x >= 30).count(), width() - 30);
    EXPECT_EQ((x == 3 || x == 5).bits(), 0x28u);
    EXPECT_EQ((x != x).bits(), 0u);
    EXPECT_EQ((x <= 0).count(), 1u);
    EXPECT_EQ((x > 15 && !(x > 16)).lowest(), 16u);
}

TEST_P(per_thread_values, choice_and_masked_assignment) {
    const auto x = ramp();
    const auto y = select(x < 2, x, -1);
    EXPECT_EQ(y[1], 1);
    EXPECT_EQ(y[2], -1);
    auto z = x;
    z.assign(x >= last(), 0);
    EXPECT_EQ(z[width() - 2], last() - 1);
    EXPECT_EQ(z[width() - 1], 0);
}

TEST_P(per_thread_values, functions) {
    const auto x = ramp();
    EXPECT_EQ(min(x, 5)[20], 5);
    EXPECT_EQ(max(x, 5)[20], 20);
    EXPECT_EQ(abs(x - 16)[1], 15);
    EXPECT_EQ(sqrt(per_thread<double>(x))[16], 4.0);
    EXPECT_EQ(map([](int a, int b) { return a * 100L + b; }, x, x)[7], 707L);
}

TEST_P(per_thread_values, reductions_take_only_the_threads_of_the_mask) {
    const auto x = ramp();
    EXPECT_EQ(sum(x), last() * (last() + 1) / 2);
    EXPECT_EQ(max_of(x), last());
    EXPECT_EQ(sum(x, mask(0x14)), 2 + 4);
    EXPECT_EQ(min_of(x, mask(0x30)), 4);
    EXPECT_EQ(max_of(x, mask(0x30)), 5);
    EXPECT_EQ(max_of(x, mask{}), std::numeric_limits<int>::lowest());
    const auto s = exclusive_sum(x, mask(0xF0));
    EXPECT_EQ(s[3], 0);
    EXPECT_EQ(s[4], 0);
    EXPECT_EQ(s[7], 4 + 5 + 6);
}

TEST_P(per_thread_values, shuffles) {
    const auto x = ramp();
    EXPECT_EQ(shuffle(x, last() - x)[0], last());
    EXPECT_EQ(shuffle(x, x - 1)[0], last());  // wraps around at the width
    EXPECT_EQ(shuffle_down(x, 4)[3], 7);
    EXPECT_EQ(shuffle_down(x, 4)[width() - 5], last());
    EXPECT_EQ(shuffle_down(x, 4)[width() - 2], last() - 1);
    EXPECT_EQ(shuffle_up(x, 4)[7], 3);
    EXPECT_EQ(shuffle_up(x, 4)[2], 2);
    EXPECT_EQ(shuffle_xor(x, 1)[6], 7);
}

// What lies above a narrow wavefront is neither computed nor copied.
TEST_P(per_thread_values, end_at_the_width) {
    per_thread<int> x, y;
    if (width() == max_wave_width) return;
    x[width()] = 1;
    y[width()] = 2;
    y = x;
    EXPECT_EQ(y[width()], 2);
    y += 5;
    EXPECT_EQ(y[width()], 2);
}

TEST_P(per_thread_values, sets_of_threads) {
    EXPECT_EQ(mask::everything(), mask::first(width()));
    EXPECT_TRUE(mask::first(width()).all());
    EXPECT_FALSE(mask::first(width() - 1).all());
    EXPECT_EQ((!mask::first(width() - 1)), mask::thread(width() - 1));
    EXPECT_TRUE((!mask::everything()).none());
    EXPECT_EQ(mask::first(3).bits(), 7u);
    EXPECT_EQ(mask(0xF0).count_below(6), 2u);
    EXPECT_EQ(mask{}.lowest(), max_wave_width);
}

TEST(running_wave, is_the_innermost_of_those_that_run) {
    EXPECT_EQ(running_wave::width(), max_wave_width);
    {
        const running_wave outer(32);
        { const running_wave inner(64); }
        EXPECT_EQ(running_wave::width(), 32u);
    }
    EXPECT_EQ(running_wave::width(), max_wave_width);
}

}  // namespace
