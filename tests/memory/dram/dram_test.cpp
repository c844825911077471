// SPDX-License-Identifier: Apache-2.0
// The behaviour of a memory, case by case, with times: 10 ns per bus transfer of a line, 20 ns to the first column,
// 15 to open a row, 13 to close one, 40 of the controller.
#include <random>
#include <set>

#include "memory/dram/dram.h"
#include "memory/probe.h"

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::bench;
using memory::testing::probe;

namespace dram_test {

constexpr std::uint64_t bus = 10, column = 20, opening = 15, closing = 13, overhead = 40, stays_open = 50;
constexpr std::uint64_t row = 2048;
constexpr unsigned banks = 4;
constexpr std::uint64_t open_ns = column + bus + overhead;
constexpr std::uint64_t closed_ns = opening + open_ns;
constexpr std::uint64_t conflict_ns = closing + closed_ns;

dram_spec one_channel() {
    dram_spec d;
    d.size = {1u << 20};
    d.channels = 1;
    d.channel_bandwidth = core::bandwidth::from_gb_per_s(12.8);
    d.banks = banks;
    d.row = {row};
    d.activate = core::sim_time::from_ns(opening);
    d.precharge = core::sim_time::from_ns(closing);
    d.column = core::sim_time::from_ns(column);
    d.row_active = core::sim_time::from_ns(stays_open);
    d.overhead = core::sim_time::from_ns(overhead);
    d.refresh_interval = {};
    return d;
}

// The first byte of that row of that bank.
std::uint64_t place(std::uint64_t which_row, unsigned bank) {
    const interleave rows(banks, row, true);
    for (std::uint64_t a = which_row * banks * row;; a += row)
        if (rows.part_of(a) == bank) return a;
}

struct setup {
    bench b;
    std::vector<std::unique_ptr<probe>> p;
    dram home;
    explicit setup(const dram_spec& s) : home("home", b.shared, s) {
        for (unsigned i = 0; i < s.ports; ++i) {
            p.push_back(std::make_unique<probe>(fmt::format("probe{}", i).c_str(), b));
            b.connect(p[i]->port, home.up(i));
        }
    }
    ~setup() {
        b.expect_silence();
        EXPECT_TRUE(home.idle());
        EXPECT_EQ(b.payloads.in_flight(), 0u);
    }
};

TEST(dram, open_closed_and_conflicting_rows_take_their_time) {
    setup s(one_channel());
    auto& closed = s.p[0]->read(place(0, 0), 128);
    auto& open = s.p[0]->read(place(0, 0) + 128, 128, 500);
    auto& conflict = s.p[0]->read(place(1, 0), 128, 1000);
    auto& other_bank = s.p[0]->read(place(1, 1), 128, 1500);
    auto& still_open = s.p[0]->read(place(1, 0) + 512, 128, 2000);
    s.b.sim.run();
    EXPECT_EQ(closed.ns(), closed_ns);
    EXPECT_EQ(open.ns(), open_ns);
    EXPECT_EQ(conflict.ns(), conflict_ns);
    EXPECT_EQ(other_bank.ns(), closed_ns);
    EXPECT_EQ(still_open.ns(), open_ns);
    EXPECT_EQ(s.home.statistics().row_hits.value(), 2u);
    EXPECT_EQ(s.home.statistics().rows_opened.value(), 2u);
    EXPECT_EQ(s.home.statistics().row_conflicts.value(), 1u);
    EXPECT_EQ(s.home.statistics().bus_busy.value(), 5 * bus * 1000);
    EXPECT_EQ(closed.times.spent(stage::dram).ps, closed_ns * 1000);
}

TEST(dram, a_row_stays_open_for_its_least_time) {
    setup s(one_channel());
    s.p[0]->read(place(0, 0), 128);
    auto& soon = s.p[0]->read(place(1, 0), 128, 1);
    s.b.sim.run();
    EXPECT_EQ(soon.answered.ps / 1000, stays_open + conflict_ns);
}

TEST(dram, the_bus_carries_one_request_after_the_other_while_rows_stay_open) {
    dram_spec d = one_channel();
    d.queue = 64;
    setup s(d);
    std::vector<probe::asked*> all;
    for (unsigned i = 0; i < 16; ++i) all.push_back(&s.p[0]->read(place(0, 0) + 128 * i, 128));
    s.b.sim.run();
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(all[i]->ns(), closed_ns + i * bus) << i;
}

// Five rows at once: one each tRRD, and the fifth when the first is tFAW old.
TEST(dram, rows_are_opened_no_sooner_than_allowed) {
    dram_spec d = one_channel();
    d.banks = 8;
    d.activate_gap = core::sim_time::from_ns(12);
    d.four_activates = core::sim_time::from_ns(60);
    setup s(d);
    const interleave rows(8, row, true);
    std::vector<probe::asked*> all;
    std::set<unsigned> used;
    for (std::uint64_t a = 0; all.size() < 5; a += row)
        if (used.insert(rows.part_of(a)).second) all.push_back(&s.p[0]->read(a, 128));
    s.b.sim.run();
    const std::uint64_t opened[]{0, 12, 24, 36, 60};
    for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(all[i]->ns(), opened[i] + closed_ns) << i;
}

TEST(dram, a_request_whose_bank_is_busy_lets_others_go) {
    setup s(one_channel());
    s.p[0]->read(place(0, 0), 128);
    auto& busy = s.p[0]->read(place(1, 0), 128, 1);
    auto& free = s.p[0]->read(place(0, 1), 128, 20);
    s.b.sim.run();
    EXPECT_EQ(free.ns(), closed_ns);
    EXPECT_EQ(busy.answered.ps / 1000, stays_open + conflict_ns);
}

// The answer to a write does not wait for the banks. A read that follows waits until the bus has turned.
TEST(dram, a_write_is_answered_when_it_is_in_the_queue) {
    dram_spec d = one_channel();
    d.write_column = core::sim_time::from_ns(11);
    d.write_to_read = core::sim_time::from_ns(6);
    setup s(d);
    auto& write = s.p[0]->write(place(0, 0), 7, 128);
    auto& read = s.p[0]->read(place(0, 0) + 128, 128, opening + 1);
    auto& back = s.p[0]->read(place(0, 0), 8, 500);
    s.b.sim.run();
    EXPECT_EQ(write.ns(), overhead);
    EXPECT_EQ(read.answered.ps / 1000, opening + 11 + bus + 6 + open_ns);
    EXPECT_EQ(back.value, 7u);
    EXPECT_EQ(s.home.statistics().turns.value(), 2u);
    EXPECT_EQ(s.home.statistics().bus_busy.value(), (2 * bus + 2) * 1000 + 500);
}

// A write is answered at once, so whether it was carried is a check of its own.
TEST(dram, a_write_that_was_answered_is_counted_until_it_is_carried) {
    setup s(one_channel());
    for (unsigned n = 0; n < 20; ++n) s.p[0]->write(place(n, 0), n, 128);
    const auto totals = [&s](core::sim_time until) {
        s.b.sim.run_until(until);
        observe::conservation checks;
        s.home.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.difference();
        return s.home.statistics().bus_busy.value();
    };
    EXPECT_LT(totals(core::sim_time::from_ns(400)), 20 * bus * 1000);  // answered, and not yet carried
    EXPECT_EQ(totals(core::sim_time::from_us(10)), 20 * bus * 1000);
}

TEST(dram, a_refresh_closes_all_rows_and_stops_the_channel) {
    dram_spec d = one_channel();
    d.refresh_interval = core::sim_time::from_ns(1000);
    d.refresh = core::sim_time::from_ns(300);
    setup s(d);
    s.p[0]->read(place(0, 0), 128);
    auto& during = s.p[0]->read(place(0, 0), 128, 1001);
    auto& later = s.p[0]->read(place(0, 0), 128, 5600);
    s.b.sim.run();
    EXPECT_EQ(during.answered.ps / 1000, 1000 + closing + 300 + closed_ns);
    EXPECT_EQ(later.ns(), closed_ns);
    EXPECT_EQ(s.home.statistics().row_hits.value(), 0u);
}

TEST(dram, more_channels_are_never_slower) {
    for (const unsigned length : {128u, 1024u}) {
        core::sim_time before = core::sim_time::never();
        for (unsigned channels = 1; channels <= 8; channels *= 2) {
            dram_spec d;
            d.size = {64u << 20};
            d.channels = channels;
            setup s(d);
            std::mt19937_64 g(1);
            std::vector<probe::asked*> all;
            for (unsigned i = 0; i < 16384 / (length / 128); ++i) {
                const std::uint64_t first = g() % (d.size.count / length) * length;
                for (unsigned part = 0; part < length; part += 128) all.push_back(&s.p[0]->read(first + part, 128));
            }
            s.b.sim.run();
            core::sim_time end{};
            for (const auto* a : all) end = std::max(end, a->answered);
            EXPECT_LE(static_cast<double>(end.ps), static_cast<double>(before.ps) * 1.01)
                << channels << " channels, reads of " << length;
            before = end;
        }
    }
}

TEST(dram, banks_open_rows_while_others_use_the_bus) {
    dram_spec d = one_channel();
    d.queue = 64;
    setup s(d);
    std::vector<probe::asked*> all;
    for (unsigned i = 0; i < 4; ++i) all.push_back(&s.p[0]->read(place(0, i), 128));
    s.b.sim.run();
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(all[i]->ns(), closed_ns + i * bus) << i;
}

TEST(dram, open_rows_go_first_but_not_for_ever) {
    for (const unsigned limit : {0u, 2u, 100u}) {
        dram_spec d = one_channel();
        d.row_hit_cap = limit;
        d.queue = 64;
        setup s(d);
        s.p[0]->read(place(0, 0), 128);
        // These wait together; the first needs another row of the bank.
        auto& unlucky = s.p[0]->read(place(1, 0), 128, 1);
        std::vector<probe::asked*> lucky;
        for (unsigned i = 1; i < 9; ++i) lucky.push_back(&s.p[0]->read(place(0, 0) + 128 * i, 128, 1));
        s.b.sim.run();
        unsigned before = 0;
        for (const auto* l : lucky) before += l->answered < unlucky.answered;
        EXPECT_EQ(before, std::min(limit, 8u)) << limit;
    }
}

TEST(dram, channels_work_side_by_side) {
    dram_spec d = one_channel();
    d.channels = 4;
    d.granule = {128};
    setup s(d);
    std::vector<probe::asked*> all;
    for (unsigned i = 0; i < 8; ++i) all.push_back(&s.p[0]->read(128 * i, 128));
    s.b.sim.run();
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(all[i]->ns(), closed_ns + i / 4 * bus) << i;
}

TEST(dram, a_full_queue_holds_back_and_ports_take_turns) {
    dram_spec d = one_channel();
    d.queue = 1;
    d.ports = 3;
    setup s(d);
    std::vector<std::vector<probe::asked*>> all(3);
    for (unsigned i = 0; i < 6; ++i)
        for (unsigned port = 0; port < 3; ++port) all[port].push_back(&s.p[port]->read(place(0, 0) + 128 * i, 128));
    s.b.sim.run();
    std::vector<std::pair<std::uint64_t, unsigned>> order;
    for (unsigned port = 0; port < 3; ++port)
        for (const auto* a : all[port]) order.emplace_back(a->answered.ps, port);
    std::sort(order.begin(), order.end());
    // The first port is two ahead because it was alone at first; from then on the ports take turns.
    for (std::size_t i = 2; i + 3 <= 14; ++i)
        EXPECT_EQ((std::set<unsigned>{order[i].second, order[i + 1].second, order[i + 2].second}).size(), 3u) << i;
    EXPECT_GT(all[2][5]->accepted, all[2][5]->at);
}

// Each access counts once, in its direction, and in the window of its time.
TEST(dram, counts_requests_and_bytes_of_each_direction) {
    setup s(one_channel());
    s.p[0]->read(0, 128);
    s.p[0]->write(0x200, 1, 64, 100);
    s.p[0]->ask(200, [](payload& p) {
        p.write(0x300, 128);
        byte_mask::range(0, 8).write_enables(p.enables(), 128);
        p.use_enables();
    });
    s.p[0]->write(0x400, 1, 4, 1200);
    s.p[0]->add(0x400, 1, 1500);
    s.b.sim.run();
    const auto& c = s.home.statistics();
    EXPECT_EQ(c.reads.value(), 1u);
    EXPECT_EQ(c.writes.value(), 3u);
    EXPECT_EQ(c.atomics.value(), 1u);
    EXPECT_EQ(c.refused.value(), 0u);
    EXPECT_EQ(c.read_bytes.value(), 128u);
    EXPECT_EQ(c.written_bytes.value(), 64u + 128 + 4);
    EXPECT_EQ(c.latency.count(), 5u);
    std::vector<observe::stat_row> rows;
    c.transferred.append_rows(s.b.sim.events().now(), rows);
    const auto total = std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.metric == "total"; });
    ASSERT_NE(total, rows.end());
    EXPECT_EQ(total->value, 128.0 + 64 + 128 + 4);
}

