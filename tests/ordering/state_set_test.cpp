// SPDX-License-Identifier: Apache-2.0
#include "ordering/model/state_set.h"

#include <array>

#include <gtest/gtest.h>

using contraflow::ordering::model::state_set;
using contraflow::ordering::model::state_word;

// More states than a block and a table have at first; words that differ in one bit only, in either word.
TEST(state_set, keeps_each_state_once_and_numbers_them_in_order) {
    constexpr state_word count = 50'000;
    state_set set(2);
    const auto state = [](state_word i) { return std::array<state_word, 2>{i << 40, i % 2 == 0 ? i : ~i}; };
    for (int again = 0; again < 2; ++again)
        for (state_word i = 0; i < count; ++i) ASSERT_EQ(set.add(state(i).data()), again == 0) << i;
    ASSERT_EQ(set.size(), count);
    for (state_word i = 0; i < count; ++i) {
        ASSERT_EQ(set[static_cast<state_set::number>(i)][0], state(i)[0]);
        ASSERT_EQ(set[static_cast<state_set::number>(i)][1], state(i)[1]);
    }
}

// Equal hashes are no equal states.
TEST(state_set, tells_states_of_the_same_hash_apart) {
    state_set set(1);
    for (state_word i = 0; i < 100; ++i) EXPECT_TRUE(set.add(&i, 7));
    for (state_word i = 0; i < 100; ++i) EXPECT_FALSE(set.add(&i, 7));
    EXPECT_EQ(set.size(), 100u);
}
