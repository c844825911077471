// SPDX-License-Identifier: Apache-2.0
// What is wrong is said at the call, and nothing else is written; who waits is named.
#include "machine.h"
#include "shmem/host_process.h"

using namespace contraflow;
using namespace contraflow::shmem;
using core::sim_time;
using gpu::kernel;
using gpu::wave;
using shmem::testing::machine;
using shmem::testing::shape;
using shmem::testing::small_cluster;
using ::testing::HasSubstr;
using word = std::uint64_t;

namespace {

// The whole heaps of all PEs.
std::vector<std::vector<std::uint8_t>> heaps(machine& m) {
    std::vector<std::vector<std::uint8_t>> all;
    for (unsigned i = 0; i < m.pes(); ++i) all.push_back(m.read(i, m[i].where().heap));
    return all;
}

// What that call on PE 0 says; every heap is as it was before.
std::string refused_by(machine& m, const machine::body& call) {
    for (unsigned i = 0; i < m.pes(); ++i) {
        std::vector<std::uint8_t> noise(m[i].where().heap.size());
        for (std::size_t k = 0; k < noise.size(); ++k) noise[k] = static_cast<std::uint8_t>(k * 7 + i);
        m.write(i, m[i].where().heap, noise);
    }
    const auto before = heaps(m);
    m.start(0, call);
    const std::string said = m.refused();
    EXPECT_EQ(heaps(m), before);
    EXPECT_EQ(m.cluster.node(0).nic().sends().done(), 0u);
    return said;
}

struct calls : ::testing::Test {
    machine m{2, [] {
                  spec s;
                  s.heap = {8192};
                  return s;
              }()};
    std::vector<gpu::array<word>> x = m.malloc<word>(64);
    std::uint64_t end() { return m[0].where().heap.address() + m[0].where().heap.size(); }
    std::string heap() { return fmt::format("{:#x} to {:#x}", m[0].where().heap.address(), end()); }
    std::string refused(const machine::body& call) { return refused_by(m, call); }
};

TEST_F(calls, a_put_past_the_symmetric_heap_is_refused) {
    const gpu::array<word> last(end() - 8, 2);
    EXPECT_EQ(
        refused([&](context& c, wave) -> kernel { co_await c.put(last, x[0], 2, 1); }),
        fmt::format("PE 0, context 0, put: the destination, 16 bytes at {:#x}, is not within the symmetric heap, {}",
                    end() - 8, heap()));
}
TEST_F(calls, a_source_in_other_memory_is_refused) {
    const auto other = m[0].memory().allocate<word>(8);
    EXPECT_EQ(
        refused([&](context& c, wave) -> kernel { co_await c.put_nbi(x[0], other, 8, 1); }),
        fmt::format("PE 0, context 0, put_nbi: the source, 64 bytes at {:#x}, is not within the symmetric heap, {}",
                    other.address(), heap()));
}
TEST_F(calls, a_get_from_before_the_heap_is_refused) {
    const gpu::array<word> early(m[0].where().heap.address() - 8, 2);
    EXPECT_THAT(refused([&](context& c, wave) -> kernel { co_await c.get(x[0], early, 2, 1); }),
                HasSubstr("PE 0, context 0, get: the source, 16 bytes at"));
}
TEST_F(calls, a_get_past_the_symmetric_heap_is_refused) {
    const gpu::array<word> last(end() - 8, 2);
    EXPECT_EQ(refused([&](context& c, wave) -> kernel { co_await c.get(x[0], last, 2, 1); }),
              fmt::format("PE 0, context 0, get: the source, 16 bytes at {:#x}, is not within the symmetric heap, {}",
                          end() - 8, heap()));
}
TEST_F(calls, a_get_to_past_the_symmetric_heap_is_refused) {
    const gpu::array<word> last(end() - 8, 2);
    EXPECT_EQ(
        refused([&](context& c, wave) -> kernel { co_await c.get_nbi(last, x[0], 2, 1); }),
        fmt::format("PE 0, context 0, get_nbi: the destination, 16 bytes at {:#x}, is not within the symmetric heap, "
                    "{}",
                    end() - 8, heap()));
}
TEST_F(calls, a_get_whose_length_wraps_around_is_refused) {
    EXPECT_THAT(refused([&](context& c, wave) -> kernel { co_await c.get(x[0], x[0], ~std::size_t{0} / 8, 1); }),
                HasSubstr("PE 0, context 0, get: the source"));
}
TEST_F(calls, a_length_that_wraps_around_is_refused) {
    EXPECT_THAT(refused([&](context& c, wave) -> kernel { co_await c.put(x[0], x[0], ~std::size_t{0} / 8, 1); }),
                HasSubstr("is not within the symmetric heap"));
}
TEST_F(calls, a_pe_that_is_none_is_refused) {
    EXPECT_EQ(refused([&](context& c, wave) -> kernel { co_await c.p(x[0], 1, 2); }),
              "PE 0, context 0, p: there is no PE 2, they are 0 to 1");
}
TEST_F(calls, an_atomic_operation_on_a_divided_word_is_refused) {
    const gpu::array<word> odd(x[0].address() + 4, 1);
    EXPECT_EQ(refused([&](context& c, wave) -> kernel { co_await c.atomic_fetch_add(odd, 1, 1); }),
              fmt::format("PE 0, context 0, atomic_fetch_add: {:#x} is no multiple of 8", odd.address()));
}
TEST_F(calls, a_wait_for_a_variable_outside_is_refused) {
    const auto other = m[0].memory().allocate<word>(8);
    EXPECT_THAT(refused([&](context& c, wave) -> kernel { co_await c.wait_until(other, cmp::eq, 1); }),
                HasSubstr("PE 0, context 0, wait_until: the variable, 8 bytes at"));
}
TEST_F(calls, an_operation_without_a_context_is_refused) {
    m.start_raw(0, [&](wave w) -> kernel {
        context c(m[0], w);
        co_await c.put(x[0], x[0], 1, 1);
    });
    EXPECT_EQ(m.refused(), "PE 0, workgroup 0, put: the context has not been created");
}
TEST_F(calls, a_context_that_does_not_exist_is_refused) {
    m.start_raw(0, [&](wave w) -> kernel {
        context c(m[0], w);
        co_await c.create(1);
    });
    EXPECT_EQ(m.refused(), "PE 0, workgroup 0, create: there is no context 1, they are 0 to 0");
}
TEST_F(calls, two_workgroups_with_one_context_are_refused) {
    m.start_raw(
        0,
        [&](wave w) -> kernel {
            context c(m[0], w);
            co_await w.compute(1 + 5000 * w.cta());
            co_await c.create(0);
            co_await c.p(x[0], w.cta() + 1, 1);
            co_await w.compute(20'000);
            co_await c.destroy();
        },
        2);
    EXPECT_EQ(m.refused(), "PE 0, workgroup 1, create: context 0 belongs to workgroup 0; a queue has one context");
    EXPECT_EQ(m.read(1, x[1])[0], 1u);
}
TEST_F(calls, memory_that_was_not_allocated_is_not_freed) {
    try {
        m[0].free(gpu::array<word>(16, 1));
        FAIL();
    } catch (const error& e) { EXPECT_EQ(e.what(), "PE 0: free: 0x10 is not within the symmetric heap, " + heap()); }
}

TEST(errors, more_contexts_than_the_nic_has_queue_pairs_for_are_refused) {
    spec s;
    s.contexts = 33;
    EXPECT_THROW(machine(2, s), std::invalid_argument);
}

// ---- what NICs report

TEST(errors, a_doorbell_past_the_queue_is_named_where_the_completion_is_awaited) {
    spec s;
    s.entries = 4;
    s.steps.wait_for_slot = false;
    auto cluster = small_cluster(2);
    cluster.node.nic.processing = sim_time::from_us(50);
    machine m(cluster, s);
    const auto x = m.malloc<word>(64);
    m.start(0, [&](context& c, wave) -> kernel {
        for (unsigned i = 0; i < 6; ++i) co_await c.p(x[0].slice(i, 1), i + 1, 1);
    });
    EXPECT_THAT(
        m.refused(),
        HasSubstr("PE 0, context 0: queue pair 0 to PE 1 has failed: doorbell 5 is past the queue of 4 entries"));
}

TEST(errors, a_completion_queue_that_is_full_is_named) {
    spec s;
    s.entries = 4;
    s.steps.take = false;
    machine m(2, s);
    const auto x = m.malloc<word>(64);
    m.start(0, [&](context& c, wave) -> kernel {
        for (unsigned i = 0; i < 12; ++i) co_await c.p(x[0].slice(i, 1), i + 1, 1);
    });
    EXPECT_THAT(m.refused(), HasSubstr("queue pair 0 to PE 1 has failed: its completion queue of 8 places was full at "
                                       "entry 9"));
    EXPECT_EQ(m.read(1, x[1])[8], 9u);  // that put has been carried out
}

TEST(errors, memory_that_a_pe_has_withdrawn_is_named_by_quiet_and_by_a_put) {
    machine m(2);
    const auto x = m.malloc<word>(64);
    m.cluster.node(1).driver().deregister({1, 0, 0});  // the heap; 0 is the control page
    m.sim.run();
    m.start(0, [&](context& c, wave) -> kernel { co_await c.put(x[0], x[0], 8, 1); });
    EXPECT_EQ(m.refused(),
              "PE 0, context 0: the put of 64 bytes to PE 1 (entry 1 of queue pair 0) has failed: remote access");
    machine n(2);
    const auto y = n.malloc<word>(64);
    n.cluster.node(1).driver().deregister({1, 0, 0});
    n.sim.run();
    n.start(0, [&](context& c, wave) -> kernel {
        co_await c.put_nbi(y[0], y[0], 3, 1);
        co_await c.p(y[0], 1, 1);
        co_await c.quiet();
    });
    EXPECT_EQ(
        n.refused(),
        "PE 0, context 0: the put of 24 bytes to PE 1 (entry 1 of queue pair 0) has failed: remote access; this is "
        "the wait for the fence for PE 1 (entry 3 of queue pair 0)");
}

TEST(errors, what_a_helper_s_nic_reports_is_thrown_in_the_kernel) {
    machine m(shape{2, 1});
    const auto x = m.malloc<word>(64);
    m.start(0, [&](context& c, wave) -> kernel {
        co_await c.p(x[0], 7, 1);
        co_await c.quiet();
        m.cluster.node(1).driver().deregister({1, 0, 0});
        co_await c.wave().compute(5000);
        co_await c.put_nbi(x[0].slice(1, 3), x[0], 3, 1);
        co_await c.p(x[0].slice(8, 1), 1, 1);
        co_await c.quiet();
    });
    EXPECT_EQ(m.refused(),
              "PE 0, context 0: the entry 3 of the queue of a thread of the host, to PE 1 has failed: remote "
              "access");
    EXPECT_EQ(m.read(1, x[1])[0], 7u);
    EXPECT_EQ(m.read(1, x[1])[8], 0u);
}

TEST(errors, a_put_of_the_host_past_the_heap_is_refused) {
    machine m(2);
    m.cluster.connect_all(1, {4, 4, host::ring_place::host, host::ring_place::host});
    host_process h(m.sim.events(), m.cluster, m[0], 1, 4, {});
    const auto x = m.malloc<word>(4);
    const std::uint64_t end = m[0].where().heap.address() + m[0].where().heap.size();
    std::string said;
    const auto program = [&]() -> gpu::host_task {
        for (const unsigned to : {1u, 2u, 0u}) try {
                co_await h.put_nbi(to == 1 ? end - 8 : x[0].address(), x[0].address(), 16, to);
            } catch (const error& e) { said += std::string(e.what()) + "\n"; }
    };
    gpu::coroutine_stack stack;
    program().start_on(stack);
    stack.resume();
    m.sim.run();
    EXPECT_THAT(said,
                ::testing::MatchesRegex("(PE 0, the host: a put of 16 bytes from 0x[0-9a-f]+ to 0x[0-9a-f]+ of PE "
                                        "[012] is not one between the symmetric heaps, [^\n]*\n){3}"));
    EXPECT_EQ(m.cluster.node(0).nic().sends().done(), 0u);
}

// ---- a PE that dies

TEST(errors, a_node_that_answers_no_more_is_named_by_those_that_put_to_it) {
    auto cluster = small_cluster(3);
    cluster.node.nic.retry_after = sim_time::from_us(20);
    cluster.node.nic.retries = 2;
    machine m(cluster, {});
    const auto x = m.malloc<word>(64);
    m.cluster.node(1).tree().control(core::control_verb::pause);
    for (const unsigned pe : {0u, 2u})
        m.start(pe, [&](context& c, wave) -> kernel {
            co_await c.p(x[c.my_pe()], 1, 2 - c.my_pe());
            co_await c.put(x[c.my_pe()].slice(1, 5), x[c.my_pe()], 5, 1);
        });
    EXPECT_EQ(m.refused(),
              "PE 0, context 0: the put of 40 bytes to PE 1 (entry 1 of queue pair 0) has failed: retries exceeded");
    EXPECT_EQ(m.read(0, x[0])[0], 1u);
    EXPECT_EQ(m.read(2, x[2])[0], 1u);
}

TEST(errors, waits_for_a_pe_whose_kernel_has_died_are_named) {
    machine m(2);
    const auto flag = m.malloc<std::int32_t>(4);
    m.start(0, [&](context& c, wave) -> kernel { co_await c.wait_until(flag[0].slice(2, 1), cmp::ge, 7); });
    m.start(1, [&](context& c, wave w) -> kernel {
        co_await c.p(flag[1].slice(2, 1), 3, 0);
        co_await c.quiet();
        co_await w.compute(100);
        throw std::runtime_error("died");
    });
    try {
        m.finish(sim_time::from_us(100));
        FAIL();
    } catch (const std::logic_error& e) {
        EXPECT_THAT(e.what(), HasSubstr(fmt::format("pe0.context0 waits for offset {:#x} of its heap >= 7 (it is 3) of "
                                                    "another PE",
                                                    m[0].offset_of(flag[0].address(2), 4))));
    }
}

TEST(errors, a_completion_that_never_comes_is_named_with_its_queue_pair) {
    machine m(2);
    const auto x = m.malloc<word>(64);
    m.cluster.node(1).tree().control(core::control_verb::pause);
    m.start(0, [&](context& c, wave) -> kernel { co_await c.put(x[0], x[0], 5, 1); });
    try {
        m.finish(sim_time::from_us(100));
        FAIL();
    } catch (const std::logic_error& e) {
        EXPECT_THAT(e.what(),
                    HasSubstr("pe0.context0 waits for the completion of the put of 40 bytes to PE 1 (entry 1 of "
                              "queue pair 0) of queue pair 0 of node0."));
        EXPECT_THAT(e.what(), HasSubstr("waits for an answer to packet"));
    }
}

}  // namespace
