// SPDX-License-Identifier: Apache-2.0
// Whole trees: rates that can be computed by hand, shares that emerge, and the invariants of every run.
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;
using pcie::testing::gib_per_s;
using pcie::testing::outcome;
using pcie::testing::run;
using pcie::testing::send;
using pcie::testing::t2;

namespace {

constexpr std::uint64_t mib = 1u << 20;

// Buffers so large that credits never limit.
fabric_spec roomy() {
    fabric_spec s;
    s.posted_data = s.completion_data = {1u << 16};
    s.posted_headers = s.completion_headers = 1024;
    return s;
}

}  // namespace

TEST(fabric, one_stream_takes_what_overheads_leave) {
    const topology t = t2();
    for (const std::uint64_t payload : {64u, 128u, 256u, 512u}) {
        fabric_spec s = roomy();
        s.max_payload = {payload};
        const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 4 * mib)});
        ASSERT_TRUE(o.conserved) << o.broken;
        const double share = static_cast<double>(payload) / (static_cast<double>(payload) + 24);
        EXPECT_NEAR(gib_per_s(o, 0), link_rate{}.raw().gib_per_s() * share, 0.01) << payload;
    }
}

namespace {

// Overwrites the observers' data in a TLP on every link that it leaves by.
class scrambler final : public port_observer_if {
public:
    std::uint64_t scrambled = 0;
    void tlp_sent(unsigned, const tlp& packet, core::sim_time begin, core::sim_time, bool, bool) override {
        auto& p = const_cast<tlp&>(packet);
        p.stream = static_cast<std::uint32_t>(draw_());
        p.position = draw_();
        p.born = begin;
        ++scrambled;
    }
    void dllps_sent(unsigned, unsigned, core::sim_time, core::sim_time) override {}
    void changed(unsigned, const port&, core::sim_time) override {}

private:
    std::mt19937_64 draw_{1};
};

}  // namespace

TEST(fabric, no_device_needs_what_tlps_carry_for_observers) {
    const topology t = t2();
    for (const auto mode : {transfer_mode::push, transfer_mode::pull}) {
        fabric_spec s;
        s.transfers = mode;
        const std::vector<stream> sends{send(t, "gpu0", "gpu1", mib / 16), send(t, "gpu0", "gpu7", mib / 8),
                                        send(t, "gpu3", "gpu7", mib / 16), send(t, "gpu5", "gpu0", mib / 8 + 12)};
        const outcome plain = run(t, s, sends);
        core::simulation sim;
        fabric f(sim, t, s, sends);
        scrambler all;
        f.add_observer(all);
        sim.run();
        observe::conservation checks;
        f.check(checks);
        EXPECT_TRUE(checks.held());
        EXPECT_GT(all.scrambled, 4000u);
        EXPECT_EQ(f.tlps_moved(), plain.tlps);
        for (std::size_t i = 0; i < sends.size(); ++i) {
            EXPECT_EQ(f.streams()[i].begun, plain.streams[i].begun);
            EXPECT_EQ(f.streams()[i].finished, plain.streams[i].finished);
            EXPECT_EQ(f.streams()[i].wrong, 0u);
        }
        const auto rows = f.statistics().rows(sim.events().now());
        ASSERT_EQ(rows.size(), plain.statistics.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].path.find(".latency") == std::string::npos) {  // latencies use `born`, which is observers' data
                EXPECT_EQ(rows[i].value, plain.statistics[i].value) << rows[i].path;
            }
    }
}

TEST(fabric, each_of_several_observers_sees_all) {
    struct counter final : port_observer_if {
        std::uint64_t sent = 0, dllps = 0, changes = 0;
        void tlp_sent(unsigned, const tlp&, core::sim_time, core::sim_time, bool, bool) override { ++sent; }
        void dllps_sent(unsigned, unsigned count, core::sim_time, core::sim_time) override { dllps += count; }
        void changed(unsigned, const port&, core::sim_time) override { ++changes; }
    };
    const topology t = t2();
    core::simulation sim;
    fabric f(sim, t, roomy(), {send(t, "gpu0", "gpu7", mib / 16)});
    counter first, second;
    f.add_observer(first);
    f.add_observer(second);
    sim.run();
    EXPECT_EQ(first.sent, f.tlps_moved());
    EXPECT_GT(first.dllps, 0u);
    EXPECT_GT(first.changes, first.sent);
    EXPECT_EQ(second.sent, first.sent);
    EXPECT_EQ(second.dllps, first.dllps);
    EXPECT_EQ(second.changes, first.changes);
}

