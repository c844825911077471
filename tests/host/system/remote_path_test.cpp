// SPDX-License-Identifier: Apache-2.0
// The path of one access to another GPU's memory where addresses take time to translate: the instances that it passes
// in order, and the time that each of them takes, on every network.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/network/networks.h"
#include "host/machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using gpu::network_kind;
using gpu::of_links;
using net::topology;

struct followed_access {
    std::vector<std::string> path;
    std::vector<double> took;  // ns, of each instance on the path but the last
    double total = 0;
    double took_by(const std::string& part) const {
        double sum = 0;
        for (std::size_t i = 0; i < took.size(); ++i)
            if (path[i].find(part) != std::string::npos) sum += took[i];
        return sum;
    }
};

class follower final : public gpu::request_observer_if {
public:
    std::vector<followed_access> all;
    bool follows(core::sim_time) override { return true; }
    void request_completed(gpu::access_kind kind, bool, const memory::memory_extension& request) override {
        if (kind != gpu::access_kind::load) return;
        followed_access a;
        const auto& path = request.times.path();
        for (std::size_t i = 0; i < path.size(); ++i) {
            a.path.emplace_back(path[i].where);
            if (i + 1 < path.size()) a.took.push_back(static_cast<double>((path[i + 1].at - path[i].at).ps) * 1e-3);
        }
        a.total = static_cast<double>(request.times.total().ps) * 1e-3;
        all.push_back(a);
    }
};

// GPU 1 of four idle ones reads a line of GPU 4 in a page that has not been used, and then the next line.
std::vector<followed_access> reads(network_kind how, bool own_walkers = false) {
    unified_machine::spec s;
    s.gpus = {};
    s.migration = {};
    s.gpus.gpu.sockets = 4;
    s.gpus.gpu.units = s.gpus.gpu.rdma_ports = s.gpus.gpu.l2.banks = 1;
    s.gpus.gpu.dram.size = {64u << 20};
    s.gpus.gpu.pages.page_size = {4096};
    s.gpus.gpu.network = gpu::testing::network_of(how);
    s.gpus.gpu.rdma = {16, {8}};
    s.gpus.translation.mode = gpu::translation_mode::timed;
    s.gpus.translation.has_gmmu = own_walkers;
    host::testing::machine m(s);
    follower seen;
    m.gpus.profile().set_observer(&seen);
    context& c = m.driver.create_context();
    c.select_gpu(4);
    const auto x = c.allocate<std::uint32_t>(64);
    c.select_gpu(1);
    auto& q = c.create_queue();
    auto program = [&]() -> gpu::host_task {
        for (const unsigned line : {0u, 1u})
            co_await q.launch(
                {"read", 1, 1, [=](gpu::wave w) -> gpu::kernel { co_await w.load(x, w.global_ids() + 32 * line); }});
    };
    m.run(program());
    m.expect_clean();
    return seen.all;
}

using names = std::vector<std::string>;
names operator+(names a, const names& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

const names asked{"gpu1.cu0", "gpu1.cu0.translator", "gpu1.cu0.l1_tlb", "gpu1.l2_tlb"};
const names answered{"gpu1.l2_tlb", "gpu1.cu0.l1_tlb", "gpu1.cu0.translator"};
const names to_network{"gpu1.cu0_l1", "gpu1.crossbar", "gpu1.rdma.to_l1[0]", "gpu1.rdma.to_outside"};
const names at_home{
    "gpu4.rdma.to_outside", "gpu4.rdma.to_l2[0]", "gpu4.crossbar",       "gpu4.l2_0", "gpu4.dram", "gpu4.l2_0",
    "gpu4.crossbar",        "gpu4.rdma.to_l2[0]", "gpu4.rdma.to_outside"};
const names back{"gpu1.rdma.to_outside", "gpu1.rdma.to_l1[0]", "gpu1.crossbar", "gpu1.cu0_l1", "gpu1.cu0"};

TEST(remote_path, is_unit_translator_tlbs_iommu_and_back_then_l1_rdma_network_rdma_l2_memory_and_back) {
    const auto seen = reads(of_links(topology::central_switch));
    ASSERT_EQ(seen.size(), 2u);
    const names over{"link0.ab", "switch", "link3.ba"}, over_back{"link3.ab", "switch", "link0.ba"};
    EXPECT_EQ(seen[0].path, asked + names{"iommu"} + answered + to_network + over + at_home + over_back + back);
    // The second finds the page in the unit's own TLB.
    const names found{"gpu1.cu0", "gpu1.cu0.translator", "gpu1.cu0.l1_tlb", "gpu1.cu0.translator"};
    EXPECT_EQ(seen[1].path, found + to_network + over + at_home + over_back + back);
}

TEST(remote_path, walkers_of_the_gpus_own_stand_before_the_iommu) {
    const auto seen = reads(of_links(topology::central_switch), true);
    ASSERT_EQ(seen.size(), 2u);
    const names translation(seen[0].path.begin(), seen[0].path.begin() + 10);
    const names walkers{"gpu1.gmmu", "iommu", "gpu1.gmmu"};
    EXPECT_EQ(translation, asked + walkers + answered);
}

class on_each_network : public ::testing::TestWithParam<network_kind> {};
INSTANTIATE_TEST_SUITE_P(remote_path, on_each_network, ::testing::ValuesIn(gpu::testing::all_networks),
                         [](const auto& p) { return gpu::testing::name_of(p.param); });

TEST_P(on_each_network, translation_comes_first_and_every_picosecond_is_somebodys) {
    const auto seen = reads(GetParam());
    ASSERT_EQ(seen.size(), 2u);
    const names first = asked + names{"iommu"} + answered + names{"gpu1.cu0_l1", "gpu1.crossbar"};
    ASSERT_GT(seen[0].path.size(), first.size());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), seen[0].path.begin()));
    for (const auto& a : seen) {
        EXPECT_THAT(a.path, ::testing::IsSupersetOf({"gpu4.rdma.to_outside", "gpu4.l2_0", "gpu4.dram"}));
        EXPECT_EQ(a.path.back(), "gpu1.cu0");
        EXPECT_NEAR(std::accumulate(a.took.begin(), a.took.end(), 0.0), a.total, 1e-6);
    }
    // The first access takes more by the L2 TLB's look-up and two fills, the round trip to the IOMMU, and a walk.
    EXPECT_NEAR(seen[0].took_by("iommu"), 140 + 100 + 140, 1e-9);
    EXPECT_NEAR(seen[0].took_by("l2_tlb"), 10 + 1, 1e-9);
    EXPECT_NEAR(seen[0].took_by("l1_tlb"), 1 + 1, 1e-9);
    EXPECT_NEAR(seen[1].took_by("l1_tlb"), 1, 1e-9);
}

}  // namespace
