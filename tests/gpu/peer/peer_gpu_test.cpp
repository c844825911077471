// SPDX-License-Identifier: Apache-2.0
// A GPU's peer-to-peer side over PCIe: lines arrive whole, in order, at the times that latency and rate give; a window
// writes to the page that it showed when the data was sent; BAR1 shows the mapped pages; refused requests are counted,
// and change nothing.
#include "core/little_endian.h"
#include "gpu/peer/peer_gpu.h"

#include <gmock/gmock.h>

#include "peer_node.h"

using namespace contraflow;
using namespace contraflow::gpu;
using core::sim_time;
using gpu::testing::noise;
using gpu::testing::peer_node;
using gpu::testing::requester;
using ::testing::HasSubstr;

namespace {

constexpr std::uint64_t page = peer_page;

peer_spec small(std::uint32_t requesters = 1) {
    peer_spec s;
    s.memory = {16 * page};
    s.aperture = {4 * page};
    s.requesters = requesters;
    return s;
}

double ns(sim_time t) { return t.seconds() * 1e9; }

// ---- reads

TEST(peer_read, lines_come_in_order_whole_and_as_fast_as_the_engine_says) {
    peer_node n(small());
    n.gpu->memory().let(0, 16 * page, 7);
    n.open_answers(0);
    const sim_time start = n.sim.events().now();
    constexpr unsigned lines = 400;
    // Reads scattered places, with ascending places of the answers.
    const auto from = [](unsigned i) { return std::uint64_t{(i * 37) % 8192} * peer_line; };
    for (unsigned i = 0; i < lines; ++i) n.ask(0, from(i), i);
    n.sim.run();
    requester& r = n.requesters[0];
    ASSERT_EQ(r.arrivals.size(), 2 * lines);
    for (unsigned i = 0; i < lines; ++i) {
        EXPECT_TRUE(std::equal(r.memory.begin() + i * peer_line, r.memory.begin() + (i + 1) * peer_line,
                               n.before.begin() + static_cast<long>(from(i))));
        EXPECT_EQ(r.arrivals[2 * i].offset, i * peer_line);
        EXPECT_EQ(r.arrivals[2 * i + 1].offset, i * peer_line + 64);
        EXPECT_EQ(r.arrivals[2 * i].length, peer_answer);
    }
    // 79.5 ns per line at every latency; the round trip takes 300 to 450 ns.
    const double rate_ns = ns(r.arrivals.back().at - r.arrivals[1].at) / (lines - 1);
    EXPECT_NEAR(rate_ns, 128 / (1.5 * 1.073741824), 0.2);
    EXPECT_NEAR(ns(r.arrivals[0].at - start), 1500 + 375, 75);
    EXPECT_TRUE(n.memory_unchanged());
    n.expect_clean();
}

TEST(peer_read, takes_its_latency_once_for_requests_that_overlap_and_each_time_for_those_that_do_not) {
    peer_spec s = small();
    s.read_rate = core::bandwidth::from_gb_per_s(1000);
    peer_node n(s);
    n.gpu->memory().let(0, page, 7);
    n.open_answers(0);
    requester& r = n.requesters[0];
    double alone = 0;
    for (unsigned i = 0; i < 2; ++i) {
        const sim_time start = n.sim.events().now();
        n.ask(0, 0, i);
        n.sim.run();
        alone = ns(r.arrivals.back().at - start);
        EXPECT_NEAR(alone, 1500 + 400, 75);
    }
    const sim_time start = n.sim.events().now();
    for (unsigned i = 0; i < 10; ++i) n.ask(0, 0, i);
    n.sim.run();
    EXPECT_LT(ns(r.arrivals.back().at - start), alone + 9 * 60);  // a line takes 42 ns of wire, DLLPs not counted
}

TEST(peer_read, a_full_queue_holds_requests_back_on_the_link_and_loses_none) {
    peer_spec s = small();
    s.read_queue = 4;
    pcie::fabric_spec f;
    f.posted_headers = 2;
    peer_node n(s, f);
    n.gpu->memory().let(0, 16 * page, 7);
    n.open_answers(0);
    const sim_time start = n.sim.events().now();
    for (unsigned i = 0; i < 500; ++i) n.ask(0, i * peer_line, i);
    n.sim.run_to(start + sim_time::from_us(20));
    EXPECT_THAT(n.waits(), HasSubstr("waits for room among read requests"));
    EXPECT_THAT(n.waits(), HasSubstr("nic0.link waits for posted header credit"));
    n.sim.run();
    requester& r = n.requesters[0];
    EXPECT_TRUE(std::equal(r.memory.begin(), r.memory.begin() + 500 * peer_line, n.before.begin()));
    // Little's law: four requests in 1.5 us.
    EXPECT_NEAR(ns(r.arrivals.back().at - start) / 500, 1500.0 / 4, 8);
    EXPECT_EQ(n.waits(), "");
    n.expect_clean();
}

TEST(peer_read, what_is_not_let_or_has_no_place_for_its_answer_is_counted_and_moves_nothing) {
    peer_node n(small());
    n.gpu->memory().let(page, page, 7);
    n.ask(0, page, 0);  // no answer window yet
    n.open_answers(0, 1024);
    n.ask(0, 2 * page, 0);    // not permitted
    n.ask(0, 16 * page, 0);   // does not exist
    n.ask(0, 1ull << 39, 0);  // far beyond
    n.ask(0, page, 8);        // beyond the answer window
    n.ask(0, page + 64, 0);   // half of a line
    n.requesters[0].write(n.register_of(0, peer_register::read_request), page | 1ull << 60);
    n.sim.run();
    EXPECT_TRUE(n.requesters[0].arrivals.empty());
    EXPECT_EQ(n.gpu->reads().refused(0), 7u);
    auto& counts = n.requesters[0].read(n.register_of(0, peer_register::refused), 8);
    n.sim.run();
    EXPECT_EQ(counts.buffer[0], 7u);
    n.ask(0, page, 7);  // the last valid place
    n.sim.run();
    EXPECT_EQ(n.requesters[0].arrivals.size(), 2u);
    n.gpu->memory().let(page, page, 0);
    n.ask(0, page, 7);
    n.sim.run();
    EXPECT_EQ(n.requesters[0].arrivals.size(), 2u);
    n.expect_clean();
}

TEST(peer_read, two_requesters_have_answers_of_their_own) {
    peer_node n(small(2));
    n.gpu->memory().let(0, 16 * page, 7);
    n.open_answers(0);
    n.open_answers(1);
    for (unsigned i = 0; i < 100; ++i) {
        n.ask(0, i * peer_line, i);
        n.ask(1, 8 * page + i * peer_line, i);
    }
    n.sim.run();
    for (unsigned w = 0; w < 2; ++w) {
        const auto& r = n.requesters[w];
        EXPECT_TRUE(std::equal(r.memory.begin(), r.memory.begin() + 100 * peer_line,
                               n.before.begin() + static_cast<long>(w * 8 * page)));
        EXPECT_EQ(r.arrivals.size(), 200u);
    }
}

TEST(peer_registers, take_words_of_8_bytes_and_nothing_else) {
    peer_node n(small());
    requester& r = n.requesters[0];
    r.write(n.register_of(0, peer_register::read_request), std::vector<std::uint8_t>(4));
    r.write(n.register_of(0, peer_register::refused), 0);
    r.write(n.gpu->registers_of(0) + 72, 0);
    n.sim.run();
    EXPECT_EQ(n.gpu->function().answers().aborted(), 3u);
    EXPECT_EQ(n.gpu->reads().refused(0), 0u);
    auto& wrong = r.read(n.register_of(0, peer_register::window), 8);
    n.sim.run();
    EXPECT_EQ(wrong.status, pcie::completion_status::completer_abort);
}

// ---- the write window

TEST(write_window, data_goes_to_the_page_that_the_window_showed_when_it_was_sent) {
    peer_node n(small());
    n.gpu->memory().let(0, 16 * page, 9);
    std::mt19937_64 draw(3);
    std::vector<std::uint8_t> expected = n.before;
    for (unsigned i = 0; i < 300; ++i) {
        const std::uint64_t shown = draw() % 16 * page;
        n.move_window(0, {shown, 9, true});
        for (unsigned k = draw() % 4; k-- > 0;) {
            const std::uint64_t length = 1 + draw() % 700, offset = draw() % (page - length);
            auto bytes = noise(length, draw());
            std::ranges::copy(bytes, expected.begin() + static_cast<long>(shown + offset));
            n.requesters[0].write(n.gpu->window_of(0) + offset, std::move(bytes));
        }
    }
    const sim_time start = n.sim.events().now();
    n.sim.run();
    EXPECT_TRUE(std::ranges::equal(n.gpu->memory().bytes(), expected));
    EXPECT_EQ(n.gpu->windows().moves(), 300u);
    EXPECT_GT((n.sim.events().now() - start).ps, (sim_time::from_ns(100) * 300).ps);
    n.expect_clean();
}

TEST(write_window, moving_takes_its_time_and_what_comes_behind_waits) {
    for (const std::uint64_t move : {0u, 5000u}) {
        peer_spec s = small();
        s.window_move = sim_time::from_ns(move);
        peer_node n(s);
        n.gpu->memory().let(0, 16 * page, 9);
        n.open_answers(0);
        const sim_time start = n.sim.events().now();
        n.move_window(0, {page, 9, true});
        n.requesters[0].write(n.gpu->window_of(0), noise(64, 1));
        n.move_window(0, {2 * page, 9, true});
        n.requesters[0].write(n.gpu->window_of(0), noise(64, 2));
        n.ask(0, 2 * page, 0);  // pushes the data before it
        n.sim.run_to(start + sim_time::from_us(3));
        if (move != 0) { EXPECT_THAT(n.waits(), HasSubstr("waits for a window to be moved of gpu.windows")); }
        n.sim.run();
        EXPECT_NEAR(ns(n.requesters[0].arrivals.back().at - start), 2.0 * static_cast<double>(move) + 1900, 120);
        const auto second = noise(64, 2);
        EXPECT_TRUE(std::equal(second.begin(), second.end(), n.requesters[0].memory.begin()));
    }
}

TEST(write_window, a_page_that_is_not_let_or_has_another_token_closes_it_and_nothing_is_written) {
    for (const peer_window& to :
         {peer_window{page, 8, true}, peer_window{2 * page, 9, true}, peer_window{2 * page, 0, true},
          peer_window{1ull << 44, 9, true}, peer_window{page, 9, false}}) {
        peer_node n(small());
        n.gpu->memory().let(page, page, 9);
        n.requesters[0].write(n.gpu->window_of(0), noise(64, 1));  // closed from the start
        n.move_window(0, {page, 9, true});
        n.move_window(0, to);
        n.requesters[0].write(n.gpu->window_of(0), noise(256, 1));  // two TLPs
        n.sim.run();
        EXPECT_TRUE(n.memory_unchanged());
        EXPECT_EQ(n.gpu->windows().refused(0), to.open ? 4u : 3u);
        auto& counts = n.requesters[0].read(n.register_of(0, peer_register::refused), 8);
        n.sim.run();
        EXPECT_EQ(counts.buffer[4], n.gpu->windows().refused(0));
        n.expect_clean();
    }
}

TEST(write_window, a_page_that_is_taken_back_takes_no_more_data) {
    peer_node n(small());
    n.gpu->memory().let(page, page, 9);
    n.move_window(0, {page, 9, true});
    n.sim.run();
    n.gpu->memory().let(page, page, 0);
    n.requesters[0].write(n.gpu->window_of(0), noise(64, 1));
    n.sim.run();
    EXPECT_TRUE(n.memory_unchanged());
    EXPECT_EQ(n.gpu->windows().refused(0), 1u);
}

TEST(write_window, of_one_requester_does_not_move_another_ones) {
    peer_node n(small(2));
    n.gpu->memory().let(0, 16 * page, 9);
    n.move_window(0, {page, 9, true});
    n.sim.run();
    n.move_window(1, {3 * page, 9, true});
    n.requesters[0].write(n.gpu->window_of(0) + 100, noise(64, 1));
    n.sim.run();
    const auto mine = noise(64, 1);
    EXPECT_TRUE(std::equal(mine.begin(), mine.end(), n.gpu->memory().bytes().begin() + page + 100));
    EXPECT_TRUE(std::equal(n.before.begin() + 3 * page, n.before.end(), n.gpu->memory().bytes().begin() + 3 * page));
}

// ---- BAR1

// The first requester stands for the host. It takes nothing for a while, so what follows a long copy waits in the GPU.
TEST(copy_engine, the_last_interrupt_comes_after_the_count_of_all_copies) {
    peer_spec s = small();
    s.copy_rate = core::bandwidth::from_gb_per_s(100);
    for (const unsigned copies : {1u, 2u, 3u, 5u, 16u, 40u}) {
        peer_node n(s);
        constexpr std::uint64_t report_at = 8192, interrupt_at = 12288;
        auto& host = n.requesters[0];
        const std::uint64_t base = host.function->place().bars[0].base;
        std::vector<std::uint64_t> told;
        bool taking = false;
        host.may_take = [&](std::uint64_t offset, const pcie::tlp&) {
            if (!taking) return false;
            if (offset == interrupt_at) told.push_back(core::load_le<std::uint64_t>(host.memory.data() + report_at));
            return true;
        };
        n.gpu->copies().configure_msi({base + interrupt_at, 9});
        host.write(n.register_of(0, peer_register::copy_report), base + report_at);
        const auto copy = [&](std::uint64_t to, std::uint64_t from, std::uint32_t length, bool tell) {
            host.write(n.register_of(0, peer_register::copy_host), base + to);
            host.write(n.register_of(0, peer_register::copy_gpu), from);
            host.write(n.register_of(0, peer_register::copy_start), gpu::peer_copy{length, true, tell}.encode());
        };
        copy(16384, page, 32768, false);
        for (unsigned i = 0; i < copies; ++i) copy(8u * i, 64u * i, 8, true);
        n.sim.run_to(n.sim.events().now() + sim_time::from_us(50));
        taking = true;
        host.function->resume(pcie::credit_class::posted);
        n.sim.run();
        ASSERT_FALSE(told.empty());
        EXPECT_EQ(told.back(), copies + 1u);
        for (unsigned i = 0; i < copies; ++i)
            EXPECT_TRUE(
                std::equal(n.before.begin() + 64 * i, n.before.begin() + 64 * i + 8, host.memory.begin() + 8 * i))
                << i;
        n.expect_clean();
    }
}

TEST(bar1, shows_mapped_pages_and_answers_reads_at_its_own_rate) {
    for (const auto& [generation, gb] :
         {std::pair{peer_generation::fermi, 0.15}, {peer_generation::kepler, 1.6 * 1.073741824}}) {
        peer_spec s = peer_spec::of(generation);
        s.memory = {16 * page};
        s.aperture = {4 * page};
        peer_node n(s);
        const auto m = n.gpu->bar1().map(5 * page + 300, 2 * page);
        ASSERT_TRUE(m);
        EXPECT_EQ(m->offset % page, 300u);
        EXPECT_EQ(m->ready, n.sim.events().now() + s.map_time);
        n.sim.run_to(m->ready);
        const sim_time start = n.sim.events().now();
        auto& o = n.requesters[0].read(n.gpu->aperture_base() + m->offset, 2 * page);
        n.sim.run();
        EXPECT_FALSE(o.failed());
        const auto& j = n.requesters[0].jobs.back();
        EXPECT_TRUE(std::equal(j.bytes.begin(), j.bytes.end(), n.before.begin() + 5 * page + 300));
        // 64 tags of 512 bytes cover more than the latency at these rates.
        EXPECT_NEAR(ns(j.finished - start), 2 * page / gb + 1500 + 500, 250);
        EXPECT_TRUE(n.memory_unchanged());
        n.expect_clean();
    }
}

TEST(bar1, little_s_law_with_few_reads_in_the_queue) {
    peer_spec s = small();
    s.aperture_rate = core::bandwidth::from_gb_per_s(100);
    s.aperture_queue = 2;
    peer_node n(s);
    const auto m = n.gpu->bar1().map(0, page);
    n.sim.run_to(m->ready);
    const sim_time start = n.sim.events().now();
    n.requesters[0].read(n.gpu->aperture_base() + m->offset, 64 * 512);
    n.sim.run_to(start + sim_time::from_us(3));
    EXPECT_THAT(n.waits(), HasSubstr("waits for room among reads of gpu.bar1"));
    n.sim.run();
    EXPECT_NEAR(ns(n.requesters[0].jobs.back().finished - start) / 64, 1500.0 / 2, 30);
    n.expect_clean();
}

TEST(bar1, is_limited_and_pages_that_are_not_mapped_abort) {
    peer_node n(small());
    auto& bar1 = n.gpu->bar1();
    requester& r = n.requesters[0];
    EXPECT_FALSE(bar1.map(0, 5 * page));
    EXPECT_FALSE(bar1.map(15 * page, 2 * page));
    EXPECT_FALSE(bar1.map(0, 0));
    const auto two = bar1.map(100, page);  // touches two pages
    const auto one = bar1.map(8 * page, page);
    ASSERT_TRUE(two && one);
    EXPECT_EQ(one->ready, two->ready + sim_time::from_us(1000));  // one after the other
    EXPECT_FALSE(bar1.map(0, 2 * page));
    auto& early = r.read(n.gpu->aperture_base() + two->offset, 64);
    n.sim.run();
    EXPECT_EQ(early.status, pcie::completion_status::completer_abort);
    n.sim.run_to(one->ready);
    auto& good = r.read(n.gpu->aperture_base() + two->offset, 64);
    r.write(n.gpu->aperture_base() + one->offset + 77, noise(1000, 5));
    n.sim.run();
    EXPECT_FALSE(good.failed());
    const auto mine = noise(1000, 5);
    EXPECT_TRUE(std::equal(mine.begin(), mine.end(), n.gpu->memory().bytes().begin() + 8 * page + 77));
    bar1.unmap(*two, page);
    auto& gone = r.read(n.gpu->aperture_base() + two->offset, 64);
    r.write(n.gpu->aperture_base() + two->offset, noise(64, 6));
    n.sim.run();
    EXPECT_EQ(gone.status, pcie::completion_status::completer_abort);
    EXPECT_TRUE(std::equal(n.before.begin(), n.before.begin() + 2 * page, n.gpu->memory().bytes().begin()));
    EXPECT_TRUE(bar1.map(0, 2 * page));
    n.expect_clean();
}

// ---- resets

TEST(peer_gpu, reset_in_the_midst_drops_requests_aborts_reads_and_closes_windows) {
    for (const unsigned us : {1u, 2u, 5u}) {
        peer_node n(small());
        n.gpu->memory().let(0, 16 * page, 7);
        n.open_answers(0);
        const auto m = n.gpu->bar1().map(0, page);
        n.sim.run_to(m->ready);
        n.requesters[0].arrivals.clear();
        auto& o = n.requesters[0].read(n.gpu->aperture_base() + m->offset, 4096);
        for (unsigned i = 0; i < 300; ++i) n.ask(0, i * peer_line, i);
        n.sim.run_to(n.sim.events().now() + sim_time::from_us(us));
        n.gpu->reset_engines();
        n.requesters[0].write(n.gpu->window_of(0), noise(64, 1));
        n.sim.run();
        const auto lines = n.requesters[0].arrivals.size();
        EXPECT_EQ(lines % 2, 0u);
        EXPECT_LT(lines, 600u);
        EXPECT_EQ(lines / 2 + n.gpu->reads().dropped() + n.gpu->reads().refused(0), 300u);
        EXPECT_GT(n.gpu->reads().refused(0), 0u);  // these arrived after the reset, and the answer window is closed
        EXPECT_TRUE(o.failed());
        EXPECT_TRUE(n.memory_unchanged());
        EXPECT_EQ(n.waits(), "");
        n.open_answers(0);
        n.ask(0, page, 3);
        n.sim.run();
        EXPECT_EQ(n.requesters[0].arrivals.size(), lines + 2);
        n.expect_clean();
    }
}

TEST(peer_gpu, reset_of_the_whole_tree_in_the_midst_leaves_nothing_and_works_again) {
    for (const unsigned ns : {50u, 400u, 1700u, 2500u, 6000u}) {
        peer_node n(small());
        n.gpu->memory().let(0, 16 * page, 7);
        n.open_answers(0);
        const auto m = n.gpu->bar1().map(0, page);
        n.sim.run_to(m->ready);
        for (unsigned i = 0; i < 200; ++i) n.ask(0, i * peer_line, i);
        n.requesters[0].read(n.gpu->aperture_base() + m->offset, 8192);
        n.move_window(0, {page, 7, true});
        n.sim.run_to(n.sim.events().now() + sim_time::from_ns(ns));
        ASSERT_TRUE(n.tree->control(core::control_verb::reset));
        EXPECT_EQ(n.pool.in_flight(), 0u);
        const auto lines = n.requesters[0].arrivals.size();
        n.sim.run();
        EXPECT_EQ(n.requesters[0].arrivals.size(), lines);
        n.open_answers(0);
        for (unsigned i = 0; i < 100; ++i) n.ask(0, 3 * page + i * peer_line, i);
        n.sim.run();
        EXPECT_EQ(n.requesters[0].arrivals.size(), lines + 200);
        EXPECT_TRUE(std::equal(n.requesters[0].memory.begin(), n.requesters[0].memory.begin() + 100 * peer_line,
                               n.before.begin() + 3 * page));
        n.expect_clean();
    }
}

TEST(peer_gpu, a_line_costs_few_callbacks_and_no_memory_of_the_heap_once_it_is_warm) {
    peer_node n(small());
    n.gpu->memory().let(0, 16 * page, 7);
    n.open_answers(0);
    const std::uint64_t before = n.sim.events().executed();
    for (unsigned i = 0; i < 500; ++i) n.ask(0, i * peer_line, i);
    n.sim.run();
    const double per_line = static_cast<double>(n.sim.events().executed() - before) / 500;
    RecordProperty("callbacks_per_line", std::to_string(per_line));
    EXPECT_LT(per_line, 30);
}

}  // namespace
