// SPDX-License-Identifier: Apache-2.0
// What a channel carries under traffic that fills its queues, against what its data sheet's times allow, worked out by
// hand.
#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "config/fields.h"
#include "memory/dram/dram_channel.h"

using namespace contraflow;
using namespace contraflow::memory;

namespace channel_test {

constexpr unsigned line = 128;

struct request {
    dram_access kind = dram_access::read;
    std::uint64_t place = 0;
};

// GB/s, with queues that are refilled whenever they have room for the next request.
template <class Next> double carried(const dram_spec& s, Next next, unsigned requests = 20'000) {
    dram_channel channel(s);
    request r = next();
    core::sim_time now{}, done{};
    unsigned left = requests;
    for (unsigned served = 0; served < requests;) {
        while (left > 0 && !channel.full(r.kind)) {
            channel.add(r.kind, nullptr, r.place, line, now);
            r = next();
            --left;
        }
        EXPECT_GE(channel.next_step(), now);
        now = channel.next_step();
        if (const auto s = channel.step(now)) {
            EXPECT_GE(s->done - s->bus_time, done) << "two requests on the bus";
            done = s->done;
            ++served;
        }
    }
    EXPECT_TRUE(channel.empty());
    return static_cast<double>(requests) * line / static_cast<double>(done.ps) * 1e3;
}

auto in_order() {
    return [n = std::uint64_t{0}]() mutable { return request{dram_access::read, n++ * line}; };
}
auto at_random(unsigned writes_in_8 = 0) {
    return [g = std::mt19937_64(1), writes_in_8]() mutable {
        const bool write = g() % 8 < writes_in_8;
        return request{write ? dram_access::write : dram_access::read, g() % (1u << 20) * line};
    };
}

double ns(core::sim_time t) { return static_cast<double>(t.ps) / 1e3; }
double peak(const dram_spec& s) { return s.channel_bandwidth.bytes_per_s / 1e9; }

// No refresh, and rows may be opened at any time.
dram_spec banks_alone() {
    dram_spec s;
    s.refresh_interval = s.activate_gap = s.four_activates = {};
    return s;
}

TEST(dram_channel, a_stream_has_nine_tenths_of_the_bus) { EXPECT_GE(carried({}, in_order()), 0.9 * peak({})); }

// Of each interval a refresh takes tRFC, and the bus loses what it takes to close the rows and open the first again.
TEST(dram_channel, refresh_takes_its_share_of_a_stream) {
    for (const auto& [kind, name] : config::enum_names<dram_kind>::names) {
        dram_choice s;
        s.take(kind);
        const double with = carried(s, in_order());
        const double interval = ns(s.refresh_interval);
        const double restart = ns(s.row_active + s.precharge + s.activate + s.column);
        dram_choice without = s;
        without.refresh_interval = {};
        const double unrefreshed = carried(without, in_order());
        EXPECT_GE(unrefreshed, 0.98 * peak(s)) << name;
        EXPECT_LE(with, (1 - ns(s.refresh) / interval) * unrefreshed * 1.002) << name;
        EXPECT_GE(with, (1 - (ns(s.refresh) + restart) / interval) * unrefreshed * 0.998) << name;
    }
}

TEST(dram_channel, random_reads_are_as_fast_as_four_activates_allow) {
    dram_spec s = banks_alone();
    s.queue = 512;
    s.banks = 64;
    s.four_activates = core::sim_time::from_ns(40);
    const double allowed = 4.0 * line / 40;
    EXPECT_LE(carried(s, at_random()), allowed * 1.01);
    EXPECT_GE(carried(s, at_random()), allowed * 0.97);
}

TEST(dram_channel, random_reads_are_as_fast_as_the_gap_between_activates_allows) {
    dram_spec s = banks_alone();
    s.queue = 512;
    s.banks = 64;
    s.activate_gap = core::sim_time::from_ns(8);
    const double allowed = line / 8.0;
    EXPECT_LE(carried(s, at_random()), allowed * 1.01);
    EXPECT_GE(carried(s, at_random()), allowed * 0.97);
}

// A refresh waits for the rows that are open, and for none that will be.
TEST(dram_channel, refresh_takes_its_share_of_slow_activates) {
    dram_spec s;
    s.banks = 64;
    s.activate_gap = {};
    s.four_activates = core::sim_time::from_ns(160);
    const double allowed = 4.0 * line / 160 * (1 - ns(s.refresh) / ns(s.refresh_interval));
    const double restart = ns(s.row_active + s.precharge) + 160;
    EXPECT_LE(carried(s, at_random()), allowed * 1.01);
    EXPECT_GE(carried(s, at_random()), allowed * (1 - restart / ns(s.refresh_interval)) * 0.99);
}

// A bank serves a request each tRAS + tRP. With Q requests at random in B banks whose times were exponential, a share
// Q / (Q + B - 1) of the banks would be busy; equal times make it more.
TEST(dram_channel, random_reads_are_as_fast_as_the_banks_allow) {
    for (const unsigned banks : {1u, 2u, 4u, 8u, 16u}) {
        for (const unsigned queue : {16u, 32u, 512u}) {
            dram_spec s = banks_alone();
            s.banks = banks;
            s.queue = queue;
            const double allowed = banks * line / ns(s.row_active + s.precharge);
            const double busy = static_cast<double>(queue) / (queue + banks - 1);
            const double got = carried(s, at_random());
            EXPECT_LE(got, allowed * 1.02) << banks << " banks, " << queue;
            EXPECT_GE(got, allowed * busy * 0.97) << banks << " banks, " << queue;
        }
    }
}

TEST(dram_channel, as_it_is_configured_random_reads_keep_the_banks_busy) {
    const dram_spec s;
    const double busy = static_cast<double>(s.queue) / (s.queue + s.banks - 1);
    const double left = 1 - ns(s.refresh + s.row_active + s.precharge) / ns(s.refresh_interval);
    const double got = carried(s, at_random());
    EXPECT_GE(got, s.banks * line / ns(s.row_active + s.precharge) * busy * left);
    EXPECT_LE(got, s.banks * line / ns(s.row_active + s.precharge));
}

TEST(dram_channel, more_banks_are_never_slower) {
    for (const unsigned writes : {0u, 2u, 4u}) {
        double before = 0;
        for (unsigned banks = 1; banks <= 128; banks *= 2) {
            dram_spec s;
            s.banks = banks;
            const double got = carried(s, at_random(writes));
            EXPECT_GE(got, before * 0.99) << banks << " banks, writes " << writes;
            before = got;
        }
    }
}

TEST(dram_channel, a_longer_queue_is_never_slower) {
    double before = 0;
    for (unsigned queue = 1; queue <= 256; queue *= 2) {
        dram_spec s;
        s.queue = queue;
        const double got = carried(s, at_random());
        EXPECT_GE(got, before * 0.99) << queue;
        before = got;
    }
}

// Reads and writes in turn, to an open row each. In a round, n writes follow n reads. The bus rests for tRTW before the
// writes, and for tWTR and CL after them.
TEST(dram_channel, a_batch_of_writes_shares_the_turns_of_the_bus) {
    for (const auto& [low, high] : {std::pair{0u, 1u}, {0u, 4u}, {8u, 24u}, {4u, 32u}}) {
        dram_spec s = banks_alone();
        s.write_low = low;
        s.write_high = high;
        const interleave rows(s.banks, s.row.count, s.hashed_banks);
        std::uint64_t other = s.row.count;
        while (rows.part_of(other) == rows.part_of(0)) other += s.row.count;
        const double got = carried(s, [n = std::uint64_t{0}, other]() mutable {
            const std::uint64_t place = n / 2 % 16 * line;
            return n++ % 2 == 0 ? request{dram_access::read, place} : request{dram_access::write, other + place};
        });
        const double data = 2.0 * (high - low) * line / peak(s);
        const double turns = ns(s.read_to_write + s.write_to_read + s.column);
        const double expected = peak(s) * data / (data + turns);
        EXPECT_NEAR(got, expected, expected * 0.05) << low << " to " << high;
    }
}

// Writes arrive whenever there is room for one, and a read now and then.
TEST(dram_channel, a_read_waits_for_no_more_than_a_batch_of_writes) {
    for (const auto& [low, high] : {std::pair{16u, 48u}, {0u, 1u}, {4u, 64u}}) {
        dram_spec s = banks_alone();
        s.write_low = low;
        s.write_high = high;
        dram_channel channel(s);
        memory_extension read;
        std::mt19937_64 g(1);
        core::sim_time now{};
        unsigned passed = 0, most = 0, reads = 0;
        for (unsigned n = 0; n < 20'000; ++n) {
            while (!channel.full(dram_access::write))
                channel.add(dram_access::write, nullptr, g() % (1u << 20) * line, line, now);
            if (n % 100 == 0 && !channel.full(dram_access::read))
                channel.add(dram_access::read, &read, g() % (1u << 20) * line, line, now);
            now = channel.next_step();
            const auto served = channel.step(now);
            if (!served) continue;
            if (served->request != nullptr) ++reads;
            passed = served->request != nullptr || channel.waiting(dram_access::read) == 0 ? 0 : passed + 1;
            most = std::max(most, passed);
        }
        EXPECT_GE(reads, 100u) << low << " to " << high;
        EXPECT_LE(most, high) << low << " to " << high;
    }
}

// And a write that has no room waits for no more than a batch of reads.
TEST(dram_channel, endless_reads_and_writes_share_the_bus) {
    for (const auto& [low, high] : {std::pair{16u, 48u}, {0u, 1u}, {4u, 64u}}) {
        dram_spec s = banks_alone();
        s.write_low = low;
        s.write_high = high;
        dram_channel channel(s);
        memory_extension read;
        std::mt19937_64 g(1);
        core::sim_time now{};
        std::array<unsigned, 2> served{}, run{}, longest{};
        for (unsigned n = 0; n < 20'000; ++n) {
            for (const dram_access kind : {dram_access::read, dram_access::write})
                while (!channel.full(kind))
                    channel.add(kind, kind == dram_access::read ? &read : nullptr, g() % (1u << 20) * line, line, now);
            now = channel.next_step();
            const auto s_now = channel.step(now);
            if (!s_now) continue;
            const std::size_t is = s_now->request == nullptr ? 1 : 0;
            ++served[is];
            run[1 - is] = 0;
            longest[is] = std::max(longest[is], ++run[is]);
        }
        EXPECT_EQ(longest[0], high - low) << low << " to " << high;
        EXPECT_EQ(longest[1], high) << low << " to " << high;
        EXPECT_GE(served[0], 1000u);
    }
}

// Whatever the times: where the specification has no problem, each request is served.
TEST(dram_channel, serves_between_refreshes_that_it_accepts) {
    std::mt19937_64 g(3);
    unsigned least_accepted = 0;
    for (unsigned n = 0; n < 300; ++n) {
        dram_spec s;
        const auto up_to = [&g](std::uint64_t most_ns) { return core::sim_time::from_ns(g() % (most_ns + 1)); };
        s.banks = 1u << g() % 6;
        s.channel_bandwidth = core::bandwidth::from_gb_per_s(0.5 + static_cast<double>(g() % 64));
        for (core::sim_time* t : {&s.activate, &s.precharge, &s.column, &s.row_active, &s.write_column,
                                  &s.read_to_precharge, &s.write_recovery, &s.read_to_write, &s.write_to_read})
            *t = up_to(n % 2 == 0 ? 60 : 600);
        s.activate_gap = up_to(n % 3 == 0 ? 500 : 8);
        s.four_activates = up_to(n % 3 == 1 ? 2000 : 40);
        s.refresh = up_to(400);
        s.refresh_interval = s.refresh + core::sim_time{1};
        const auto problems = problems_of(s);
        if (!problems.empty()) {  // the least that is allowed, out of the text
            const std::string& allowed = problems[0].suspects[0].allowed;
            const std::string least = allowed.substr(allowed.rfind(' ', allowed.size() - 4) + 1);
            const auto interval = core::parse_unit<core::sim_time>(least);
            ASSERT_TRUE(interval) << allowed;
            s.refresh_interval = interval.value;
            ++least_accepted;
        }
        ASSERT_TRUE(problems_of(s).empty()) << problems_of(s)[0].message;
        dram_channel channel(s);
        memory_extension read;
        core::sim_time now{};
        unsigned served = 0, steps = 0;
        for (; served < 200 && steps < 100'000; ++steps) {
            for (const dram_access kind : {dram_access::read, dram_access::write})
                if (!channel.full(kind))
                    channel.add(kind, kind == dram_access::read ? &read : nullptr, g() % (1u << 20) * line, line, now);
            now = std::max(now, channel.next_step());
            served += channel.step(now).has_value();
        }
        EXPECT_EQ(served, 200u) << "case " << n;
    }
    EXPECT_GT(least_accepted, 200u);
}

TEST(dram_channel, hashing_spreads_strides_of_all_banks) {
    dram_spec s;
    const auto strided = [stride = s.row.count * s.banks] {
        return [n = std::uint64_t{0}, stride]() mutable { return request{dram_access::read, n++ * stride}; };
    };
    const double hashed = carried(s, strided());
    s.hashed_banks = false;
    const double plain = carried(s, strided());
    EXPECT_LE(plain, line / ns(s.row_active + s.precharge) * 1.01);  // one bank
    EXPECT_GE(hashed, 8 * plain);
}

}  // namespace channel_test
