// SPDX-License-Identifier: Apache-2.0
// Experiments with known results: packets that leave are dropped, and their rate is compared with limits of latency,
// intervals, windows and links. The published figures are in tlm/nic/transmit/README.md.
#include <gtest/gtest.h>

#include "transmit_node.h"

using namespace contraflow;
using namespace contraflow::nic;
using core::sim_time;
using nic::testing::node_spec;
using nic::testing::placing;
using nic::testing::transmit_node;

namespace {

constexpr std::uint32_t stream_bytes = 256 << 10;
constexpr double line = 128, request_ns = 80;

double ns(sim_time t) { return t.seconds() * 1e9; }

node_spec with(gpu::peer_generation g, gpu_generation generation, gpu_reading reading = gpu_reading::peer_to_peer) {
    node_spec s;
    const node_spec defaults;
    s.gpu = gpu::peer_spec::of(g);
    s.gpu.memory = defaults.gpu.memory;
    s.gpu.aperture = defaults.gpu.aperture;
    s.gpu.map_time = {};
    s.transmit.generation = generation;
    s.transmit.reading = reading;
    return s;
}

struct result {
    double gb_per_s = 0;    // of payload, in the steady state
    double total_us = 0;    // from the doorbell until the last packet begins to leave
    double callbacks = 0;   // a line
    double data_share = 0;  // share of TLPs and DLLPs on the link towards the NIC
    double request_share = 0;
};

double wire_bytes(const pcie::port& p) {
    return static_cast<double>(p.statistics().tlp_wire_bytes.value() + p.statistics().dllp_wire_bytes.value());
}

result stream(const node_spec& s, std::uint32_t bytes = stream_bytes, bool from_gpu = true) {
    transmit_node n(s);
    n.register_gpu();
    from_gpu ? n.put_gpu(0, bytes) : n.put_host(0, bytes);
    const auto callbacks = n.sim.events().executed();
    const sim_time begin = n.sim.events().now();
    const double in = wire_bytes(n.nic_port(false)), out = wire_bytes(n.nic_port(true));
    n.ring_doorbell();
    n.sim.run();
    n.expect_sent();
    result r;
    const double seconds = (n.packets.back().at - begin).seconds();
    r.gb_per_s = n.rate() / 1e9;
    r.total_us = seconds * 1e6;
    r.callbacks = static_cast<double>(n.sim.events().executed() - callbacks) / (bytes / line);
    r.data_share = (wire_bytes(n.nic_port(false)) - in) / (4e9 * seconds);
    r.request_share = (wire_bytes(n.nic_port(true)) - out) / (4e9 * seconds);
    return r;
}

// From a read request until its line is in the NIC, without load: the least time between two windows.
double round_trip_ns(node_spec s) {
    // A second packet follows when the first has arrived: the time between them is a round trip.
    s.transmit.generation = gpu_generation::v2;
    s.transmit.window = {4096};
    transmit_node n(s);
    n.register_gpu();
    n.put_gpu(0, 4096 + 128);
    n.ring_doorbell();
    n.sim.run();
    n.expect_sent();
    return ns(n.packets[1].at - n.packets[0].at);
}

const char* name_of(placing p) {
    return p == placing::beside_gpu            ? "under_a_switch"
           : p == placing::across_root_complex ? "across_the_root_complex"
                                               : "on_another_socket";
}

class windows : public ::testing::TestWithParam<placing> {};
INSTANTIATE_TEST_SUITE_P(nic, windows,
                         ::testing::Values(placing::beside_gpu, placing::across_root_complex, placing::other_socket),
                         [](const auto& p) { return std::string(name_of(p.param)); });

// A window of W bytes takes W / 128 requests, and a round trip from the last of them on.
TEST_P(windows, take_their_requests_and_a_round_trip) {
    node_spec s = with(gpu::peer_generation::fermi, gpu_generation::v2);
    s.where = GetParam();
    const double trip = round_trip_ns(s);
    double before = 0;
    for (const std::uint32_t w : {4096u, 8192u, 16384u, 32768u}) {
        s.transmit.window = {w};
        const result r = stream(s);
        const double expected = w / ((w / line - 1) * request_ns + trip);
        // Steady state is counted between packets, the last of a window and the first of the next: whole windows.
        EXPECT_NEAR(r.gb_per_s / expected, 1, w == 32768 ? 0.02 : 0.012) << w;
        EXPECT_GT(r.gb_per_s, before * 1.05);
        before = r.gb_per_s;
        RecordProperty(fmt::format("window_{}_GB_per_s", w), fmt::format("{:.3f}", r.gb_per_s));
    }
    RecordProperty("round_trip_ns", fmt::format("{:.0f}", trip));
}

// The NIC's place changes the round trip: the latency of a switch, or of a root complex twice as slow and a
// further link, or of two root complexes and the link between the sockets.
TEST(placement, changes_the_round_trip_by_what_is_between) {
    node_spec s = with(gpu::peer_generation::fermi, gpu_generation::v2);
    const double beside = round_trip_ns(s);
    s.where = placing::across_root_complex;
    const double across = round_trip_ns(s);
    s.where = placing::other_socket;
    const double far = round_trip_ns(s);
    // In each direction a root complex takes in the whole packet, then 150 ns; a hop more costs wire and propagation.
    EXPECT_NEAR(beside, 1500 + 2 * (100 + 50 + 2 * 5) + 7 + 14 + 42, 40);
    EXPECT_NEAR(across - beside, 2 * (150 + 5) + 28.0 / 4 + 84.0 / 4, 30);
    // The link between the sockets with its switch, and another root complex.
    EXPECT_NEAR(far - across, 2 * (100 + 5 + 150 + 5) + 15, 25);
    // Unlimited prefetch does not depend on it.
    s.transmit.generation = gpu_generation::v3;
    EXPECT_NEAR(stream(s).gb_per_s, line / request_ns, 0.01);
}

TEST(head_latency, is_the_published_one_on_the_bus_beside_the_nic) {
    struct watch final : pcie::port_observer_if {
        std::size_t up = 0, down = 0;
        sim_time asked{}, answered{};
        void tlp_sent(unsigned id, const pcie::tlp& p, sim_time begin, sim_time, bool, bool) override {
            if (id == up && p.kind == pcie::tlp_kind::memory_write && p.length == 8) asked = begin;
            if (id == down && p.length == 64 && p.kind == pcie::tlp_kind::memory_write && answered.ps == 0)
                answered = begin;
        }
        void dllps_sent(unsigned, unsigned, sim_time, sim_time) override {}
        void changed(unsigned, const pcie::port&, sim_time) override {}
    } bus;
    transmit_node n(with(gpu::peer_generation::fermi, gpu_generation::v3));
    n.register_gpu();
    const auto nic = *n.nodes.find("nic");
    bus.up = pcie::port_id{nic, true}.index();
    bus.down = pcie::port_id{nic, false}.index();
    n.tree->add_observer(bus);
    n.put_gpu(0, 128);
    n.ring_doorbell();
    n.sim.run();
    EXPECT_NEAR(ns(bus.answered - bus.asked), 1800, 36);
}

TEST(unlimited, is_a_line_each_interval_or_what_the_gpu_sustains) {
    EXPECT_NEAR(stream(with(gpu::peer_generation::fermi, gpu_generation::v3)).gb_per_s, line / request_ns, 0.01);
    EXPECT_NEAR(stream(with(gpu::peer_generation::kepler, gpu_generation::v3)).gb_per_s, line / request_ns, 0.01);
    node_spec slow = with(gpu::peer_generation::fermi, gpu_generation::v3);
    slow.gpu.read_rate = core::bandwidth::from_gb_per_s(1);
    EXPECT_NEAR(stream(slow).gb_per_s, 1, 0.01);
    node_spec fast = with(gpu::peer_generation::kepler, gpu_generation::v3);
    fast.transmit.request_interval = sim_time::from_ns(10);
    EXPECT_NEAR(stream(fast).gb_per_s, 1.6 * 1.073741824, 0.02);
}

// Little's law: 8 KiB of buffer are two packets, each from its first request until its last word has left.
TEST(unlimited, is_held_back_by_the_buffer) {
    node_spec s = with(gpu::peer_generation::fermi, gpu_generation::v3);
    s.transmit.buffer = {8192};
    s.gpu.read_latency = sim_time::from_ns(8000);
    s.gpu.read_queue = 1024;
    const double trip = round_trip_ns(s);
    const double leaving = words_of(4096) * 5.0;
    EXPECT_NEAR(stream(s).gb_per_s, 8192 / (31 * request_ns + trip + leaving), 0.02);
}

// The core alone: it translates a packet, writes 32 requests one by one, and waits.
TEST(core_alone, takes_its_own_time_beside_a_round_trip_a_packet) {
    for (const unsigned request : {100u, 150u})
        for (const unsigned translate : {0u, 700u}) {
            node_spec s = with(gpu::peer_generation::fermi, gpu_generation::v1);
            s.core.request = sim_time::from_ns(request);
            s.core.translate = sim_time::from_ns(translate);
            const double packet = translate + 32.0 * request + round_trip_ns(with(gpu::peer_generation::fermi, {}));
            EXPECT_NEAR(stream(s).gb_per_s, 4096 / packet, 0.01);
        }
}

// In v2 the core translates the next page while this one is read; it needs the time to start a window for each one.
TEST(core, adds_its_time_to_each_window_and_none_to_hidden_translations) {
    node_spec s = with(gpu::peer_generation::fermi, gpu_generation::v2);
    s.transmit.window = {8192};
    const double without = stream(s).gb_per_s;
    s.core.translate = sim_time::from_ns(4000);
    EXPECT_NEAR(stream(s).gb_per_s, without, 0.02);
    s.core.window = sim_time::from_ns(1000);
    EXPECT_NEAR(stream(s).gb_per_s, 8192 / (8192 / without + 1000), 0.02);
    // v3 asks the core once per page of 64 KiB.
    s.transmit.generation = gpu_generation::v3;
    EXPECT_NEAR(stream(s).gb_per_s, line / request_ns, 0.01);
}

TEST(bar1, has_the_gpu_s_ceiling_or_a_window_and_a_round_trip) {
    EXPECT_NEAR(stream(with(gpu::peer_generation::fermi, gpu_generation::v3, gpu_reading::bar1), 64 << 10).gb_per_s,
                0.15, 0.002);
    EXPECT_NEAR(stream(with(gpu::peer_generation::kepler, gpu_generation::v3, gpu_reading::bar1)).gb_per_s,
                1.6 * 1.073741824, 0.02);
    // A packet at a time: its bytes at the ceiling, and a round trip.
    const double rate = 1.6 * 1.073741824, packet = 4096 / rate + 1500 + 2 * (100 + 50 + 2 * 5) + 2 * (20 / 4.0) + 150;
    EXPECT_NEAR(stream(with(gpu::peer_generation::kepler, gpu_generation::v1, gpu_reading::bar1)).gb_per_s,
                4096 / packet, 0.03);
}

// Tags: a limited number of requests per round trip. Links: completions of 128 bytes with 20 of header and framing.
TEST(host_reads, have_their_own_limit_and_leave_tags_to_others) {
    node_spec s;
    s.max_read_request = 512;
    s.transmit.host_reads = 1;
    const double trip = 512 / stream(s, 64 << 10, false).gb_per_s;
    for (const std::uint32_t reads : {2u, 3u, 5u}) {
        s.transmit.host_reads = reads;
        EXPECT_NEAR(stream(s, 256 << 10, false).gb_per_s, 512.0 * reads / trip, 0.05 * reads) << reads;
    }
    // Reads of the GPU by BAR1 are not among them.
    s = with(gpu::peer_generation::kepler, gpu_generation::v3, gpu_reading::bar1);
    const double bar1 = stream(s).gb_per_s;
    s.transmit.host_reads = 1;
    EXPECT_EQ(stream(s).gb_per_s, bar1);
}

TEST(host_reads, are_limited_by_tags_or_by_the_link) {
    node_spec s;
    s.transmit.host_reads = 1024;
    s.max_read_request = 128;
    s.tags = 1;
    const double one = stream(s, 64 << 10, false).gb_per_s;
    const double trip = 128 / one;
    EXPECT_GT(trip, 200 + 150 + 150);
    EXPECT_LT(trip, 200 + 2 * (150 + 100 + 3 * 5 + 50) + 150);
    for (const std::uint32_t tags : {2u, 4u, 8u}) {
        s.tags = tags;
        EXPECT_NEAR(stream(s, 128 << 10, false).gb_per_s, 128.0 * tags / trip, 0.05 * tags) << tags;
    }
    // Buffers for completions, 6 of 128 bytes here, come back a DLLP's latency later.
    s.tags = 64;
    s.fabric.completion_data = {6 * 128};
    s.max_read_request = 512;
    s.fabric.root_complex_payload = {4096};
    const double credits = stream(s, stream_bytes, false).gb_per_s;
    EXPECT_NEAR(credits, 6 * 128 / (128 / 4.0 + 237 + 20), 0.3);
    RecordProperty("host_read_GB_per_s", fmt::format("{:.2f}", credits));
    s.fabric.completion_data = {1u << 20};
    s.fabric.completion_headers = 1024;
    // The words that leave are narrower than the link: 4096 bytes in 258 cycles of 5 ns.
    EXPECT_NEAR(stream(s, stream_bytes, false).gb_per_s, 4096 / (words_of(4096) * 5.0), 0.05);
    s.transmit.clock = {800e6};
    const double link = 4.0 * 128 / (128 + 20), most = stream(s, stream_bytes, false).gb_per_s;
    EXPECT_LT(most, link);
    EXPECT_GT(most, 0.94 * link);  // DLLPs take the rest
    RecordProperty("host_read_most_GB_per_s", fmt::format("{:.2f}", most));
}

// The share of a link of 4 GB/s: 168 bytes of wire a line with the headers of two writes, 28 a request, and DLLPs.
TEST(link_shares, are_what_headers_and_framing_make_of_lines_and_requests) {
    const result r = stream(with(gpu::peer_generation::fermi, gpu_generation::v3), 1 << 20);
    const double lines = (1 << 20) / line, ns_all = r.total_us * 1e3;
    EXPECT_GT(r.data_share, lines * 168 / (4 * ns_all));
    EXPECT_LT(r.data_share, lines * 168 / (4 * ns_all) + 0.03);
    EXPECT_GT(r.request_share, lines * 28 / (4 * ns_all));
    EXPECT_LT(r.request_share, lines * 28 / (4 * ns_all) + 0.03);
    EXPECT_NEAR(r.total_us, lines * request_ns / 1e3 + 3, 2);
    EXPECT_LT(r.callbacks, 20);
    RecordProperty("data_share", fmt::format("{:.3f}", r.data_share));
    RecordProperty("request_share", fmt::format("{:.3f}", r.request_share));
    RecordProperty("total_us", fmt::format("{:.1f}", r.total_us));
    RecordProperty("callbacks_a_line", fmt::format("{:.1f}", r.callbacks));
}

}  // namespace