TEST(fabric, reads_take_what_overheads_leave) {
    const topology t = t2();
    fabric_spec s = roomy();
    s.transfers = transfer_mode::pull;
    s.tags = 256;
    const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 4 * mib)});
    ASSERT_TRUE(o.conserved) << o.broken;
    // Acknowledgements and updates for the reads share the completions' direction: a batch of 16 bytes each 150 ns.
    const double bound = link_rate{}.raw().gib_per_s() * 128 / 148;
    EXPECT_LT(gib_per_s(o, 0), bound);
    EXPECT_GT(gib_per_s(o, 0), bound * 0.99);
}

TEST(fabric, few_tags_bound_the_rate_of_reads) {
    const topology t = t2();
    fabric_spec s = roomy();
    s.transfers = transfer_mode::pull;
    s.tags = 1;
    const outcome one = run(t, s, {send(t, "gpu0", "gpu1", mib)});
    s.tags = 2;
    const outcome two = run(t, s, {send(t, "gpu0", "gpu1", mib)});
    ASSERT_TRUE(one.conserved && two.conserved) << one.broken << two.broken;
    EXPECT_NEAR(gib_per_s(two, 0) / gib_per_s(one, 0), 2.0, 0.05);
}

TEST(fabric, latency_of_one_packet_adds_up) {
    const topology t = t2();
    const fabric_spec s = roomy();
    const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 128)});
    // Cut through: 152 bytes once and the 24 of header and framing twice, two links, one switch, one endpoint.
    const double ps_per_byte = 1e12 / link_rate{}.raw().bytes_per_s;
    const double expected = (24 + 152) * ps_per_byte + 2 * 5000 + 100000 + 50000;
    EXPECT_NEAR(static_cast<double>(o.streams[0].finished.ps), expected, 5);
    fabric_spec stored = s;
    stored.switching = forwarding::store_and_forward;
    const outcome later = run(t, stored, {send(t, "gpu0", "gpu1", 128)});
    EXPECT_NEAR(static_cast<double>(later.streams[0].finished.ps), expected + 128 * ps_per_byte, 5);
}

