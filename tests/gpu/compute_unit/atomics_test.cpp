// SPDX-License-Identifier: Apache-2.0
// Atomic operations on every type, on every machine: the value in memory and the value returned.
#include <vector>

#include <gtest/gtest.h>

#include "gpu/any_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::any_machine;
using gpu::testing::kind;

template <class T> class atomics : public ::testing::Test {};
using atomic_types = ::testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(atomics, atomic_types);

TYPED_TEST(atomics, act_on_the_element_and_give_the_old_value) {
    for (const kind k : {kind::ideal, kind::timed, kind::timed_and_tiny, kind::whole}) {
        using t = TypeParam;
        any_machine machine(k);
        device_memory& memory = machine.system().memory();
        auto x = memory.upload(std::vector<t>{10, 10, 10, 10, 10});
        auto old = memory.allocate<t>(32 * 5);
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch(
                {"atomics", 1, 32, [=](wave w) -> kernel {
                     const auto i = w.thread_ids();
                     co_await w.store(old, i, co_await w.atomic_add(x, 0, 2));
                     co_await w.store(old, i + 32, co_await w.atomic_min(x, per_thread<int>(1), per_thread<t>(i)));
                     co_await w.store(old, i + 64, co_await w.atomic_max(x, 2, per_thread<t>(i)));
                     co_await w.store(old, i + 96, co_await w.atomic_exchange(x, 3, per_thread<t>(i)));
                     co_await w.store(old, i + 128,
                                      co_await w.atomic_cas(x, 4, per_thread<t>(i + 10), per_thread<t>(i + 11)));
                 }});
        };
        machine.run(program(machine.system()));
        EXPECT_EQ(memory.read(x), (std::vector<t>{74, 0, 31, 31, 42}));
        const auto seen = memory.read(old);
        EXPECT_EQ(seen[31], static_cast<t>(72));
        EXPECT_EQ(seen[32], static_cast<t>(10));
        EXPECT_EQ(seen[64 + 12], static_cast<t>(11));
        EXPECT_EQ(seen[96], static_cast<t>(10));
        EXPECT_EQ(seen[96 + 5], static_cast<t>(4));
        EXPECT_EQ(seen[128 + 31], static_cast<t>(41));
    }
}

}  // namespace
