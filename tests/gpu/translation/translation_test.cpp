// SPDX-License-Identifier: Apache-2.0
// Compute units whose addresses take time to translate: the cost of a hit and of a miss, unchanged results of kernels,
// the names in a fault's message, and a page that is taken away while units use it.
#include "memory/translation_support.h"

#include <gtest/gtest.h>

#include "gpu/timed_machine.h"

namespace translation_test {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::machine_spec;
using gpu::testing::timed_machine;
using memory::page_bits_4k;
using memory::translation_range;
using memory::testing::known_pages;
using memory::testing::page_at;

constexpr core::sim_time cycle = core::sim_time::from_ns(1);

struct translated_machine {
    explicit translated_machine(machine_spec s, core::sim_time latency = cycle * 200, unsigned room = 1000) {
        s.translation = [&](core::scheduler& events) -> memory::translation_server& {
            if (!pages) pages = std::make_unique<known_pages>(events, latency, room);
            return pages->requests();
        };
        machine = std::make_unique<timed_machine>(s);
    }
    // Made after allocation: 4 KiB pages of all that is allocated.
    void map(std::uint64_t first, std::uint64_t bytes) {
        for (std::uint64_t at = first / 4096 * 4096; at < first + bytes; at += 4096)
            pages->put(0, page_at(at, machine->pages.translate(at, 0)));
    }
    memory::tlb& tlb(unsigned unit = 0) { return machine->units[unit]->memory_side().translator()->tlb(); }
    // The same rule as in a GPU for its units.
    void shoot_down(unsigned unit, const translation_range& which, core::callback done) {
        load_store_unit& u = machine->units[unit]->memory_side();
        u.invalidate(which, pages->epoch);
        orders.push_back({u, which, done});
        machine->sim.events().after(
            u.invalidate_latency(),
            [](void* o, std::uint64_t) {
                auto& first = *static_cast<order*>(o);
                if (!first.unit.drain(first.which, first.done)) first.done();
            },
            &orders.back());
    }

