// SPDX-License-Identifier: Apache-2.0
// All GPUs read, write and update each other's memory at once, on every network, with the smallest buffers
// that take a line: there is no deadlock (a watchdog would report the waits), and every value is the expected one.
// Then networks are compared: the same traffic takes different times, for reasons that each test states.
#include <array>
#include <set>
#include <vector>

#include "gpu/whole_gpu.h"
#include "networks.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using net::topology;

constexpr unsigned page_words = 1024;  // of 4 KiB

class pairs_seen final : public request_observer_if {
public:
    explicit pairs_seen(gpu_system& g) : gpu_(g) {}
    void request_completed(access_kind kind, bool remote, const memory::memory_extension& request) override {
        if (remote)
            seen_[static_cast<std::size_t>(kind)].insert(
                {request.origin.gpu, gpu_.map().socket_of(request.carrier().get_address())});
    }
    std::size_t count(access_kind kind) const { return seen_[static_cast<std::size_t>(kind)].size(); }

private:
    gpu_system& gpu_;
    std::array<std::set<std::pair<unsigned, unsigned>>, 3> seen_;
};

gpu_spec smallest(network_kind how, unsigned gpus) {
    gpu_spec s = gpu::testing::small_gpu();
    s.sockets = gpus;
    s.units = 2;
    s.unit.outstanding = 4;
    s.l1.mshrs = s.l1.mshr_targets = s.l1.queue = 1;
    s.l1.request_queue = 2;
    s.l2.bank.mshrs = s.l2.bank.mshr_targets = s.l2.bank.queue = s.l2.bank.write_backs = 1;
    s.l2.bank.request_queue = 2;
    s.rdma_ports = 1;
    s.crossbar.queue = s.crossbar.response_queue = 1;
    s.crossbar.latency = s.crossbar.response_latency = {2};
    s.dram.channels = s.dram.queue = s.dram.write_queue = s.dram.write_high = 1;
    s.dram.write_low = 0;
    s.pages.placement = memory::placement::interleaved;
    s.network = gpu::testing::tiny_network(how);
    return s;
}

struct crowd {
    network_kind how;
    unsigned gpus;
    unsigned queue;  // of the RDMA engines
    coherence kind;
};
std::string name_of(const crowd& c) {
    return fmt::format("{}{}_queue{}_{}", gpu::testing::name_of(c.how), c.gpus, c.queue,
                       c.kind == coherence::memory_side ? "memory_side" : "remote_caching");
}
void PrintTo(const crowd& c, std::ostream* to) { *to << name_of(c); }

std::vector<crowd> crowds() {
    std::vector<crowd> all;
    for (const network_kind how : gpu::testing::all_networks)
        for (const unsigned gpus : {2u, 4u, 8u})
            for (const unsigned queue : {0u, 1u}) all.push_back({how, gpus, queue, coherence::memory_side});
    for (const network_kind how : gpu::testing::all_networks) all.push_back({how, 4, 1, coherence::remote_caching});
    return all;
}

class all_pairs : public ::testing::TestWithParam<crowd> {};
INSTANTIATE_TEST_SUITE_P(networks, all_pairs, ::testing::ValuesIn(crowds()),
                         [](const auto& p) { return name_of(p.param); });

TEST_P(all_pairs, read_write_and_update_each_other_and_nothing_locks) {
    gpu_spec s = smallest(GetParam().how, GetParam().gpus);
    s.coherence = GetParam().kind;
    s.rdma = {GetParam().queue, {2}};
    s.check_protocol = true;
    gpu::testing::whole_gpu g(s);
    pairs_seen pairs(g.gpu);
    g.gpu.profile().set_observer(&pairs);

    const unsigned gpus = s.sockets;
    const unsigned n = gpus * page_words;
    std::vector<std::uint32_t> values(n);
    for (unsigned i = 0; i < n; ++i) values[i] = i * 2654435761u;
    const auto from = g.gpu.memory().upload(values);
    const auto to = g.gpu.memory().allocate<std::uint32_t>(std::size_t{n} * gpus);
    const auto sum = g.gpu.memory().allocate<std::uint32_t>(n);
    // Thread i works on word i + k pages for every k: this covers every GPU's memory, on any GPU.
    g.run(n / 128, 128, [=](wave w) -> kernel {
        const auto i = w.global_ids();
        for (unsigned k = 0; k < gpus; ++k) {
            const auto there = (i + k * page_words) % n;
            const auto value = co_await w.load(from, there);
            co_await w.atomic_add(sum, there, value);
            co_await w.store(to, there + k * n, value + k);
        }
    });
    g.expect_clean();
    const auto written = g.gpu.memory().read(to), updated = g.gpu.memory().read(sum);
    for (unsigned i = 0; i < n; ++i) {
        for (unsigned k = 0; k < gpus; ++k) ASSERT_EQ(written[i + k * n], values[i] + k) << i;
        ASSERT_EQ(updated[i], values[i] * gpus) << i;
    }
    EXPECT_EQ(pairs.count(access_kind::load), gpus * (gpus - 1));
    EXPECT_EQ(pairs.count(access_kind::store), gpus * (gpus - 1));
    EXPECT_EQ(pairs.count(access_kind::atomic), gpus * (gpus - 1));
}