TEST(fabric, a_faster_output_never_runs_ahead_of_its_input) {
    topology t;
    const node_id rc = pcie::testing::add_switch(t, no_node, "rc", node_kind::root_complex);
    const node_id sw = pcie::testing::add_switch(t, rc, "sw");
    pcie::testing::add_endpoint(t, sw, "slow", {1, 1});
    pcie::testing::add_endpoint(t, sw, "fast", {5, 16});
    for (const auto& [from, to] : {std::pair{"slow", "fast"}, std::pair{"fast", "slow"}}) {
        const outcome o = run(t, roomy(), {send(t, from, to, 4096)});
        ASSERT_TRUE(o.conserved) << o.broken;
        // 32 packets of 152 bytes at 250 MB/s.
        EXPECT_GE(o.streams[0].finished.ps, 32u * 152 * 4000);
        EXPECT_LT(o.streams[0].finished.ps, 32u * 152 * 4000 + 400'000);
    }
}

TEST(fabric, both_directions_of_a_link_are_independent_but_for_dllps) {
    const topology t = t2();
    const outcome alone = run(t, roomy(), {send(t, "gpu0", "gpu1", 4 * mib)});
    const outcome both = run(t, roomy(), {send(t, "gpu0", "gpu1", 4 * mib), send(t, "gpu1", "gpu0", 4 * mib)});
    ASSERT_TRUE(both.conserved) << both.broken;
    EXPECT_GT(both.ms(0), alone.ms(0));  // acknowledgements and updates take some bandwidth
    EXPECT_LT(both.ms(0), alone.ms(0) * 1.02);
}

TEST(fabric, equal_shares_upstream_and_downstream) {
    const topology t = t2();
    const double alone = run(t, roomy(), {send(t, "gpu0", "gpu1", 4 * mib)}).ms(0);
    const outcome up = run(t, roomy(), {send(t, "gpu0", "gpu3", 4 * mib), send(t, "gpu1", "gpu2", 4 * mib)});
    EXPECT_NEAR(up.ms(0) / alone, 2.0, 0.02);
    EXPECT_NEAR(up.ms(1) / alone, 2.0, 0.02);
    const outcome down = run(t, roomy(), {send(t, "gpu0", "gpu1", 4 * mib), send(t, "gpu2", "gpu1", 4 * mib)});
    EXPECT_NEAR(down.ms(0) / alone, 2.0, 0.02);
    EXPECT_NEAR(down.ms(1) / alone, 2.0, 0.02);
}

TEST(fabric, a_blocked_head_holds_back_what_is_behind_it) {
    // gpu0 -> gpu2 alone leaves k80_0's port free; but gpu1 -> gpu4 shares it, and waits at gpu4 behind three others.
    const topology t = t2();
    const double alone = run(t, roomy(), {send(t, "gpu0", "gpu2", 4 * mib)}).ms(0);
    const outcome o = run(t, roomy(),
                          {send(t, "gpu0", "gpu2", 4 * mib), send(t, "gpu1", "gpu4", 8 * mib),
                           send(t, "gpu5", "gpu4", 8 * mib), send(t, "gpu6", "gpu4", 8 * mib)});
    ASSERT_TRUE(o.conserved) << o.broken;
    EXPECT_GT(o.ms(0) / alone, 2.4);  // an equal share of the port would be 2.0
}

TEST(fabric, an_interrupt_announces_the_end_of_each_communication_to_the_other_end_behind_its_data) {
    const topology t = t2();
    for (const auto mode : {transfer_mode::push, transfer_mode::pull}) {
        fabric_spec s;
        s.transfers = mode;
        const outcome o =
            run(t, s, {send(t, "gpu0", "gpu4", 10'000), send(t, "gpu0", "gpu1", 1), send(t, "gpu3", "gpu1", 4096)});
        EXPECT_TRUE(o.conserved) << o.broken;
        for (const stream& each : o.streams) EXPECT_TRUE(each.announced) << each.name;
        const auto interrupts = [&](const std::string& of) { return o.total(of + ".interrupts"); };
        const bool push = mode == transfer_mode::push;
        EXPECT_EQ(interrupts("gpu0"), push ? 0u : 2u);
        EXPECT_EQ(interrupts("gpu1"), push ? 2u : 0u);
        EXPECT_EQ(interrupts("gpu3"), push ? 0u : 1u);
        EXPECT_EQ(interrupts("gpu4"), push ? 1u : 0u);
    }
}

TEST(fabric, an_interrupt_whose_bytes_change_in_a_switch_announces_nothing_and_fails_the_run) {
    const topology t = t2();
    fabric_spec s;
    s.faults.flips = {{"k80_0", 32, 0}};  // after 32 TLPs of 128 bytes
    const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 4096)});
    EXPECT_EQ(o.broken, "communications that ended, and interrupts that announced it: 1 in, 0 out\n"
                        "unexpected TLPs: 0 in, 1 out\n");
}

TEST(fabric, weights_divide_an_output) {
    const topology t = t2();
    fabric_spec s = roomy();
    s.arbitration = {{"k80_0", {1, 3, 1}}};  // inputs: the upper link, gpu0, gpu1
    const outcome o = run(t, s, {send(t, "gpu0", "gpu1", 4 * mib), send(t, "gpu2", "gpu1", 4 * mib)});
    ASSERT_TRUE(o.conserved) << o.broken;
    const double alone = run(t, s, {send(t, "gpu0", "gpu1", 4 * mib)}).ms(0);
    EXPECT_NEAR(o.ms(0) / alone, 4.0 / 3, 0.02);
}

TEST(fabric, one_communication_of_a_source_at_a_time) {
    const topology t = t2();
    const outcome o = run(t, roomy(),
                          {send(t, "gpu0", "gpu1", mib, core::sim_time::from_us(3)), send(t, "gpu0", "gpu2", mib),
                           send(t, "gpu0", "gpu3", mib)});
    ASSERT_TRUE(o.conserved) << o.broken;
    EXPECT_LT(o.streams[1].finished, o.streams[2].finished);
    EXPECT_LT(o.streams[2].finished, o.streams[0].finished);  // started last
    EXPECT_GE(o.streams[2].begun, o.streams[1].begun + core::bandwidth::from_gb_per_s(15.8).time_of({mib}));
}

TEST(fabric, the_smallest_buffers_are_slow_but_lose_nothing) {
    const topology t = t2();
    for (const auto mode : {transfer_mode::push, transfer_mode::pull}) {
        fabric_spec s;
        s.transfers = mode;
        s.posted_headers = s.non_posted_headers = s.completion_headers = 1;
        s.posted_data = s.completion_data = {128};
        s.replay_tlps = 1;
        s.tags = 1;
        std::vector<stream> all;
        for (int a = 0; a < 8; ++a)
            for (int b = 0; b < 8; ++b)
                if (a != b) all.push_back(send(t, fmt::format("gpu{}", a), fmt::format("gpu{}", b), 3001));
        const outcome o = run(t, s, all);
        EXPECT_TRUE(o.conserved) << o.broken;
    }
}

// With one place, each TLP waits for the acknowledgement of the one before: the port sends or is held, and nothing
// else.
TEST(fabric, a_port_whose_replay_buffer_is_full_tells_for_which_share_of_the_time) {
    const topology t = t2();
    fabric_spec s = roomy();
    const auto of_gpu0 = [](const outcome& o, const std::string& what, const std::string& metric) {
        for (const auto& row : o.statistics)
            if (row.path.ends_with("gpu0.link" + what) && row.metric == metric) return row.value;
        ADD_FAILURE() << "no " << what;
        return 0.0;
    };
    const outcome free = run(t, s, {send(t, "gpu0", "gpu1", 4 * mib)});
    EXPECT_EQ(of_gpu0(free, ".replay_stall", "mean"), 0);
    s.replay_tlps = 1;
    const outcome held = run(t, s, {send(t, "gpu0", "gpu1", 4 * mib)});
    const double stalls = of_gpu0(held, ".replay_stall", "mean");
    const double sends = core::bandwidth::from_gb_per_s(128 / 8.13)
                             .time_of({static_cast<std::uint64_t>(of_gpu0(held, ".tlp_wire", "count"))})
                             .seconds() /
                         held.streams[0].finished.seconds();
    EXPECT_GT(stalls, 0.2);
    EXPECT_NEAR(stalls + sends, 1, 0.02);
}

TEST(fabric, lanes_and_generations_set_the_rate) {
    topology t;
    const node_id rc = pcie::testing::add_switch(t, no_node, "rc", node_kind::root_complex);
    const node_id sw = pcie::testing::add_switch(t, rc, "sw");
    pcie::testing::add_endpoint(t, sw, "a", {4, 16});
    pcie::testing::add_endpoint(t, sw, "b", {4, 8});
    pcie::testing::add_endpoint(t, sw, "c", {5, 16});
    pcie::testing::add_endpoint(t, sw, "d", {6, 16});
    fabric_spec s = roomy();
    s.max_payload = {256};
    const double share = 256.0 / 280;
    const auto rate = [&](const char* from, const char* to) {
        return gib_per_s(run(t, s, {send(t, from, to, 4 * mib)}), 0);
    };
    const link_rate half{4, 8};
    const link_rate fourth{4, 16};
    const link_rate fifth{5, 16};
    EXPECT_NEAR(rate("a", "b"), half.raw().gib_per_s() * share, 0.05);
    EXPECT_NEAR(rate("c", "a"), fourth.raw().gib_per_s() * share, 0.1);
    EXPECT_NEAR(rate("d", "c"), fifth.raw().gib_per_s() * share, 0.3);
}

TEST(fabric, two_packages) {
    topology t;
    const node_id machine = pcie::testing::add_switch(t, no_node, "machine", node_kind::machine);
    for (int i = 0; i < 2; ++i)
        pcie::testing::add_gpus(
            t, pcie::testing::add_switch(t, machine, fmt::format("rc{}", i), node_kind::root_complex), 2 * i, 2);
    t.socket_link = core::bandwidth::from_gb_per_s(5);
    const outcome o = run(t, roomy(), {send(t, "gpu0", "gpu2", mib)});
    ASSERT_TRUE(o.conserved) << o.broken;
    EXPECT_NEAR(gib_per_s(o, 0), 5e9 / 1073741824.0 * 64 / 88, 0.05);  // in pieces of 64 bytes, cut by the root complex
}

TEST(fabric, completions_do_not_starve_the_reads_behind_them) {
    topology t;
    const node_id rc = pcie::testing::add_switch(t, no_node, "rc", node_kind::root_complex);
    const node_id sw = pcie::testing::add_switch(t, rc, "sw");
    pcie::testing::add_gpus(t, sw, 0, 4);
    fabric_spec s = roomy();
    s.transfers = transfer_mode::pull;
    // gpu0 answers gpu2's and gpu3's reads while it reads from gpu1 itself.
    const double alone = run(t, s, {send(t, "gpu1", "gpu0", mib)}).ms(0);
    const outcome o =
        run(t, s, {send(t, "gpu1", "gpu0", mib), send(t, "gpu0", "gpu2", 4 * mib), send(t, "gpu0", "gpu3", 4 * mib)});
    ASSERT_TRUE(o.conserved) << o.broken;
    EXPECT_LT(o.ms(0), 2 * alone);
}

// Invariants for every tree, traffic and set of parameters: bytes, packets, credits, order, no overload.
TEST(fabric, random_trees_conserve_everything) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 random(seed);
        const auto pick = [&](std::uint64_t n) { return random() % n; };
        topology t;
        std::vector<node_id> inner{pcie::testing::add_switch(t, no_node, "rc", node_kind::root_complex)};
        const unsigned widths[] = {1, 2, 4, 8, 16};
        for (unsigned i = 0; i < 1 + pick(5); ++i) {
            const link_rate link{1 + static_cast<unsigned>(pick(6)), widths[pick(5)]};
            inner.push_back(pcie::testing::add_switch(t, inner[pick(inner.size())], fmt::format("sw{}", i),
                                                      node_kind::pcie_switch, link));
        }
        const unsigned gpus = 2 + static_cast<unsigned>(pick(7));
        for (unsigned i = 0; i < gpus; ++i) {
            const link_rate link{1 + static_cast<unsigned>(pick(6)), widths[pick(5)]};
            pcie::testing::add_endpoint(t, inner[pick(inner.size())], fmt::format("gpu{}", i), link);
        }
        fabric_spec s;
        s.transfers = pick(2) == 0 ? transfer_mode::push : transfer_mode::pull;
        s.switching = pick(2) == 0 ? forwarding::cut_through : forwarding::store_and_forward;
        s.max_payload = {64ull << pick(4)};
        s.read_completion_boundary = {64ull << pick(3)};
        s.root_complex_payload = {32ull << pick(4)};
        s.posted_headers = 1 + pick(40);
        s.completion_headers = 1 + pick(40);
        s.posted_data = {s.max_payload.count + pick(8192)};
        s.completion_data = {s.read_completion_boundary.count + pick(8192)};
        s.replay_tlps = 1 + pick(64);
        s.tags = 1 + static_cast<unsigned>(pick(32));
        std::vector<stream> all;
        for (unsigned i = 0; i < 3 + pick(8); ++i) {
            const auto from = pick(gpus);
            const auto to = (from + 1 + pick(gpus - 1)) % gpus;
            all.push_back(send(t, fmt::format("gpu{}", from), fmt::format("gpu{}", to), 1 + pick(20000),
                               core::sim_time{pick(5'000'000)}));
        }
        if (pick(3) == 0) s.faults.bit_error_rate = 1e-6 * static_cast<double>(1 + pick(30));
        const outcome o = run(t, s, all);
        EXPECT_TRUE(o.conserved) << "seed " << seed << "\n" << o.broken;
        for (const auto& r : o.streams) EXPECT_TRUE(r.done()) << "seed " << seed << " " << r.name;
    }
}