    struct order {
        load_store_unit& unit;
        translation_range which;
        core::callback done;
    };
    std::deque<order> orders;
    std::unique_ptr<timed_machine> machine;
    std::unique_ptr<known_pages> pages;
};

machine_spec one_unit() {
    machine_spec s;
    s.sockets = s.units = 1;
    s.dispatcher.launch_cost = {0};
    s.dispatcher.cta_interval = {0};
    s.memory.least = s.memory.most = cycle * 100;
    s.memory.queue = 1'000'000;
    s.unit.l1_tlb.hit_latency = {3};
    s.unit.l1_tlb.fill_latency = {2};
    return s;
}

TEST(translation, a_hit_adds_its_latency_and_a_miss_the_way_below) {
    translated_machine t(one_unit());
    auto& m = *t.machine;
    auto x = m.memory.allocate<float>(64);
    t.map(x.address(0), 256);
    const auto load = [=](wave w) -> kernel { co_await w.load(x, w.global_ids()); };
    EXPECT_EQ(m.run(1, 32, load).ps / 1000, 101u + 3u + 200u + 2u);
    EXPECT_EQ(m.run(1, 32, load).ps / 1000, 101u + 3u);
    EXPECT_EQ(m.profile.spent(access_kind::load, false, memory::stage::l1_tlb), cycle * (3 + 2 + 3));
    EXPECT_EQ(m.profile.spent(access_kind::load, false, memory::stage::iommu), cycle * 200);
    EXPECT_EQ(m.profile.spent(access_kind::load, false, memory::stage::dram), cycle * 200);
    EXPECT_EQ(t.tlb().statistics().hits.value(), 1u);
    EXPECT_TRUE(m.conserved());
}

// A look between any two nanoseconds: the TLB holds a request back, and others are to follow. The first of them could
// not have gone before the cycle after the one that is held back, so the first look at each wait does not count.
struct stall_looks {
    translated_machine& t;
    unsigned lines = 0;
    std::uint64_t seen = 0;
    bool before = false;
    double statistic(const std::string& path) const {
        timed_machine& m = *t.machine;
        for (const auto& row : m.statistics.rows(m.sim.events().now()))
            if (row.path == path) return row.value;
        throw std::out_of_range("no statistic " + path);
    }
    void look() {
        std::vector<core::wait_edge> edges;
        t.machine->units[0]->memory_side().translator()->report_waits(edges);
        const bool held = std::any_of(edges.begin(), edges.end(), [](const core::wait_edge& e) {
            return std::string_view(e.waiter) == "gpu0_cu0";
        });
        if (held && before && statistic("gpu0_cu0.loads") < lines) ++seen;
        before = held;
    }
};

TEST(translation, the_time_in_which_requests_wait_for_the_tlb_is_counted) {
    for (const unsigned misses : {1u, 3u}) {
        machine_spec s = one_unit();
        s.unit.l1_tlb.mshrs = misses;
        s.unit.l1_tlb.queue = 1;
        translated_machine t(s);
        constexpr unsigned lines = 32, words = 4096 / 4;
        auto x = t.machine->memory.allocate<std::uint32_t>(lines * words);
        t.map(x.address(0), lines * 4096);
        stall_looks looks{t, lines};
        for (std::uint64_t ns = 0; ns < 10'000; ++ns)
            t.machine->sim.events().at(core::sim_time{ns * 1000 + 500}, core::callback::to<&stall_looks::look>(looks));
        t.machine->run(1, lines, [=](wave w) -> kernel { co_await w.load(x, w.thread_ids() * words); });
        EXPECT_EQ(looks.statistic("gpu0_cu0.loads"), lines);
        EXPECT_GT(looks.seen, 1000u);
        EXPECT_EQ(looks.statistic("gpu0_cu0.stalled_translation"), static_cast<double>(looks.seen) * 1000) << misses;
    }
}

TEST(translation, hits_cost_no_callback) {
    const auto callbacks = [](timed_machine& m, auto&& prepare) {
        auto x = m.memory.allocate<std::uint32_t>(1024);
        prepare(x.address(0));
        const auto body = [=](wave w) -> kernel {
            for (unsigned i = 0; i < 50; ++i)
                co_await w.store(x, w.global_ids() * 4, co_await w.load(x, w.global_ids()));
        };
        m.run(1, 256, body);
        const auto before = m.sim.events().executed();
        m.run(1, 256, body);
        return m.sim.events().executed() - before;
    };
    std::uint64_t without = 0;
    {
        timed_machine instant(one_unit());
        without = callbacks(instant, [](std::uint64_t) {});
    }
    for (const std::uint64_t latency : {0u, 3u}) {
        machine_spec s = one_unit();
        s.unit.l1_tlb.hit_latency = {latency};
        translated_machine timed(s);
        const auto with = callbacks(*timed.machine, [&](std::uint64_t at) { timed.map(at, 4096); });
        // Requests that are some cycles later meet other requests, so there are a few callbacks more or fewer.
        if (latency == 0)
            EXPECT_EQ(with, without);
        else
            EXPECT_LE(static_cast<double>(with), static_cast<double>(without) * 1.1);
        EXPECT_GT(timed.tlb().statistics().hits.value(), 3900u);
    }
}

// Every thread adds to elements all over the array; the final sums are known.
void scattered_adds(translated_machine& t, unsigned rounds) {
    auto& m = *t.machine;
    constexpr std::uint32_t n = 16 * 1024;
    auto x = m.memory.allocate<std::uint32_t>(n);
    auto own = m.memory.allocate<std::uint32_t>(n);
    t.map(x.address(0), 4 * n);
    t.map(own.address(0), 4 * n);
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"adds", 16, 128, [=](wave w) -> kernel {
                                 for (unsigned i = 0; i < rounds; ++i) {
                                     const auto at = (w.global_ids() * 257 + i * 1031) % n;
                                     co_await w.atomic_add(x, at, 1);
                                     const auto mine = (w.global_ids() + i % 2 * 8192) % n;
                                     co_await w.store(own, mine, co_await w.load(own, mine) + 1);
                                 }
                             }});
    };
    m.run(program(m.host));
    std::uint64_t sum = 0, stored = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        sum += m.memory.read(x, i);
        stored += m.memory.read(own, i);
    }
    EXPECT_EQ(sum, std::uint64_t{16} * 128 * rounds);
    EXPECT_EQ(stored, std::uint64_t{16} * 128 * rounds);
    EXPECT_TRUE(m.conserved());
}

