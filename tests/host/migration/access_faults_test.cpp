// SPDX-License-Identifier: Apache-2.0
// Forbidden accesses of programs on several GPUs, the rest of such programs, and walkers that never answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/compute_unit/access_fault.h"
#include "migrating_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using core::control_verb;
using gpu::access_fault;
using gpu::host_task;
using gpu::kernel;
using gpu::wave;
using memory::access_rights;
using ::testing::Contains;
using ::testing::HasSubstr;

struct stores {
    gpu::array<std::uint32_t> to;
    kernel add(wave w) { co_await w.atomic_add(to, w.thread_ids(), 1); }
    kernel store(wave w) { co_await w.store(to, w.thread_ids(), 7); }
    kernel load(wave w) { co_await w.load(to, w.thread_ids()); }
};

host_task run_on(command_queue& q, stores& s, kernel (stores::*what)(wave)) {
    co_await q.launch({"tested", 1, 32, &s, what});
}
std::string refusal(machine& m, host_task program) {
    try {
        m.run(std::move(program));
    } catch (const access_fault& f) { return f.what(); }
    return {};
}

TEST(access_faults, a_page_for_reading_is_read_and_not_written_until_it_is_opened) {
    for (const bool own_walkers : {false, true}) {
        machine m(translated(small_gpus(2), own_walkers));
        context& c = m.driver.create_context();
        auto& q = c.create_queue();
        stores s{c.allocate<std::uint32_t>(64)};
        m.run(run_on(q, s, &stores::store));  // TLBs hold its translation with the right to write
        EXPECT_TRUE(c.protect(s.to.address(), access_rights::read));
        m.sim.run();
        m.run(run_on(q, s, &stores::load));
        auto refused = [&]() -> host_task {
            for (const auto what : {&stores::store, &stores::add}) try {
                    co_await run_on(q, s, what);
                    ADD_FAILURE() << "nothing was refused";
                } catch (const access_fault& f) {
                    EXPECT_THAT(f.what(),
                                HasSubstr("of 128 bytes at 0x100000000, in a page for reading only: process 1, GPU 1, "
                                          "unit 0, wavefront 0 of CTA 0 of kernel 'tested'; expected a page that may "
                                          "be written"));
                }
        };
        m.run(refused());
        EXPECT_TRUE(c.protect(s.to.address(), access_rights::read_write));
        m.sim.run();
        m.run(run_on(q, s, &stores::add));
        m.expect_clean();
        EXPECT_THROW(c.protect(s.to.address(4), access_rights::read), std::invalid_argument);
    }
    machine instant(2);
    context& c = instant.driver.create_context();
    EXPECT_FALSE(c.protect(c.allocate({4096}), access_rights::read));
}

TEST(access_faults, a_page_for_reading_is_that_wherever_it_moves_and_however_often_it_is_copied) {
    for (const bool copies : {false, true}) {
        auto spec = migrating(2, policy_kind::always);
        spec.migration.read_duplication = copies;
        migrating_machine m(spec);
        stores s{m.array_on(1, 1024)};
        m.c.protect(s.to.address(), access_rights::read);
        m.run(run_on(m.queue_on(2), s, &stores::load));
        EXPECT_EQ(copies ? m.counts().duplicated.value() : m.counts().moved.value(), 1u);
        m.sim.run();
        EXPECT_THAT(refusal(m, run_on(m.queue_on(2), s, &stores::store)),
                    HasSubstr("in a page for reading only: process 1, GPU 2"));
        m.sim.run();
        EXPECT_EQ(m.whole.table()->find(m.c.process(), s.to.address())->rights, access_rights::read);
        m.expect_clean();
    }
}

TEST(access_faults, what_went_wrong_is_known_while_others_still_wait_for_it) {
    machine m(translated(small_gpus(2)));
    context& c = m.driver.create_context();
    auto& q = c.create_queue();
    const auto flag = c.allocate<std::uint32_t>(32);
    const gpu::array<std::uint32_t> nowhere(flag.address() + 65536, 32);
    auto program = [&]() -> host_task {
        co_await q.launch({"half", 2, 32, [=](wave w) -> kernel {
                               if (w.cta() == 0) {
                                   co_await w.load(nowhere, w.thread_ids());
                                   co_return;  // and never calls back
                               }
                               for (;;) co_await w.compute(100'000);
                           }});
    };
    EXPECT_EQ(m.driver.error_so_far(), nullptr);
    m.driver.start(program());
    EXPECT_EQ(m.watchdog.run(), observe::watchdog::verdict::stalled);
    EXPECT_NO_THROW(m.driver.rethrow());
    ASSERT_NE(m.driver.error_so_far(), nullptr);
    EXPECT_THROW(std::rethrow_exception(m.driver.error_so_far()), access_fault);
    EXPECT_EQ(m.driver.memory().nearest(1, nowhere.address())->begin, flag.address());
    EXPECT_EQ(m.driver.memory().nearest(2, nowhere.address()), nullptr);
}

TEST(access_faults, walkers_that_never_answer_are_waited_for_by_name) {
    for (const bool own_walkers : {false, true}) {
        machine m(translated(small_gpus(2), own_walkers));
        context& c = m.driver.create_context();
        c.select_gpu(2);
        stores s{c.allocate<std::uint32_t>(64)};
        auto& q = c.create_queue();
        if (own_walkers)
            m.gpus.gpu(2).translation()->own_walkers()->control(control_verb::pause);
        else
            m.whole.iommu()->control(control_verb::pause);
        m.driver.start(run_on(q, s, &stores::load));
        EXPECT_NE(m.watchdog.run(), observe::watchdog::verdict::finished);
        const auto chain = m.watchdog.wait_chain();
        EXPECT_THAT(chain, Contains(HasSubstr("gpu2.cu0 waits for the page of 0x100000000 of gpu2.cu0.l1_tlb")));
        EXPECT_THAT(chain, Contains(HasSubstr(own_walkers ? "gpu2.l2_tlb waits for acceptance of a request of gpu2.gmmu"
                                                          : "gpu2.l2_tlb waits for acceptance of a request of iommu")));
        EXPECT_THAT(chain, Contains(HasSubstr(own_walkers ? "gpu2.gmmu waits for to be enabled"
                                                          : "iommu waits for to be enabled")));
    }
    auto spec = translated(small_gpus(2));
    machine m(spec);
    context& c = m.driver.create_context();
    stores s{c.allocate<std::uint32_t>(64)};
    m.whole.tables_home()->control(control_verb::pause);
    m.driver.start(run_on(c.create_queue(), s, &stores::load));
    EXPECT_NE(m.watchdog.run(), observe::watchdog::verdict::finished);
    EXPECT_THAT(m.watchdog.wait_chain(), Contains(HasSubstr("iommu waits for acceptance of a request of host_memory")));
}

}  // namespace
