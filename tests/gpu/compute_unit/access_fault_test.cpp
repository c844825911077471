// SPDX-License-Identifier: Apache-2.0
// Accesses that a compute unit itself refuses, with every kind of translation, and the texts of the messages.
#include "gpu/compute_unit/access_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/timed_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::timed_machine;
using ::testing::HasSubstr;

access_fault fault_of(timed_machine& m, const kernel_launch::entry& body) {
    try {
        m.run(3, 64, body);
    } catch (const access_fault& f) {
        EXPECT_TRUE(m.conserved());
        return f;
    }
    ADD_FAILURE() << "nothing was refused";
    return {access_fault::reason::closed, 0, 0, {}, ""};
}

TEST(access_fault, a_misaligned_access_is_refused_and_changes_nothing) {
    enum class what { load, store, atomic };
    for (const what w : {what::load, what::store, what::atomic})
        // Within a word; over the end of a line, with the largest payload of a line request; over the end of the page.
        for (const std::uint64_t at : {2u, 126u, 4094u}) {
            timed_machine m;
            const auto x = m.memory.allocate<std::uint32_t>(2048);
            const array<std::uint32_t> odd(x.address() + at, 1);
            const auto f = fault_of(m, [=](wave me) -> kernel {
                if (me.cta() != 1 || me.wave_in_cta() != 1) co_return;
                if (w == what::load) co_await me.load(odd, 0);
                if (w == what::store) co_await me.store(odd, 0, 7);
                if (w == what::atomic) co_await me.atomic_add(odd, 0, 7);
            });
            EXPECT_EQ(f.why(), access_fault::reason::misaligned);
            EXPECT_EQ(f.address(), odd.address());
            EXPECT_THAT(f.what(),
                        HasSubstr(fmt::format("of 4 bytes at {:#x}, misaligned in thread 0: process 0, GPU 0, ",
                                              odd.address())));
            EXPECT_THAT(f.what(), HasSubstr("wavefront 1 of CTA 1 of kernel 'kernel'; expected an address that is a "
                                            "multiple of 4"));
            EXPECT_EQ(m.memory.read(x), std::vector<std::uint32_t>(2048));
        }
}

TEST(access_fault, only_the_thread_that_is_misaligned_is_named_and_a_multiple_is_not) {
    timed_machine m;
    const auto x = m.memory.allocate<std::uint64_t>(64);
    const array<std::uint64_t> wide(x.address() + 4, 63);
    const auto f = fault_of(m, [=](wave me) -> kernel {
        co_await me.store(x, me.thread_ids(), 1ull);
        co_await me.load(wide, me.thread_ids(), me.thread_ids() == 5);
    });
    EXPECT_THAT(f.what(), HasSubstr(fmt::format("load of 8 bytes at {:#x}, misaligned in thread 5", wide.address(5))));
    EXPECT_GT(f.when().ps, 0u);
    EXPECT_EQ(m.memory.read(x, 31), 1u);
    const array<std::uint32_t> halves(x.address() + 4, 63);
    m.run(1, 32, [=](wave me) -> kernel { co_await me.load(halves, me.thread_ids()); });
}

TEST(access_fault, what_was_never_allocated_is_refused_with_translation_in_no_time_as_well) {
    timed_machine m;
    const auto x = m.memory.allocate<std::uint32_t>(64);
    const array<std::uint32_t> beyond(x.address() + (1u << 20), 32);
    for (const auto& nowhere : {beyond, array<std::uint32_t>(0, 32)}) {
        const auto f = fault_of(m, [=](wave me) -> kernel { co_await me.store(nowhere, me.thread_ids(), 1); });
        EXPECT_EQ(f.why(), access_fault::reason::unmapped);
        EXPECT_THAT(f.what(), HasSubstr(fmt::format("store of 128 bytes at {:#x}, where nothing is mapped: process 0, "
                                                    "GPU 0, unit 0, wavefront 0 of CTA 0 of kernel 'kernel'; expected "
                                                    "an address that is allocated",
                                                    nowhere.address())));
    }
}

}  // namespace