TEST(translation, kernels_give_the_same_results_with_hardly_any_room) {
    machine_spec s;
    s.pages.page_size = {4096};
    s.unit.l1_tlb.ways = 2;
    s.unit.l1_tlb.mshrs = 2;
    s.unit.l1_tlb.mshr_targets = 1;
    translated_machine t(s, cycle * 150, 1);
    t.pages->jitter_ns = 90;
    scattered_adds(t, 20);
    EXPECT_GT(t.tlb().statistics().evictions.value(), 0u);
    EXPECT_GT(t.tlb().statistics().wait_mshr.value(), 0u);
    EXPECT_GT(t.tlb().statistics().wait_next.value(), 0u);
}

std::string complaint(translated_machine& t, host_task program) {
    try {
        t.machine->run(std::move(program));
    } catch (const std::exception& e) { return e.what(); }
    return {};
}

TEST(translation, a_fault_says_who_did_what_and_where) {
    for (const bool read_only : {false, true}) {
        translated_machine t(one_unit());
        auto& m = *t.machine;
        auto x = m.memory.allocate<std::uint32_t>(64);
        if (read_only)
            t.pages->put(0, page_at(x.address(0), m.pages.translate(x.address(0), 0), page_bits_4k,
                                    memory::access_rights::read));
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch(
                {"writer", 3, 64, [=](wave w) -> kernel { co_await w.store(x, w.global_ids() % 64, 1); }});
        };
        const std::string told = complaint(t, program(m.host));
        EXPECT_NE(told.find(read_only
                                ? "store of 128 bytes at 0x100000000, in a page for reading only: process 0, GPU "
                                  "0, unit 0, wavefront 0 of CTA 0 of kernel 'writer'; expected a page that may be "
                                  "written"
                                : "store of 128 bytes at 0x100000000, where nothing is mapped: process 0"),
                  std::string::npos)
            << told;
        m.sim.run();
        EXPECT_TRUE(m.conserved());
    }
}

TEST(translation, an_answer_with_an_error_says_whose_access_it_was) {
    translated_machine t(one_unit());
    auto& m = *t.machine;
    auto x = m.memory.allocate<std::uint32_t>(64);
    t.map(x.address(0), 256);
    m.target->failing = true;
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"reader", 1, 32, [=](wave w) -> kernel { co_await w.load(x, w.thread_ids()); }});
    };
    EXPECT_EQ(complaint(t, program(m.host)),
              "load of 128 bytes at 0x100000000, answered with TLM_ADDRESS_ERROR_RESPONSE from physical address 0x0: "
              "process 0, GPU 0, unit 0, wavefront 0 of CTA 0 of kernel 'reader'; expected memory that has it");
    EXPECT_TRUE(m.conserved());
}

void count(void* n, std::uint64_t) { ++*static_cast<unsigned*>(n); }