TEST(dram, data_is_real_and_partial_writes_are_partial) {
    setup s(one_channel());
    s.p[0]->write(0x100, 0x1122334455667788, 8);
    s.p[0]->ask(100, [](payload& p) {
        p.write(0x100, 8);
        std::memset(p.bytes(), 0xee, 8);
        std::memset(p.enables(), TLM_BYTE_DISABLED, 8);
        p.enables()[2] = TLM_BYTE_ENABLED;
        p.use_enables();
    });
    auto& add = s.p[0]->add(0x104, 1, 200);
    auto& back = s.p[0]->read(0x100, 8, 300);
    s.b.sim.run();
    EXPECT_EQ(add.value, 0x11223344u);
    EXPECT_EQ(back.value, 0x1122334555ee7788u);
    EXPECT_EQ(s.p[0]->look(0x100, 8), 0x1122334555ee7788u);
    EXPECT_EQ(s.home.statistics().atomics.value(), 1u);
}

TEST(dram, has_an_end) {
    dram_spec d = one_channel();
    d.base = std::uint64_t{5} << 32;
    setup s(d);
    auto& last = s.p[0]->read(d.base + d.size.count - 4);
    auto& over = s.p[0]->read(d.base + d.size.count - 2);
    auto& before = s.p[0]->read(d.base - 4);
    s.b.sim.run();
    EXPECT_EQ(last.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(over.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(before.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.home.statistics().refused.value(), 2u);
    std::uint64_t bytes = 0;
    EXPECT_EQ(s.p[0]->debug(tlm::TLM_READ_COMMAND, d.base + d.size.count - 4, &bytes, 8), 4u);
    EXPECT_EQ(s.p[0]->debug(tlm::TLM_READ_COMMAND, d.base - 4, &bytes, 8), 0u);
}

TEST(dram, values_that_do_not_fit_each_other_are_named) {
    EXPECT_TRUE(problems_of({}).empty());
    const auto named = [](const dram_spec& s) {
        const auto found = problems_of(s);
        return found.size() == 1 ? found[0].suspects[0].path : std::string{};
    };
    dram_spec s;
    s.write_high = s.write_queue + 1;
    EXPECT_EQ(named(s), "write_high");
    s = {};
    s.write_low = s.write_high;
    EXPECT_EQ(named(s), "write_low");
    s = {};
    s.refresh = s.refresh_interval;
    EXPECT_EQ(named(s), "refresh_interval");
    s.refresh_interval = s.refresh + core::sim_time::from_ns(14);
    EXPECT_EQ(named(s), "refresh_interval");
    s = {};
    s.burst = s.row * 2;
    EXPECT_EQ(named(s), "burst");
    s = {};
    s.channels = 3;
    s.hashed = true;
    EXPECT_EQ(named(s), "channels");
}

// A preset gives banks and times, and leaves what belongs to the machine.
TEST(dram, a_preset_gives_the_values_of_a_data_sheet) {
    dram_choice named, s;
    named.preset = dram_kind::ddr4;
    s.channels = 2;
    s.overhead = core::sim_time::from_ns(60);
    s.settle(named);
    EXPECT_EQ(s.preset, dram_kind::ddr4);
    EXPECT_EQ(s.activate.ps, 13'750u);
    EXPECT_EQ(s.row.count, 8192u);
    EXPECT_EQ(s.channels, 2u);
    EXPECT_EQ(s.overhead.ps, 60'000u);
    for (const auto& [kind, name] : config::enum_names<dram_kind>::names) {
        s.take(kind);
        EXPECT_TRUE(problems_of(s).empty()) << name;
    }
}

}  // namespace dram_test
