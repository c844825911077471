// SPDX-License-Identifier: Apache-2.0
// Programs that put and receive through a whole node whose packets return to it.
#include "host/rdma/rdma_process.h"

#include <gmock/gmock.h>

#include "host/rdma/registration_cache.h"
#include "host/rdma/staging.h"
#include "nic/transmit/transmit_node.h"

using namespace contraflow;
using contraflow::host::rdma_process;
using core::sim_time;
using nic::completion_record;
using nic::memory_space;
using nic::transmit_status;
using nic::testing::node_spec;
using nic::testing::transmit_node;

namespace {

// Half a MiB of the host's memory and the same of the GPU's, each to send from and to receive in; pages shuffled.
struct process_node {
    static constexpr std::uint64_t host_from = 0x1000'0000'0000, host_to = 0x1100'0000'0000,
                                   gpu_from = 0x2000'0000'0000, gpu_to = 0x2100'0000'0000, bytes = 1u << 19;
    static constexpr std::uint16_t token = 3;

    explicit process_node(rdma_process::spec s = {}, core::bandwidth copy_rate = core::bandwidth::from_gb_per_s(5.5),
                          std::uint32_t copy_queue = 256)
        : n(looped(copy_rate, copy_queue)) {
        process = std::make_unique<rdma_process>(
            s, rdma_process::resources{n.sim.events(), *n.host, n.memory, transmit_node::host_base, 0, *n.nic,
                                       n.gpu->registers_of(0), n.spec.gpu.copy_queue});
        n.on_interrupt = [this](std::uint32_t vector) { process->interrupt(vector); };
        n.sim.run();
        regions = {region(memory_space::host, host_from, transmit_node::data_at),
                   region(memory_space::host, host_to, transmit_node::data_at + bytes),
                   region(memory_space::gpu0, gpu_from, 0), region(memory_space::gpu0, gpu_to, bytes)};
        for (const auto& r : regions) handles.push_back(process->register_memory(r));
        n.sim.run();
    }
    static node_spec looped(core::bandwidth copy_rate, std::uint32_t copy_queue) {
        node_spec s;
        s.gpu.copy_rate = copy_rate;
        s.gpu.copy_queue = copy_queue;
        s.loop_back = true;
        return s;
    }
    static rdma_process::region region(memory_space space, std::uint64_t base, std::uint64_t first) {
        rdma_process::region r{space, base, {}, {}, nic::of_gpu(space) ? token : std::uint16_t{0}};
        const std::uint64_t count = bytes >> nic::page_bits(space);
        for (std::uint64_t i = 0; i < count; ++i)
            r.pages.push_back((nic::of_gpu(space) ? 0 : transmit_node::host_base) + first +
                              ((i * 5 + 3) % count << nic::page_bits(space)));
        return r;
    }
    std::uint8_t& byte(std::uint64_t address) {
        for (const auto& r : regions) {
            if (address < r.base || address - r.base >= bytes) continue;
            const std::uint64_t size = 1ull << nic::page_bits(r.space), at = address - r.base;
            const std::uint64_t place = r.pages[at / size] + at % size;
            return nic::of_gpu(r.space) ? n.gpu->memory().bytes()[place] : n.memory[place - transmit_node::host_base];
        }
        throw std::out_of_range("no such memory");
    }
    void expect_equal(std::uint64_t from, std::uint64_t to, std::uint32_t length) {
        for (std::uint32_t i = 0; i < length; ++i) ASSERT_EQ(byte(from + i), byte(to + i)) << i;
    }
    static rdma_process::put_request put(std::uint64_t from, std::uint64_t to, std::uint32_t length,
                                         std::uint16_t tag = 0) {
        const auto space = from >= gpu_from ? memory_space::gpu0 : memory_space::host;
        return {space, from, transmit_node::here, to, length, tag, true};
    }
    void reset() {
        ASSERT_TRUE(n.reset());
        n.open();
        process->reset();
        for (std::size_t i = 0; i < regions.size(); ++i) handles[i] = process->register_memory(regions[i]);
    }
    void run(gpu::host_task program) {
        process->start(std::move(program));
        n.sim.run();
        process->rethrow();
        EXPECT_TRUE(process->finished());
    }

