// SPDX-License-Identifier: Apache-2.0
// All GPUs read, write and update each other's memory at once, on every network, with the smallest buffers everywhere
// that take a line: nothing locks (a watchdog would name who waits for whom), and every value is what it must be.
// Then what a network is worth: the same traffic takes different times, for reasons that each test states.
#include <algorithm>
#include <set>
#include <vector>

#include "networks.h"
#include "whole_gpu.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::joined;

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

gpu_spec smallest(joined how, unsigned gpus) {
    gpu_spec s = gpu::testing::small_gpu();
    s.sockets = gpus;
    s.units = 2;
    s.unit.outstanding = 4;
    s.l1.mshrs = s.l1.merges = s.l1.queue = 1;
    s.l1.request_queue = 2;
    s.l2.bank.mshrs = s.l2.bank.merges = s.l2.bank.queue = s.l2.bank.write_backs = 1;
    s.l2.bank.request_queue = 2;
    s.bridge_ports = 1;
    s.crossbar.queue = s.crossbar.response_queue = 1;
    s.crossbar.latency = s.crossbar.response_latency = {2};
    s.dram.channels = s.dram.queue = 1;
    s.pages.placement = memory::placement::interleaved;
    s.network = gpu::testing::tiny_network(how);
    return s;
}

struct crowd {
    joined how;
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
    for (const joined how : gpu::testing::all_networks)
        for (const unsigned gpus : {2u, 4u, 8u})
            for (const unsigned queue : {0u, 1u}) all.push_back({how, gpus, queue, coherence::memory_side});
    for (const joined how : gpu::testing::all_networks) all.push_back({how, 4, 1, coherence::remote_caching});
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
    const auto to = g.gpu.memory().allocate<std::uint32_t>(n);
    const auto sum = g.gpu.memory().allocate<std::uint32_t>(n);
    // Thread i deals with word i + k pages for every k: whatever GPU it is on, that is every GPU's memory.
    g.run(n / 128, 128, [=](wave w) -> kernel {
        const auto i = w.global_ids();
        for (unsigned k = 0; k < gpus; ++k) {
            const auto there = (i + k * page_words) % n;
            const auto value = co_await w.load(from, there);
            co_await w.atomic_add(sum, there, value);
            if (k == 1 % gpus) co_await w.store(to, there, value + 1);
        }
    });
    g.expect_clean();
    const auto written = g.gpu.memory().read(to), updated = g.gpu.memory().read(sum);
    for (unsigned i = 0; i < n; ++i) {
        ASSERT_EQ(written[i], values[i] + 1) << i;
        ASSERT_EQ(updated[i], values[i] * gpus) << i;
    }
    EXPECT_EQ(pairs.count(access_kind::load), gpus * (gpus - 1));
    EXPECT_EQ(pairs.count(access_kind::store), gpus * (gpus - 1));
    EXPECT_EQ(pairs.count(access_kind::atomic), gpus * (gpus - 1));
}

// ---- what a network is worth

// Every GPU reads as much of every other's memory, as fast as it can. The time of that, in ns.
double exchange(const network_spec& n, unsigned gpus) {
    gpu_spec s;
    s.sockets = gpus;
    s.units = 4;
    s.l2.banks = 4;
    s.dram.size = {64u << 20};
    s.pages.placement = memory::placement::interleaved;
    s.pages.page_size = {4096};
    s.dispatcher.launch_cost = {0};
    s.network = n;
    gpu::testing::whole_gpu g(s);
    const unsigned words = gpus * 8 * page_words;
    const auto x = g.gpu.memory().allocate<std::uint32_t>(words);
    // CTA c of GPU k, of as many as there are pages for each other GPU: a page of each other GPU in turn.
    const unsigned ctas = 16;
    const auto time = g.run(gpus * ctas, 256, [=](wave w) -> kernel {
        const unsigned self = w.cta() / ctas;
        for (unsigned other = 1; other < gpus; ++other) {
            const unsigned page = (self + other) % gpus + w.cta() % 8 * gpus;
            const unsigned half = w.cta() % ctas / 8 * (page_words / 2);
            for (unsigned part = 0; part < page_words / 2; part += 256)
                co_await w.load(x, w.local_ids() + page * page_words + half + part);
        }
    });
    g.expect_clean();
    return time.seconds() * 1e9;
}

TEST(network_effect, of_the_same_exchange_takes_as_long_as_its_busiest_link) {
    std::array<double, gpu::testing::all_networks.size()> took{};
    for (std::size_t i = 0; i < took.size(); ++i) {
        took[i] = exchange(gpu::testing::network_of(gpu::testing::all_networks[i]), 8);
        printf("%s %f\n", gpu::testing::name_of(gpu::testing::all_networks[i]).c_str(), took[i]);
    }
}

}  // namespace
