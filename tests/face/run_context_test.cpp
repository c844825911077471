// SPDX-License-Identifier: Apache-2.0
#include "face/run/run_context.h"

#include <sstream>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

using contraflow::face::run_context;

TEST(run_context, work_that_ends_is_waited_for_and_throws_what_it_throws) {
    std::ostringstream text;
    run_context context({}, text);
    std::thread::id worker;
    EXPECT_TRUE(context.carry_out([&] { worker = std::this_thread::get_id(); }));
    EXPECT_NE(worker, std::thread::id());
    EXPECT_NE(worker, std::this_thread::get_id());
    EXPECT_THROW(context.carry_out([] { throw std::domain_error("no"); }), std::domain_error);
    EXPECT_FALSE(context.left_work_behind());
}
