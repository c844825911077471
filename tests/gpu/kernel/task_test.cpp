// SPDX-License-Identifier: Apache-2.0
// Coroutines of a coroutine stack: nesting, results, exceptions, and that nothing of them is left at the end.
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "gpu/kernel/task.h"

namespace {

using namespace contraflow::gpu;

// Waits until the test resumes the coroutine stack.
struct outside {
    bool await_ready() const noexcept { return false; }
    template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) { h.promise().on().wait_in(h); }
    void await_resume() const noexcept {}
};

task<int> twice(int x) {
    co_await outside{};
    co_return 2 * x;
}

task<> fill(std::string& log, int depth) {
    log += "<";
    if (depth > 0) co_await fill(log, depth - 1);
    co_await outside{};
    log += ">";
}

TEST(task, begins_when_resumed_and_ends_once_all_it_awaits_has) {
    std::string log;
    coroutine_stack s;
    fill(log, 2).start_on(s);
    EXPECT_EQ(log, "");
    s.resume();
    EXPECT_EQ(log, "<<<");
    s.resume();
    EXPECT_EQ(log, "<<<>");
    s.resume();
    EXPECT_FALSE(s.finished());
    s.resume();
    EXPECT_EQ(log, "<<<>>>");
    EXPECT_TRUE(s.finished());
}

TEST(task, gives_values_back) {
    int result = 0;
    auto body = [](int& out) -> task<> { out = co_await twice(20) + co_await twice(1); };
    coroutine_stack s;
    body(result).start_on(s);
    while (!s.finished()) s.resume();
    EXPECT_EQ(result, 42);
}

TEST(task, values_may_be_movable_only) {
    auto make = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    int seen = 0;
    auto body = [&]() -> task<> { seen = *co_await make(); };
    coroutine_stack s;
    body().start_on(s);
    s.resume();
    EXPECT_EQ(seen, 7);
}

task<int> fails(int depth) {
    co_await outside{};
    if (depth == 0) throw std::runtime_error("at the bottom");
    co_return co_await fails(depth - 1);
}

TEST(task, exceptions_pass_through_every_level) {
    coroutine_stack s;
    auto body = []() -> task<> { co_await fails(3); };
    body().start_on(s);
    while (!s.finished()) s.resume();
    ASSERT_TRUE(s.error());
    EXPECT_THROW(std::rethrow_exception(s.error()), std::runtime_error);
}

TEST(task, an_exception_may_be_caught_where_it_is_awaited) {
    std::string said;
    auto body = [&]() -> task<> {
        try {
            co_await fails(2);
        } catch (const std::runtime_error& e) { said = e.what(); }
        co_await outside{};
    };
    coroutine_stack s;
    body().start_on(s);
    while (!s.finished()) s.resume();
    EXPECT_FALSE(s.error());
    EXPECT_EQ(said, "at the bottom");
}

task<> nothing() { co_return; }

TEST(task, a_million_awaits_do_not_deepen_the_stack) {
    auto body = []() -> task<> {
        for (int i = 0; i < 1'000'000; ++i) co_await nothing();
    };
    coroutine_stack s;
    body().start_on(s);
    s.resume();
    EXPECT_TRUE(s.finished());
}

TEST(task, what_is_dropped_in_mid_life_is_destroyed_at_every_level) {
    auto held = std::make_shared<int>(0);
    auto inner = [](std::shared_ptr<int> mine) -> task<> {
        co_await outside{};
        ++*mine;
    };
    auto body = [&](std::shared_ptr<int> mine) -> task<> {
        co_await inner(mine);
        ++*mine;
    };
    {
        coroutine_stack s;
        body(held).start_on(s);
        s.resume();
        EXPECT_GE(held.use_count(), 3);
    }
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(*held, 0);
    { auto never_started = body(held); }
    EXPECT_EQ(held.use_count(), 1);
}

TEST(task, a_finished_coroutine_stack_may_begin_another) {
    coroutine_stack s;
    for (int i = 0; i < 3; ++i) {
        nothing().start_on(s);
        EXPECT_FALSE(s.finished());
        s.resume();
        EXPECT_TRUE(s.finished());
    }
}

TEST(frame_pool, frames_come_back) {
    frame_pool pool;
    void* a = pool.take(1000);
    pool.give_back(a, 1000);
    void* b = pool.take(990);
    EXPECT_TRUE(a == b || !frames_are_reused);
    pool.give_back(b, 990);
    void* large = pool.take(1 << 20);
    pool.give_back(large, 1 << 20);
}

}  // namespace