// ---- networks compared

constexpr unsigned readers = 64;  // CTAs of a GPU, each of which reads eight lines of every other

// Every GPU reads the same amount of every other's memory, as fast as it can. Returns the time in ns.
double exchange(const network_spec& n, unsigned gpus) {
    gpu_spec s;
    s.sockets = gpus;
    s.units = 8;
    s.dram.size = {64u << 20};
    s.pages.placement = memory::placement::interleaved;
    s.pages.page_size = {4096};
    s.dispatcher.launch_cost = {0};
    s.network = n;
    gpu::testing::whole_gpu g(s);
    constexpr unsigned parts = page_words / 256;
    const auto x = g.gpu.memory().allocate<std::uint32_t>(std::size_t{gpus} * readers / parts * page_words);
    const auto time = g.run(gpus * readers, 256, [=](wave w) -> kernel {
        const auto self = static_cast<unsigned>(w.cta()) / readers, reader = static_cast<unsigned>(w.cta()) % readers;
        for (unsigned k = 0; k + 1 < gpus; ++k) {  // the order differs between GPUs
            const unsigned page = (self + 1 + (k + reader) % (gpus - 1)) % gpus + reader / parts * gpus;
            co_await w.load(x, w.local_ids() + page * page_words + reader % parts * 256);
        }
    });
    g.expect_clean();
    return time.seconds() * 1e9;
}

// For each line of 128 bytes, a link carries a response one way and a request the other way; a link between GPUs with
// equal demand carries both in both directions. Numbers are bytes per ns, and lines of eight GPUs over the busiest
// link.
TEST(network_effect, the_same_exchange_takes_as_long_as_the_busiest_link_needs) {
    const double lines = readers * 8;  // lines of each pair
    const double both = (128 + 16) + 16, lanes = 64;
    const auto took = [](network_kind how) { return exchange(gpu::testing::network_of(how), 8); };
    const auto expect_bound = [](double time, double busiest) {
        EXPECT_GE(time, busiest);
        EXPECT_LE(time, 1.3 * busiest);
    };
    const double by_switch = took(of_links(topology::central_switch));
    expect_bound(by_switch, 7 * lines * both / lanes);
    // All packets pass 128 links one way (eight times 1 + 2 + 3 + 4 + 3 + 2 + 1), of which there are 16.
    expect_bound(took(of_links(topology::ring)), 8 * lines * both / lanes);
    // Rows of four: a link in the middle of a row carries the packets of two GPUs of the row to the four beyond.
    expect_bound(took(of_links(topology::mesh)), 8 * lines * both / lanes);
    // A switch with two GPUs has one link to the root complex, which passes a line in two packets.
    const double gen4 = 31.5, root = 2 * (64 + 20) + 24;
    // It has a queue per input: with four ports, head-of-line blocking costs a third of the rate
    // (Karol, Hluchyj, Morgan 1987: 0.655 is left).
    const double tree = took(network_kind::pcie), busiest = 2 * 6 * lines * root / gen4;
    EXPECT_GE(tree, busiest);
    EXPECT_LE(tree, busiest / 0.655);
    // A link for each pair carries a seventh of the traffic of the link to a switch; then other parts are the limit.
    EXPECT_LT(took(of_links(topology::fully_connected)), 0.75 * by_switch);
}

TEST(network_effect, a_faster_generation_or_a_wider_switch_shortens_the_exchange_in_a_pcie_tree) {
    network_spec n = gpu::testing::network_of(network_kind::pcie);
    const double gen4 = exchange(n, 4);
    n.pcie.link = {5, 16};
    const double gen5 = exchange(n, 4);
    EXPECT_LT(gen5, 0.7 * gen4);
    n.pcie.link = {4, 16};
    n.pcie.root_complex_payload = {128};  // a line in one packet
    EXPECT_LT(exchange(n, 4), 0.95 * gen4);
    n.pcie.gpus_a_switch = 4;  // nothing passes the root complex
    EXPECT_LT(exchange(n, 4), 0.85 * gen4);
}

}  // namespace
