// SPDX-License-Identifier: Apache-2.0
// The six control verbs, for every component with state of a whole machine in the middle of its work: kernels and
// copies on all GPUs while pages move between them. A verb without meaning is refused. A machine that waits
// for a stopped part names it. When the part is enabled again, every result is right.
#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/migration/migrating_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using namespace contraflow::host::testing;
using core::control_verb;
using gpu::host_task;

// The verbs of a component. All components are reset together with the machine: for requests that one has dropped,
// its neighbours would wait.
struct meaning {
    bool stops = false;         // pause, drain and enable: it takes or begins work
    bool keeps_copies = false;  // invalidate: it keeps copies
    bool writes_back = false;   // flush: some of them may be newer than their home
};
constexpr meaning stops{true, false, false}, keeps{true, true, false}, whole{true, true, true},
    counts{false, true, false};

struct component {
    std::string name;
    meaning is;
    std::function<core::controllable_if*(migrating_machine&)> of;
    std::string waited_for = name;  // its name in wait edges
    bool does_without = false;      // while it is drained, the machine ends all the same
    bool over_pcie = false;         // only in machines whose GPUs are joined by PCIe
};
void PrintTo(const component& c, std::ostream* out) { *out << c.name; }

const std::vector<component>& components() {
    using mm = migrating_machine;
    static const std::vector<component> all{
        {"driver", stops, [](mm& m) { return &m.driver; }, "host"},
        {"migration", stops, [](mm& m) { return m.whole.migrator(); }, "migration", true},
        {"iommu", keeps, [](mm& m) { return m.whole.iommu(); }},
        {"host_memory", stops, [](mm& m) { return m.whole.tables_home(); }, "host_"},
        {"gpu2.cp", whole, [](mm& m) { return &m.gpus.processor(2); }, "gpu2.c"},
        {"gpu2.cp.dma", stops, [](mm& m) { return &m.gpus.processor(2).dma(); }, "gpu2.cp"},
        {"gpu2.pmc", stops, [](mm& m) { return m.gpus.migration(2); }},
        {"gpu2.access_counters", counts, [](mm& m) { return m.gpus.counters(2); }},
        {"gpu2", whole, [](mm& m) { return &m.gpus.gpu(2); }, "gpu2.c", true},
        {"gpu2.cu0", stops, [](mm& m) { return m.gpus.gpu(2).units()[0].get(); }, "gpu2.cu0", true},
        {"gpu2.cu0.l1_tlb", keeps, [](mm& m) { return &m.gpus.gpu(2).units()[0]->memory_side().translator()->tlb(); }},
        {"gpu2.l2_tlb", keeps, [](mm& m) { return &m.gpus.gpu(2).translation()->l2(); }},
        {"gpu2.gmmu", keeps, [](mm& m) { return m.gpus.gpu(2).translation()->own_walkers(); }},
        {"gpu2.translation", keeps, [](mm& m) { return m.gpus.gpu(2).translation(); }, "gpu2.l2_tlb"},
        {"gpu2.cu0_l1", whole, [](mm& m) { return m.gpus.gpu(2).first_level()[0].get(); }},
        {"gpu2.l2_0", whole, [](mm& m) { return m.gpus.gpu(2).second_level()[0].get(); }},
        {"gpu2.dram", stops, [](mm& m) { return &m.gpus.gpu(2).memory(); }},
        {"gpu2.rdma", stops, [](mm& m) { return m.gpus.gpu(2).rdma(); }},
        {"link", stops, [](mm& m) { return m.gpus.network()->links()[1].get(); }},
        {"network", stops, [](mm& m) { return m.gpus.packets(); }, "link"},
        {"pcie", stops, [](mm& m) { return m.gpus.packets(); }, "pcie", false, true},
        {"gpus", whole, [](mm& m) { return &m.gpus; }, ".c"},
        {"machine", whole, [](mm& m) { return &m.whole; }, "driver"},
    };
    return all;
}