    transmit_node n;
    std::vector<rdma_process::region> regions;
    std::vector<rdma_process::handle> handles;
    std::unique_ptr<rdma_process> process;
};

gpu::host_task send_all(process_node& p, std::vector<rdma_process::put_request> puts,
                        std::vector<transmit_status>& how) {
    std::vector<rdma_process::message> messages;
    for (const auto& r : puts) messages.push_back(co_await p.process->put(r));
    for (const auto m : messages) how.push_back(co_await p.process->sent(m));
}
gpu::host_task receive_all(process_node& p, std::size_t count, std::vector<completion_record>& got) {
    while (got.size() < count) got.push_back(co_await p.process->receive());
}

TEST(rdma_process, puts_arrive_in_order_from_and_to_all_memories) {
    rdma_process::spec s;
    s.entries = 8;  // fewer than there are descriptors: put waits
    process_node p(s);
    std::vector<rdma_process::put_request> puts{p.put(p.host_from + 5, p.gpu_to + 3, 70'000, 1),
                                                p.put(p.gpu_from + 100, p.host_to, 90'000, 2),
                                                p.put(p.host_from + 200'000, p.host_to + 100'001, 50'000, 3),
                                                p.put(p.gpu_from + 200'000, p.gpu_to + 80'000, 60'000, 4)};
    for (std::uint16_t i = 5; i < 15; ++i)  // more than the ring of arrivals has
        puts.push_back(p.put(p.host_from + i * 100, p.host_to + 200'000 + i * 100, 99, i));
    std::vector<transmit_status> how;
    std::vector<completion_record> got;
    p.process->start(receive_all(p, puts.size(), got));
    EXPECT_FALSE(p.process->finished());
    p.run(send_all(p, puts, how));
    EXPECT_EQ(how, std::vector<transmit_status>(puts.size()));
    ASSERT_EQ(got.size(), puts.size());
    for (std::size_t i = 0; i < puts.size(); ++i) {
        EXPECT_EQ(got[i].tag, puts[i].tag);
        p.expect_equal(puts[i].from, puts[i].to, puts[i].length);
    }
    EXPECT_FALSE(p.process->poll());
    p.n.expect_clean();
}

TEST(rdma_process, its_own_times_are_added_to_those_of_the_hardware) {
    struct times {
        sim_time received{}, sent{}, both_sent{};
    };
    const auto there = [](sim_time put, sim_time completion, std::uint64_t from, std::uint64_t to) {
        rdma_process::spec s;
        s.put = put;
        s.completion = completion;
        process_node p(s);
        times t;
        const auto sender = [](process_node& n, std::uint64_t a, std::uint64_t b, times& at) -> gpu::host_task {
            const auto m = co_await n.process->put(n.put(a, b, 32));
            co_await n.process->sent(m);
            at.sent = n.n.sim.events().now();
            const auto one = co_await n.process->put(n.put(a, b, 32));
            const auto other = co_await n.process->put(n.put(a, b, 32));
            co_await n.process->sent(one);
            co_await n.process->sent(other);
            at.both_sent = n.n.sim.events().now();
        };
        const auto receiver = [](process_node& n, times& at) -> gpu::host_task {
            co_await n.process->receive();
            at.received = n.n.sim.events().now();
        };
        const sim_time begin = p.n.sim.events().now();
        p.process->start(receiver(p, t));
        p.run(sender(p, from, to, t));
        t.both_sent = t.both_sent - t.sent;
        t.sent = t.sent - begin;
        t.received = t.received - begin;
        return t;
    };
    const auto ns = [](sim_time t) { return t.seconds() * 1e9; };
    using node = process_node;
    const times bare = there({}, {}, node::host_from, node::host_to);
    const double host = ns(bare.received), gpu = ns(there({}, {}, node::gpu_from, node::gpu_to).received);
    const times slow = there(sim_time::from_ns(1234), sim_time::from_ns(777), node::host_from, node::host_to);
    EXPECT_NEAR(ns(slow.received), host + 777, 5);
    EXPECT_NEAR(ns(slow.sent), ns(bare.sent) + 1234, 5);
    // Of two puts the driver takes one after the other, and the first while the second is being sent.
    const times slower = there(sim_time::from_us(20), {}, node::host_from, node::host_to);
    EXPECT_NEAR(ns(slower.both_sent) - ns(slower.sent), 20'000, 5);
    // A read of a line of the GPU has the GPU's latency instead of the host's.
    EXPECT_GT(gpu, host + 1000);
    RecordProperty("host_host_ns", fmt::format("{:.0f}", host));
    RecordProperty("gpu_gpu_ns", fmt::format("{:.0f}", gpu));
}

TEST(rdma_process, what_is_not_registered_is_refused_here_or_told_later) {
    process_node p;
    EXPECT_THROW(p.run(([](process_node& n) -> gpu::host_task {
        co_await n.process->put(n.put(n.host_from + n.bytes - 10, n.host_to, 11));
    })(p)),
                 std::invalid_argument);
    process_node q;
    std::vector<transmit_status> how;
    q.run(send_all(q, {q.put(q.gpu_from + q.bytes - 10, q.host_to, 11)}, how));
    EXPECT_EQ(how, std::vector{transmit_status::not_registered});
    EXPECT_THROW(q.process->register_memory({memory_space::host, 4096, {}, {}, 0}), std::invalid_argument);
    EXPECT_THROW(q.process->register_memory({memory_space::host, 100, {0}, {}, 0}), std::invalid_argument);
    for (unsigned i = 4; i < q.n.spec.receive.buffers; ++i)
        q.process->register_memory({memory_space::host, 0x5000'0000'0000 + i * std::uint64_t{4096}, {0}, {}, 0});
    EXPECT_THROW(q.process->register_memory(q.regions[0]), std::invalid_argument);
}

TEST(rdma_process, memory_that_is_deregistered_takes_and_gives_nothing_until_it_is_registered_again) {
    process_node p;
    std::vector<transmit_status> how;
    std::vector<completion_record> got;
    const auto program = [](process_node& n, std::vector<transmit_status>& h) -> gpu::host_task {
        const auto before = co_await n.process->put(n.put(n.host_from, n.gpu_to, 20'000, 1));
        co_await n.process->sent(before);
        co_await n.process->receive();
        co_await n.process->deregister(n.handles[3]);
        co_await n.process->deregister(n.handles[2]);
        h.push_back(co_await n.process->sent(co_await n.process->put(n.put(n.host_from + 9, n.gpu_to, 5000, 2))));
        h.push_back(co_await n.process->sent(co_await n.process->put(n.put(n.gpu_from, n.host_to, 5000, 3))));
    };
    p.run(program(p, how));
    EXPECT_EQ(how, (std::vector{transmit_status::done, transmit_status::not_registered}));
    p.expect_equal(p.host_from, p.gpu_to, 20'000);  // and not the later bytes
    ASSERT_EQ(p.n.nic->drops().size(), 2u);
    EXPECT_EQ(p.n.nic->drops()[0].reason, nic::drop_reason::no_buffer);
    how.clear();
    p.process->register_memory(p.regions[3]);
    p.process->register_memory(p.regions[2]);
    p.process->start(receive_all(p, 1, got));
    p.run(send_all(p, {p.put(p.gpu_from, p.gpu_to, 5000, 4)}, how));
    EXPECT_EQ(how, std::vector{transmit_status::done});
    p.expect_equal(p.gpu_from, p.gpu_to, 5000);
    EXPECT_THROW(p.run(([](process_node& n) -> gpu::host_task { co_await n.process->deregister(9); })(p)),
                 std::invalid_argument);
}

// ---- copies by the GPU

gpu::host_task copy_all(process_node& p, std::vector<rdma_process::copy_request> copies) {
    for (const auto& c : copies) co_await p.process->copy(c);
}

TEST(rdma_process, copies_between_gpu_and_host_move_every_byte_and_no_other) {
    process_node p({}, core::bandwidth::from_gb_per_s(5.5), 6);
    const auto gpu_before =
        std::vector<std::uint8_t>(p.n.gpu->memory().bytes().begin(), p.n.gpu->memory().bytes().end());
    p.run(copy_all(p, {{p.gpu_from + 70'001, p.host_to + 3, 200'000}}));
    p.expect_equal(p.gpu_from + 70'001, p.host_to + 3, 200'000);
    EXPECT_TRUE(std::ranges::equal(gpu_before, p.n.gpu->memory().bytes()));
    p.run(copy_all(p, {{p.host_from + 5, p.gpu_to + 65'530, 100'003}}));
    p.expect_equal(p.host_from + 5, p.gpu_to + 65'530, 100'003);
    // Two programs at once, each in order, through a queue of few commands.
    p.process->start(copy_all(p, {{p.gpu_from, p.host_to + 300'000, 5000}, {p.host_to + 300'000, p.gpu_to, 5000}}));
    p.run(copy_all(p, {{p.host_from + 9, p.gpu_to + 300'000, 60'000}}));
    p.expect_equal(p.gpu_from, p.gpu_to, 5000);
    p.expect_equal(p.host_from + 9, p.gpu_to + 300'000, 60'000);
    EXPECT_EQ(p.n.gpu->copies().bytes(), 200'000u + 100'003 + 2 * 5000 + 60'000);
    p.n.expect_clean();
    for (const auto& wrong : {rdma_process::copy_request{p.host_from, p.host_to, 5},
                              {p.gpu_from, p.gpu_to, 5},
                              {p.gpu_from, p.host_to, 0},
                              {p.gpu_from + p.bytes - 4, p.host_to, 5}})
        EXPECT_THROW(p.run(copy_all(p, {wrong})), std::invalid_argument);
}

// The call's overhead, then the engine's rate, which the GPU's 16 lanes carry.
TEST(rdma_process, a_copy_takes_its_call_and_the_slower_of_engine_and_link) {
    const auto us = [](std::uint64_t from, std::uint64_t to, std::uint32_t length, double gb_per_s) {
        process_node p({}, core::bandwidth::from_gb_per_s(gb_per_s));
        const sim_time begin = p.n.sim.events().now();
        sim_time end{};
        p.run(([](process_node& n, rdma_process::copy_request r, sim_time& at) -> gpu::host_task {
            co_await n.process->copy(r);
            at = n.n.sim.events().now();
        })(p, {from, to, length}, end));
        return (end - begin).seconds() * 1e6;
    };
    using node = process_node;
    for (const auto& [from, to] :
         {std::pair{node::gpu_from, node::host_to}, std::pair{node::host_from, node::gpu_to}}) {
        const double least = us(from, to, 64, 5.5), slow = us(from, to, 500'000, 1), fast = us(from, to, 500'000, 5.5);
        EXPECT_GT(least, 10);
        EXPECT_LT(least, 12.5);
        EXPECT_NEAR(slow, least + 500, 6);
        EXPECT_NEAR(500 / (fast - least), 5.5, 0.1);
        std::printf("%s: 64 bytes %.2f us, 500,000 bytes %.1f us\n", from == node::gpu_from ? "to host" : "to GPU",
                    least, fast);
    }
}

TEST(rdma_process, staged_messages_arrive_whole_in_one_piece_or_in_several) {
    for (const std::uint32_t piece : {100'000u, 16'384u}) {
        process_node p;
        sim_time end{};
        const auto sender = [](process_node& n, host::staging_buffer by) -> gpu::host_task {
            auto r = n.put(n.host_from, n.host_to, 100'000, 3);
            r.from = n.gpu_from + 77;
            EXPECT_EQ(co_await host::staged_put(*n.process, r, by), transmit_status::done);
        };
        const auto receiver = [](process_node& n, host::staging_buffer by, sim_time& at) -> gpu::host_task {
            co_await host::staged_receive(*n.process, n.gpu_to + 5, 100'000, by);
            at = n.n.sim.events().now();
        };
        const sim_time begin = p.n.sim.events().now();
        p.process->start(receiver(p, {p.host_to, 100'000, piece}, end));
        p.run(sender(p, {p.host_from, 100'000, piece}));
        p.expect_equal(p.gpu_from + 77, p.gpu_to + 5, 100'000);
        std::printf("staged in pieces of %u: %.1f us\n", piece, (end - begin).seconds() * 1e6);
        p.n.expect_clean();
    }
}

// ---- reset

// A callback of before that stayed would resume the program of after, or one that is gone.
TEST(rdma_process, a_reset_in_the_midst_leaves_no_callback_behind) {
    rdma_process::spec s;
    s.put = s.completion = sim_time::from_us(5);
    s.gets = 1;
    process_node p(s);
    struct count {
        unsigned begun = 0, ended = 0;
    } before, after;
    const auto work = [](process_node& of, sim_time time, count& c) -> gpu::host_task {
        ++c.begun;
        co_await of.process->work(time);
        ++c.ended;
    };
    const auto get = [](process_node& of, count& c) -> gpu::host_task {
        for (unsigned i = 0; i < 4; ++i) {
            ++c.begun;
            co_await of.process->got(
                co_await of.process->get({transmit_node::here, of.host_from, of.gpu_to + 9000u * i, 9000}));
            ++c.ended;
        }
    };
    std::vector<completion_record> got_before, got;
    std::vector<transmit_status> how_before, how;
    for (const unsigned ns : {1u, 2000u, 4000u, 7000u, 9000u}) {
        before = {};
        for (unsigned i = 0; i < 3; ++i) p.process->start(work(p, sim_time::from_us(10 + i), before));
        p.process->start(get(p, before));
        p.process->start(receive_all(p, 100, got_before));
        p.process->start(
            send_all(p, {p.put(p.gpu_from, p.host_to, 70'000), p.put(p.host_from, p.gpu_to, 70'000)}, how_before));
        p.n.sim.run_to(p.n.sim.events().now() + sim_time::from_ns(ns));
        const count at_reset = before;
        EXPECT_LT(at_reset.ended, at_reset.begun);
        p.reset();
        EXPECT_TRUE(p.process->finished()) << "no program is left";
        after = {};
        const sim_time since = p.n.sim.events().now();
        for (unsigned i = 0; i < 4; ++i) p.process->start(work(p, sim_time::from_us(20), after));
        p.n.sim.run_to(since + sim_time::from_ns(19'999));
        EXPECT_EQ(after.ended, 0u) << "a call of before the reset after " << ns << " ns has ended a pause";
        p.n.sim.run();
        EXPECT_EQ(after.ended, 4u);
        EXPECT_EQ(before.begun, at_reset.begun);
        EXPECT_EQ(before.ended, at_reset.ended);
        got.clear();
        how.clear();
        p.process->start(receive_all(p, 2, got));
        p.run(send_all(p,
                       {p.put(p.gpu_from + 3, p.host_to + 100'000, 70'000, 8),
                        p.put(p.host_from + 5, p.gpu_to + 100'000, 60'000, 9)},
                       how));
        EXPECT_EQ(how, std::vector<transmit_status>(2));
        ASSERT_EQ(got.size(), 2u);
        EXPECT_EQ(got[0].tag, 8u);
        EXPECT_EQ(got[1].tag, 9u);
        p.expect_equal(p.gpu_from + 3, p.host_to + 100'000, 70'000);
        p.expect_equal(p.host_from + 5, p.gpu_to + 100'000, 60'000);
        p.n.expect_clean();
    }
}

// ---- memory that is registered when it is used

// The host's and the GPU's memory as one range each, none of which is registered.
struct cached_node : process_node {
    static constexpr std::uint64_t host_base = 0x6000'0000'0000, gpu_base = 0x6100'0000'0000;
    explicit cached_node(const host::registration_cache::spec& s)
        : cache(*process, statistics, "cache", s, [](memory_space space, std::uint64_t base, std::uint64_t size) {
              rdma_process::region r{space, base, {}, {}, nic::of_gpu(space) ? token : std::uint16_t{0}};
              const std::uint64_t at = base - (nic::of_gpu(space) ? gpu_base : host_base);
              for (std::uint64_t i = 0; i < size; i += 1ull << nic::page_bits(space))
                  r.pages.push_back((nic::of_gpu(space) ? 0 : transmit_node::host_base + transmit_node::data_at) + at +
                                    i);
              return r;
          }) {}
    std::uint8_t unregistered(std::uint64_t address) {
        return address >= gpu_base ? n.gpu->memory().bytes()[address - gpu_base]
                                   : n.memory[transmit_node::data_at + address - host_base];
    }
    void expect_arrived(std::uint64_t from, std::uint64_t to, std::uint32_t length) {
        for (std::uint32_t i = 0; i < length; ++i) ASSERT_EQ(unregistered(from + i), byte(to + i)) << i;
    }
    static rdma_process::put_request from(std::uint64_t source, std::uint64_t to, std::uint32_t length) {
        return {source >= gpu_base ? memory_space::gpu0 : memory_space::host, source, transmit_node::here, to, length};
    }
    observe::statistics statistics;
    host::registration_cache cache;
};
gpu::host_task put_one_by_one(cached_node& c, std::vector<rdma_process::put_request> puts,
                              std::vector<sim_time>& times) {
    for (const auto& r : puts) {
        const sim_time since = c.n.sim.events().now();
        const auto m = co_await c.cache.put(r);
        times.push_back(c.n.sim.events().now() - since);
        const transmit_status how = co_await c.cache.sent(m);
        EXPECT_EQ(how, transmit_status::done);
    }
}

TEST(registration_cache, keeps_what_was_used_last_and_hits_cost_nothing) {
    cached_node c({.entries = 2, .page = sim_time::from_ns(300)});
    const std::uint64_t a = c.host_base + 100, b = c.host_base + 50'000, d = c.gpu_base + 70'000;
    std::vector<sim_time> times;
    c.run(put_one_by_one(c,
                         {c.from(a, c.host_to, 5000), c.from(b, c.host_to + 10'000, 100),
                          c.from(a + 9, c.host_to + 20'000, 4000), c.from(d, c.host_to + 30'000, 9000),  // b goes
                          c.from(a, c.host_to + 40'000, 5000),                                           // a hit
                          c.from(b, c.host_to + 50'000, 100)},                                           // d goes
                         times));
    EXPECT_EQ(c.cache.hits(), 2u);
    EXPECT_EQ(c.cache.misses(), 4u);
    EXPECT_EQ(c.cache.evictions(), 2u);
    EXPECT_EQ(c.cache.registered(), 2u);
    EXPECT_EQ(times[0], sim_time::from_ns(600)) << "two pages";
    EXPECT_EQ(times[2], sim_time{}) << "a hit";
    EXPECT_EQ(times[4], sim_time{}) << "a hit";
    EXPECT_GT(times[3], sim_time::from_ns(600)) << "a page less, an invalidation, a page more";
    c.expect_arrived(a, c.host_to, 5000);
    c.expect_arrived(d, c.host_to + 30'000, 9000);
    c.expect_arrived(b, c.host_to + 50'000, 100);
    c.run(([](cached_node& of) -> gpu::host_task { co_await of.cache.clear(); })(c));
    EXPECT_EQ(c.cache.registered(), 0u);
    c.n.expect_clean();
}

// Entries in use stay, what overlaps becomes one entry, and nothing is sent from where it must not be.
TEST(registration_cache, waits_for_messages_under_way_and_joins_what_overlaps) {
    cached_node c({.entries = 1});
    std::vector<sim_time> times;
    std::vector<rdma_process::put_request> puts;
    for (unsigned i = 0; i < 6; ++i)
        puts.push_back(c.from((i % 2 ? c.gpu_base : c.host_base) + i * 7000, c.host_to + i * 20'000, 15'000));
    for (const auto& r : puts) c.process->start(put_one_by_one(c, {r}, times));
    c.n.sim.run();
    c.process->rethrow();
    EXPECT_TRUE(c.process->finished());
    EXPECT_EQ(c.cache.registered(), 1u);
    for (const auto& r : puts) c.expect_arrived(r.from, r.to, r.length);
    c.n.expect_clean();
    cached_node j({.entries = 8});
    times.clear();
    j.run(put_one_by_one(j,
                         {j.from(j.host_base, j.host_to, 9000), j.from(j.host_base + 8000, j.host_to + 20'000, 9000),
                          j.from(j.host_base + 3000, j.host_to + 40'000, 12'000)},
                         times));
    EXPECT_EQ(j.cache.misses(), 2u);
    EXPECT_EQ(j.cache.registered(), 1u);
    j.expect_arrived(j.host_base + 3000, j.host_to + 40'000, 12'000);
}

TEST(registration_cache, registers_again_after_a_reset_in_the_midst) {
    cached_node c({.entries = 2});
    std::vector<sim_time> times;
    std::vector<rdma_process::put_request> puts;
    for (unsigned i = 0; i < 4; ++i) puts.push_back(c.from(c.host_base + i * 20'000, c.host_to + i * 20'000, 15'000));
    for (const auto& r : puts) c.process->start(put_one_by_one(c, {r}, times));  // two wait for an entry
    c.n.sim.run_to(c.n.sim.events().now() + sim_time::from_us(2));
    EXPECT_FALSE(c.process->finished());
    EXPECT_EQ(c.cache.registered(), 2u);
    c.reset();
    c.cache.reset();
    EXPECT_EQ(c.cache.registered(), 0u);
    c.n.sim.run();
    times.clear();
    for (const auto& r : puts) c.process->start(put_one_by_one(c, {r}, times));
    c.n.sim.run();
    c.process->rethrow();
    EXPECT_TRUE(c.process->finished());
    EXPECT_EQ(times.size(), puts.size());
    for (const auto& r : puts) c.expect_arrived(r.from, r.to, r.length);
    c.n.expect_clean();
}

}  // namespace