TEST(translation, a_drain_waits_for_requests_of_its_page_that_have_been_translated) {
    translated_machine t(one_unit());
    auto& m = *t.machine;
    auto x = m.memory.allocate<std::uint32_t>(4096);
    t.map(x.address(0), 4 * 4096);
    t.pages->closed = x.address(0) + 3 * 4096;
    unsigned first = 0, second = 0, third = 0, fourth = 0;
    struct orders {
        translated_machine& t;
        std::uint64_t at;
        std::array<unsigned*, 4> done;
    } o{t, x.address(0), {&first, &second, &third, &fourth}};
    // Loads of the first, second and fourth page are under way by then: 310 cycles.
    m.sim.events().at(
        cycle * 230,
        [](void* object, std::uint64_t) {
            const auto& o = *static_cast<orders*>(object);
            for (unsigned i = 0; i < 4; ++i)
                o.t.shoot_down(0, translation_range::page(0, o.at + i * 4096, page_bits_4k), {count, o.done[i], 0});
        },
        &o);
    m.sim.events().at(
        cycle * 240,
        [](void* object, std::uint64_t) {
            const auto& o = *static_cast<orders*>(object);
            EXPECT_EQ(*o.done[0], 0u);
            EXPECT_EQ(*o.done[1], 0u);
            EXPECT_EQ(*o.done[2], 1u);  // nobody uses it
            EXPECT_EQ(*o.done[3], 1u);  // nothing of it is translated
        },
        &o);
    m.sim.events().at(
        cycle * 500,
        [](void* pages, std::uint64_t) {
            static_cast<known_pages*>(pages)->closed = ~std::uint64_t{0};
            static_cast<known_pages*>(pages)->let_in();
        },
        t.pages.get());
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"reader", 1, 32, [=](wave w) -> kernel {
                                 co_await w.all(w.load(x, w.global_ids()), w.load(x, w.global_ids() + 1024),
                                                w.load(x, w.global_ids() + 3072));
                             }});
    };
    m.run(program(m.host));
    EXPECT_EQ(first + second + third + fourth, 4u);
    EXPECT_EQ(t.tlb().pages(), 1u);
    EXPECT_TRUE(m.conserved());
}

// A unit that is paused while its request waits for a translation: the memory is idle, the shootdown does not wait for
// a request that is translated but not sent, and that request goes to the page's new place in the end.
TEST(translation, a_paused_unit_holds_up_no_shootdown) {
    for (const bool early : {false, true}) {
        translated_machine t(one_unit());
        auto& m = *t.machine;
        auto x = m.memory.allocate<std::uint32_t>(1024);
        t.map(x.address(0), 4096);
        struct orders {
            translated_machine& t;
            std::uint64_t page, to;
            unsigned done = 0;
            void shoot() {
                ++t.pages->epoch;
                t.pages->take(0, page);
                t.pages->closed = page;
                t.shoot_down(0, translation_range::page(0, page, page_bits_4k), {count, &done, 0});
            }
            bool quiet() const { return t.machine->units[0]->in_memory() == 0; }
            void control(core::control_verb verb) { t.machine->units[0]->control(verb); }
        } o{t, x.address(0), timed_machine::socket_memory.count / 2};
        const auto at = [&](std::uint64_t when, auto what) { m.sim.events().at(cycle * when, what, &o); };
        // The answer arrives after 206 cycles.
        at(150, [](void* p, std::uint64_t) { static_cast<orders*>(p)->control(core::control_verb::pause); });
        at(250, [](void* p, std::uint64_t) {
            auto& all = *static_cast<orders*>(p);
            EXPECT_TRUE(all.quiet());
            EXPECT_EQ(all.t.machine->units[0]->outstanding(), 1u);
            all.shoot();
        });
        at(270, [](void* p, std::uint64_t) {
            auto& all = *static_cast<orders*>(p);
            EXPECT_EQ(all.done, 1u);
            const std::uint32_t moved = 4711;
            all.t.machine->target->bytes.write(all.to, reinterpret_cast<const std::uint8_t*>(&moved), 4);
            all.t.pages->put(0, page_at(all.page, all.to));
            all.t.pages->closed = ~std::uint64_t{0};
            all.t.pages->let_in();
        });
        at(early ? 280 : 700,
           [](void* p, std::uint64_t) { static_cast<orders*>(p)->control(core::control_verb::enable); });
        std::uint32_t seen = 0;
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch(
                {"reader", 1, 1, [&, x](wave w) -> kernel { seen = (co_await w.load(x, w.global_ids()))[0]; }});
        };
        m.run(program(m.host));
        EXPECT_EQ(seen, 4711u);
        EXPECT_TRUE(m.conserved());
    }
}