// Copies in, a kernel that writes to all pages from all GPUs, and the copies out; every one of its pages moves.
struct busy_machine {
    busy_machine(std::uint64_t stop_ns, const component& tested)
        : m(migrating(translated(joined_by(tested.over_pcie), true), policy_kind::always)),
          k(m, 8, 3) {
        free_at_first = free_pages();
        m.driver.start(program());
        m.sim.run_until(core::sim_time::from_ns(stop_ns));
        EXPECT_FALSE(m.driver.finished());
    }
    static gpu::multi_gpu_spec joined_by(bool pcie) {
        auto s = small_gpus(3);
        s.gpu.network.in_pcie_tree = pcie;
        s.translation.own.waiting = 1;
        return s;
    }
    host_task program() {
        try {
            q.copy_to_device(z, sent);
            k.q.wait(q.record());
            co_await k.work();
            co_await q.copy_from_device(back, z);
        } catch (const std::runtime_error&) { ++failed; }
    }
    std::uint64_t free_pages() {
        std::uint64_t free = 0;
        for (const unsigned g : m.all) free += m.driver.memory().free_pages(g);
        return free;
    }
    // The same work again after a reset.
    void again() {
        writers_everywhere other(m, 8, 3);
        m.driver.start(other.work());
        m.sim.run();
        EXPECT_TRUE(m.driver.finished());
        other.expect_results();
    }
    void finish() {
        m.go_on();
        m.sim.run();
        EXPECT_EQ(failed, 0u);
        EXPECT_EQ(back, sent);
        k.expect_results();
    }

    migrating_machine m;
    writers_everywhere k;
    gpu::array<std::uint32_t> z = m.c.allocate<std::uint32_t>(3 * 1024);
    command_queue& q = m.c.create_queue();
    unsigned failed = 0;
    std::uint64_t free_at_first = 0;
    std::vector<std::uint32_t> sent = counted(3 * 1024), back = std::vector<std::uint32_t>(3 * 1024);
};

class control_contract : public ::testing::TestWithParam<component> {};
INSTANTIATE_TEST_SUITE_P(all, control_contract, ::testing::ValuesIn(components()), [](const auto& p) {
    std::string name = p.param.name;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
});

constexpr std::array<std::uint64_t, 2> moments{3'000, 12'000};  // copies are in progress; the kernel is

TEST_P(control_contract, stopped_it_is_waited_for_by_name_and_goes_on_where_it_was) {
    const meaning& is = GetParam().is;
    for (const control_verb verb : {control_verb::pause, control_verb::drain}) {
        busy_machine b(moments[verb == control_verb::pause ? 0 : 1], GetParam());
        core::controllable_if* const tested = GetParam().of(b.m);
        ASSERT_NE(tested, nullptr);
        EXPECT_EQ(tested->control(verb), is.stops);
        b.m.sim.run_until(core::sim_time::from_us(2000));  // stopped links look at their lanes for ever
        // Pages that need not move are accessed remotely; units may have all of their CTAs already.
        const bool does_without = !is.stops || (verb == control_verb::drain && GetParam().does_without);
        EXPECT_EQ(b.m.driver.finished(), does_without);
        if (!b.m.driver.finished()) {
            std::vector<core::wait_edge> edges;
            b.m.whole.report_waits(edges);
            const std::string& name = GetParam().waited_for;
            EXPECT_TRUE(std::any_of(edges.begin(), edges.end(), [&](const core::wait_edge& e) {
                return e.waiter.find(name) != std::string::npos || e.holder.find(name) != std::string::npos;
            })) << fmt::format("{}", fmt::join(b.m.watchdog.wait_chain(), "\n"));
        }
        EXPECT_EQ(tested->control(control_verb::enable), is.stops);
        b.finish();
    }
}

TEST_P(control_contract, what_it_invalidates_or_writes_back_in_mid_work_costs_no_data) {
    busy_machine b(moments[0], GetParam());
    for (std::uint64_t n = 0; n < 12; ++n) {
        const bool flush = n % 3 == 2;
        EXPECT_EQ(GetParam().of(b.m)->control(flush ? control_verb::flush : control_verb::invalidate),
                  flush ? GetParam().is.writes_back : GetParam().is.keeps_copies);
        b.m.sim.run_until(core::sim_time::from_ns(moments[0] + 1'300 * (n + 1)));
    }
    b.finish();
}

TEST_P(control_contract, stopped_it_can_be_reset_with_the_machine_and_works_again) {
    for (const std::uint64_t ns : moments) {
        busy_machine b(ns, GetParam());
        GetParam().of(b.m)->control(ns == moments[0] ? control_verb::pause : control_verb::drain);
        b.m.sim.run_until(core::sim_time::from_ns(ns + 900));
        EXPECT_TRUE(b.m.whole.control(control_verb::reset));
        EXPECT_EQ(b.m.whole.payloads_in_flight(), 0u);
        b.m.sim.run();
        EXPECT_TRUE(b.m.driver.finished());
        EXPECT_EQ(b.failed, 1u);
        EXPECT_TRUE(b.m.whole.idle());
        EXPECT_EQ(b.free_pages(), b.free_at_first);
        b.again();
    }
}

}  // namespace
