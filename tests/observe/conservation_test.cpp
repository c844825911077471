// SPDX-License-Identifier: Apache-2.0
#include "observe/conservation.h"

#include <gtest/gtest.h>

namespace contraflow::observe {
namespace {

TEST(conservation, holds_while_every_check_holds) {
    conservation c;
    EXPECT_TRUE(c.held());
    c.check("bytes", "B", 4096, 4096);
    EXPECT_TRUE(c.held());
    c.check("credits", "credits", 12, 11);
    c.check("TLPs", "TLPs", 3, 3);
    EXPECT_FALSE(c.held());
    ASSERT_EQ(c.checks().size(), 3u);
    EXPECT_EQ(c.checks()[1].name, "credits");
    EXPECT_FALSE(c.checks()[1].held());
    EXPECT_TRUE(c.checks()[2].held());
}

}  // namespace
}  // namespace contraflow::observe