TEST(fabric, the_same_run_gives_the_same_statistics) {
    const topology t = t2();
    const auto once = [&] {
        fabric_spec s;
        s.faults.bit_error_rate = 1e-6;
        std::string text;
        for (const auto& row : run(t, s, {send(t, "gpu0", "gpu5", mib), send(t, "gpu3", "gpu5", mib)}).statistics)
            text += fmt::format("{},{},{}\n", row.path, row.metric, row.value);
        return text;
    };
    const std::string first = once();
    EXPECT_NE(first.find("k80_0.up.tlps,count,"), std::string::npos) << first;
    EXPECT_EQ(first, once());
}

// P6 and P7: 4->1 crosses the root complex, 0->1 does not. A TLP has 24 bytes beside its payload of 128, which the root
// complex cuts into 64, and the last switch serves its inputs in turn, a TLP each.
TEST(fabric, shares_of_a_contended_port_follow_from_the_lengths_of_tlps) {
    const topology t = t2();
    const fabric_spec s;
    const double alone = run(t, s, {send(t, "gpu0", "gpu1", 4 * mib)}).ms(0);
    const double across = run(t, s, {send(t, "gpu4", "gpu1", 4 * mib)}).ms(0);
    const outcome both = run(t, s, {send(t, "gpu0", "gpu1", 4 * mib), send(t, "gpu4", "gpu1", 4 * mib)});
    EXPECT_NEAR(across / alone, 2 * (64 + 24) / 152.0, 0.005);
    EXPECT_NEAR(both.ms(0) / alone, (152 + 64 + 24) / 152.0, 0.005);
}
