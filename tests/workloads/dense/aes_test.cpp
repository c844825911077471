// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workloads/check.h"
#include "workloads/dense/aes256.h"

namespace contraflow::workloads_test {
namespace {

TEST(aes, is_right_and_seen_when_wrong) {
    check("name: aes\nblocks: 200\nblock: 64\nper_thread: 2\n", {1});
    check("name: aes\nblocks: 1\n", {1});
}

using namespace workloads;

// FIPS-197: A.3 expands this key, C.3 encrypts under the other one.
TEST(aes256, key_schedule_is_that_of_the_standard) {
    const auto s = aes256::expand(
        {0x603deb10, 0x15ca71be, 0x2b73aef0, 0x857d7781, 0x1f352c07, 0x3b6108d7, 0x2d9810a3, 0x0914dff4});
    EXPECT_EQ(s[7], 0x0914dff4u);
    EXPECT_EQ(s[8], 0x9ba35411u);
    EXPECT_EQ(s[12], 0xa8b09c1au);
    EXPECT_EQ(s[59], 0x706c631eu);
}

TEST(aes256, encrypts_as_the_standard_does) {
    const auto s = aes256::expand(
        {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f, 0x10111213, 0x14151617, 0x18191a1b, 0x1c1d1e1f});
    EXPECT_EQ(aes256::encrypt({0x00112233, 0x44556677, 0x8899aabb, 0xccddeeff}, s),
              (aes256::block{0x8ea2b7ca, 0x516745bf, 0xeafc4990, 0x4b496089}));
}

// SP 800-38A, F.1.5: four blocks under the key of A.3.
TEST(aes256, encrypts_as_the_modes_of_operation_show) {
    const auto s = aes256::expand(
        {0x603deb10, 0x15ca71be, 0x2b73aef0, 0x857d7781, 0x1f352c07, 0x3b6108d7, 0x2d9810a3, 0x0914dff4});
    EXPECT_EQ(aes256::encrypt({0x6bc1bee2, 0x2e409f96, 0xe93d7e11, 0x7393172a}, s),
              (aes256::block{0xf3eed1bd, 0xb5d2a03c, 0x064b5a7e, 0x3db181f8}));
    EXPECT_EQ(aes256::encrypt({0xae2d8a57, 0x1e03ac9c, 0x9eb76fac, 0x45af8e51}, s),
              (aes256::block{0x591ccb10, 0xd410ed26, 0xdc5ba74a, 0x31362870}));
}

TEST(aes256, substitution_is_that_of_the_standard) {
    EXPECT_EQ(aes256::s_box()[0x00], 0x63);
    EXPECT_EQ(aes256::s_box()[0x53], 0xed);
    EXPECT_EQ(aes256::s_box()[0xff], 0x16);
    EXPECT_EQ(aes256::product(0x57, 0x83), 0xc1);
}

}  // namespace
}  // namespace contraflow::workloads_test