// Moves pages one after the other while kernels write to them: closes the page, takes it from all units, copies its
// bytes, and opens it at its new place.
struct mover {
    translated_machine& t;
    std::uint64_t first = 0;
    unsigned pages = 0, missing = 0, moves = 0;
    std::uint64_t next_frame = timed_machine::socket_memory.count / 2, page = 0;
    bool stopped = false;

    void begin() {
        if (stopped) return;
        page = first + moves * 5 % pages * 4096;
        ++t.pages->epoch;
        t.pages->take(0, page);
        t.pages->closed = page;
        missing = static_cast<unsigned>(t.machine->units.size());
        for (unsigned u = 0; u < t.machine->units.size(); ++u)
            t.shoot_down(u, translation_range::page(0, page, page_bits_4k),
                         {[](void* m, std::uint64_t) { static_cast<mover*>(m)->quiet(); }, this, 0});
    }
    void quiet() {
        if (--missing != 0) return;
        std::vector<std::uint8_t> bytes(4096);
        const std::uint64_t to = next_frame;
        next_frame += 4096;
        t.machine->target->bytes.read(home[page], bytes.data(), bytes.size());
        t.machine->target->bytes.write(to, bytes.data(), bytes.size());
        std::fill(bytes.begin(), bytes.end(), 0xee);  // late accesses would see wrong bytes
        t.machine->target->bytes.write(home[page], bytes.data(), bytes.size());
        home[page] = to;
        t.pages->put(0, page_at(page, to));
        t.pages->closed = ~std::uint64_t{0};
        t.pages->let_in();
        ++moves;
        t.machine->sim.events().after(
            cycle * 300, [](void* m, std::uint64_t) { static_cast<mover*>(m)->begin(); }, this);
    }
    std::map<std::uint64_t, std::uint64_t> home{};  // physical, by virtual page
};

TEST(translation, pages_that_move_under_a_kernel_lose_no_write) {
    machine_spec s;
    s.pages.page_size = {4096};
    s.unit.l1_tlb.ways = 8;
    translated_machine t(s);
    auto& m = *t.machine;
    constexpr std::uint32_t n = 16 * 1024;
    auto x = m.memory.allocate<std::uint32_t>(n);
    t.map(x.address(0), 4 * n);
    mover move{t, x.address(0), 4 * n / 4096};
    for (std::uint64_t at = x.address(0); at < x.address(0) + 4 * n; at += 4096)
        move.home[at] = m.pages.translate(at, 0);
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"adds", 16, 128, [=](wave w) -> kernel {
                                 for (unsigned i = 0; i < 60; ++i)
                                     co_await w.atomic_add(x, (w.global_ids() * 8 + i * 1031) % n, 1);
                             }});
        move.stopped = true;
    };
    move.begin();
    m.run(program(m.host));
    EXPECT_GT(move.moves, 20u);
    std::uint64_t sum = 0;
    for (const auto& [at, physical] : move.home)
        for (unsigned i = 0; i < 1024; ++i) {
            std::uint32_t value = 0;
            m.target->bytes.read(physical + 4 * i, reinterpret_cast<std::uint8_t*>(&value), 4);
            sum += value;
        }
    EXPECT_EQ(sum, std::uint64_t{16} * 128 * 60);
    EXPECT_TRUE(m.conserved());
}

}  // namespace translation_test
