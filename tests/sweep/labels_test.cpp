// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/labels.h"

namespace contraflow::sweep {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(labels, plain_numbers_have_no_unit) {
    const auto n = as_numbers({"1", "2.5", "-3e2"});
    ASSERT_TRUE(n);
    EXPECT_EQ(n->unit, "");
    EXPECT_THAT(n->numbers, ElementsAre(1, 2.5, -300));
}

TEST(labels, of_one_unit_keep_it) {
    const auto n = as_numbers({"1000cycles", "5000 cycles"});
    ASSERT_TRUE(n);
    EXPECT_EQ(n->unit, "cycles");
    EXPECT_THAT(n->numbers, ElementsAre(1000, 5000));
    EXPECT_EQ(as_numbers({"8GB/s", "16GB/s"})->unit, "GB/s");
}

TEST(labels, of_several_units_are_counted_in_the_smallest) {
    const auto sizes = as_numbers({"1MiB", "512KiB", "0"});
    ASSERT_TRUE(sizes);
    EXPECT_EQ(sizes->unit, "KiB");
    EXPECT_THAT(sizes->numbers, ElementsAre(1024, 512, 0));
    const auto times = as_numbers({"1us", "250ns"});
    ASSERT_TRUE(times);
    EXPECT_EQ(times->unit, "ns");
    EXPECT_THAT(times->numbers, ElementsAre(1000, 250));
    EXPECT_THAT(as_numbers({"1.5GHz", "800MHz"})->numbers, ElementsAre(DoubleEq(1500), DoubleEq(800)));
}

TEST(labels, that_are_not_all_numbers_of_a_kind_are_texts) {
    EXPECT_FALSE(as_numbers({"1", "two"}));
    EXPECT_FALSE(as_numbers({"bfs"}));
    EXPECT_FALSE(as_numbers({"1KiB", "5cycles"}));
    EXPECT_FALSE(as_numbers({"8x", "16x"})) << "no unit of ours";
    EXPECT_FALSE(as_numbers({"1", ""}));
    EXPECT_FALSE(as_numbers({}));
}

}  // namespace
}  // namespace contraflow::sweep
