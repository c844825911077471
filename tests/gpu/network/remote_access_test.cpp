// SPDX-License-Identifier: Apache-2.0
// One access to another GPU's memory on an otherwise idle machine: the instances that it passes, on every network,
// their classes, and the time in each of them, compared with a budget that is computed from the configuration.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <typeinfo>
#include <vector>

#include <cxxabi.h>

#include "gpu/compute_unit/load_store_unit.h"
#include "gpu/network/pcie_port.h"
#include "gpu/whole_gpu.h"
#include "link/link_channel.h"
#include "memory/dram/dram_channel.h"
#include "memory/port/delay_line.h"
#include "networks.h"
#include "pcie/device/completer.h"
#include "pcie/device/requester.h"
#include "pcie/link/replay_buffer.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using net::topology;

struct seen_access {
    std::vector<std::string> path;
    std::vector<double> took;  // ns, of each instance on the path but the last
    double total = 0;          // ns
    double took_by(const std::string& part) const {
        double sum = 0;
        for (std::size_t i = 0; i < took.size(); ++i)
            if (path[i].find(part) != std::string::npos) sum += took[i];
        return sum;
    }
};

class remote_reads final : public request_observer_if {
public:
    std::vector<seen_access> all;
    bool follows(core::sim_time) override { return true; }
    void request_completed(access_kind kind, bool remote, const memory::memory_extension& request) override {
        if (kind != access_kind::load || !remote) return;
        seen_access a;
        const auto& path = request.times.path();
        for (std::size_t i = 0; i < path.size(); ++i) {
            a.path.emplace_back(path[i].where);
            if (i + 1 < path.size()) a.took.push_back(static_cast<double>((path[i + 1].at - path[i].at).ps) * 1e-3);
        }
        a.total = static_cast<double>(request.times.total().ps) * 1e-3;
        all.push_back(a);
    }
};

// The defaults of the study with an RDMA engine that has queues; the CTA runs on GPU 0, all data is GPU 1's.
gpu_spec idle_machine(network_kind how, unsigned gpus) {
    gpu_spec s;
    s.sockets = gpus;
    s.units = 1;
    s.rdma_ports = 1;
    s.l2.banks = 1;
    s.dram.size = {64u << 20};
    s.network = gpu::testing::network_of(how);
    s.rdma = {16, {8}};
    s.pages.placement = memory::placement::interleaved;
    s.pages.page_size = {65536};
    return s;
}

// A line that no cache has, and the same again when only the home's second level has it.
std::vector<seen_access> reads_of(gpu::testing::whole_gpu& g, unsigned home) {
    remote_reads seen;
    g.gpu.profile().set_observer(&seen);
    auto x = g.gpu.memory().allocate<std::uint32_t>(16384 * g.gpu.sockets());
    auto program = [&](gpu_system_if& gpu) -> host_task {
        for (unsigned i = 0; i < 2; ++i)
            co_await gpu.launch(
                {"read", 1, 1, [=](wave w) -> kernel { co_await w.load(x, w.global_ids() + 16384 * home); }});
    };
    g.run(program(g.gpu.host()));
    g.expect_clean();
    g.gpu.profile().set_observer(nullptr);
    return seen.all;
}
std::vector<seen_access> reads_of(const gpu_spec& s, unsigned home) {
    gpu::testing::whole_gpu g(s);
    return reads_of(g, home);
}

std::vector<std::string> way_over(network_kind how) {
    if (how == network_kind::pcie) return {"pcie.gpu0"};
    switch (static_cast<topology>(how)) {
    case topology::central_switch: return {"link0.ab", "switch", "link3.ba"};
    case topology::fully_connected: return {"link0_3.ab"};
    case topology::ring: return {"link3_0.ba"};
    case topology::mesh:
    case topology::torus: return {"link0_1.ab", "node1", "link1_3.ab"};
    case topology::tree:
        return {"link0_4.ab", "switch0", "link4_6.ab", "switch2", "link5_6.ba", "switch1", "link3_5.ba"};
    }
    return {};
}
std::vector<std::string> way_back(network_kind how) {
    if (how == network_kind::pcie) return {"pcie.gpu3"};
    switch (static_cast<topology>(how)) {
    case topology::central_switch: return {"link3.ab", "switch", "link0.ba"};
    case topology::fully_connected: return {"link0_3.ba"};
    case topology::ring: return {"link3_0.ab"};
    case topology::mesh:
    case topology::torus: return {"link2_3.ba", "node2", "link0_2.ba"};  // along its own row first
    case topology::tree:
        return {"link3_5.ab", "switch1", "link5_6.ab", "switch2", "link4_6.ba", "switch0", "link0_4.ba"};
    }
    return {};
}

class on_every_network : public ::testing::TestWithParam<network_kind> {};
INSTANTIATE_TEST_SUITE_P(remote_access, on_every_network, ::testing::ValuesIn(gpu::testing::all_networks),
                         [](const auto& p) { return gpu::testing::name_of(p.param); });

TEST_P(on_every_network, a_read_goes_by_l1_rdma_network_rdma_l2_memory_and_back) {
    const auto reads = reads_of(idle_machine(GetParam(), 4), 3);
    ASSERT_EQ(reads.size(), 2u);
    for (const bool in_l2 : {false, true}) {
        std::vector<std::string> expected{"gpu0.cu0", "gpu0.cu0_l1", "gpu0.crossbar"};
        const auto then = [&](const std::vector<std::string>& more) {
            expected.insert(expected.end(), more.begin(), more.end());
        };
        const std::string from = GetParam() == of_links(topology::ring) ? "[1]" : "[0]";
        const unsigned links = GetParam() == of_links(topology::fully_connected) ? 3 : 1;
        const std::string mine = links == 3 ? "[2]" : GetParam() == of_links(topology::ring) ? "[1]" : "[0]";
        // At the home: towards GPU 0, by the direct link, or for a mesh by the one along its row.
        const std::string theirs = links == 3 ? "[0]"
                                   : GetParam() == of_links(topology::mesh) || GetParam() == of_links(topology::torus)
                                       ? "[1]"
                                       : mine;
        then({"gpu0.rdma.to_l1" + mine, "gpu0.rdma.to_outside"});
        then(way_over(GetParam()));
        then({"gpu3.rdma.to_outside", "gpu3.rdma.to_l2" + theirs, "gpu3.crossbar", "gpu3.l2_0"});
        if (!in_l2) then({"gpu3.dram", "gpu3.l2_0"});
        then({"gpu3.crossbar", "gpu3.rdma.to_l2" + theirs, "gpu3.rdma.to_outside"});
        then(way_back(GetParam()));
        then({"gpu0.rdma.to_outside", "gpu0.rdma.to_l1" + mine, "gpu0.crossbar", "gpu0.cu0_l1", "gpu0.cu0"});
        EXPECT_EQ(reads[in_l2 ? 1 : 0].path, expected);
    }
}

TEST_P(on_every_network, the_instances_on_the_path_account_for_every_picosecond) {
    for (const auto& read : reads_of(idle_machine(GetParam(), 4), 1))
        EXPECT_NEAR(std::accumulate(read.took.begin(), read.took.end(), 0.0), read.total, 1e-6);
}

// ---- the classes on the path

// "memory::cache", without template arguments.
std::string name_of(const std::type_info& type) {
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr),
                                                           std::free);
    std::string name = text.get();
    name.erase(std::min(name.find('<'), name.size()));
    const std::string prefix = "contraflow::";
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// A component with a delay_line, which is a template over its owner.
struct delayed {
    void due(memory::memory_extension&) {}
};

class crossed_classes {
public:
    // Each instance on the path is found by its name: as a module or a socket in SystemC's hierarchy, or as a part of
    // the network. With each module come its sockets, and the members by which it holds a request. Plain containers
    // do not count.
    crossed_classes(const seen_access& access, gpu_system& gpu) {
        for (const std::string& instance : access.path) {
            if (in_network(instance, gpu.network())) continue;
            sc_core::sc_object* found = nullptr;
            for (std::string at = instance; found == nullptr && !at.empty();
                 at.erase(at.find('.') == std::string::npos ? 0 : at.rfind('.')))
                found = sc_core::sc_find_object(at.c_str());
            if (found == nullptr) {
                ADD_FAILURE() << instance << " is no instance";
                continue;
            }
            if (is_socket(*found)) {
                add(typeid(*found));
                found = found->get_parent_object();
            }
            add_module(*found);
        }
        const auto& port = gpu.packets()->port(0);
        add(typeid(port));
        if (const sc_core::sc_object* const tree = sc_core::sc_find_object("pcie")) add_below(*tree);
    }
    std::set<std::string> names;

private:
    static bool is_socket(const sc_core::sc_object& o) {
        return dynamic_cast<const memory::request_port*>(&o) != nullptr ||
               dynamic_cast<const memory::response_port*>(&o) != nullptr;
    }
    bool in_network(const std::string& instance, const net::network* network) {
        if (network == nullptr) return false;
        for (const auto& l : network->links())
            if (instance.starts_with(l->name() + ".")) {
                const auto& direction = *l;
                add(typeid(direction));
                add(typeid(link::link_channel));
                add(typeid(net::router));  // a node's own, before its first link
                return true;
            }
        const auto& routers = network->wires().routers;
        return std::find(routers.begin(), routers.end(), instance) != routers.end();
    }
    void add_module(const sc_core::sc_object& module) {
        add(typeid(module));
        for (const sc_core::sc_object* const child : module.get_child_objects())
            if (is_socket(*child)) add(typeid(*child));
        if (typeid(module) == typeid(compute_unit)) add(typeid(load_store_unit));
        if (typeid(module) == typeid(rdma_engine)) add(typeid(core::channel<memory::memory_extension*>));
        if (typeid(module) == typeid(memory::cache)) add(typeid(memory::delay_line<delayed, &delayed::due>));
        if (typeid(module) == typeid(memory::dram)) add(typeid(memory::dram_channel));
        if (typeid(module) == typeid(pcie::function))
            for (const auto* const part : {&typeid(pcie_port), &typeid(pcie::transaction_bridge),
                                           &typeid(pcie::requester), &typeid(pcie::completer)})
                add(*part);
        if (typeid(module) == typeid(pcie::port)) add(typeid(pcie::replay_buffer));
    }
    // Everything in a PCIe tree that holds TLPs.
    void add_below(const sc_core::sc_object& tree) {
        for (const sc_core::sc_object* const child : tree.get_child_objects()) {
            if (dynamic_cast<const sc_core::sc_module*>(child) == nullptr) continue;
            add_module(*child);
            add_below(*child);
        }
    }
    void add(const std::type_info& type) { names.insert(name_of(type)); }
};

// The list of docs/remote_access.md.
TEST_P(on_every_network, a_read_crosses_15_classes_on_links_and_20_in_a_pcie_tree) {
    gpu::testing::whole_gpu g(idle_machine(GetParam(), 4));
    const crossed_classes crossed(reads_of(g, 3).at(0), g.gpu);
    std::set<std::string> expected{"gpu::compute_unit",     "gpu::load_store_unit", "memory::request_port",
                                   "memory::response_port", "memory::cache",        "memory::delay_line",
                                   "memory::crossbar",      "gpu::rdma_engine",     "core::channel",
                                   "net::network_port",     "memory::dram",         "memory::dram_channel"};
    if (GetParam() == network_kind::pcie)
        expected.insert({"gpu::pcie_port", "pcie::transaction_bridge", "pcie::function", "pcie::requester",
                         "pcie::completer", "pcie::port", "pcie::replay_buffer", "pcie::pcie_switch"});
    else
        expected.insert({"net::router", "link::reversible_link", "link::link_channel"});
    EXPECT_EQ(crossed.names, expected);
    EXPECT_LE(crossed.names.size(), 20u);
}

// The time on an idle machine, in cycles of 1 ns: the budget of docs/remote_access.md. A line that no cache has takes
// the published time of a remote access; one that the home's second level has saves the time of the memory.
TEST(remote_access, takes_about_600_cycles_on_links_of_the_nvlink_class_and_keeps_its_budget) {
    for (const network_kind how : {of_links(topology::fully_connected), of_links(topology::central_switch)}) {
        const gpu_spec s = idle_machine(how, 4);
        const auto reads = reads_of(s, 1);
        ASSERT_EQ(reads.size(), 2u);
        const unsigned hops = how == of_links(topology::central_switch) ? 2 : 1;
        for (const auto& read : reads) {
            // Two crossbars, each in both directions. A request is one flit; a line with its header is three.
            EXPECT_NEAR(read.took_by("crossbar"), 4 * 65 + 2 * 1 + 2 * 3, 1e-9);
            // Two engines, each in both directions.
            EXPECT_NEAR(read.took_by("rdma"), 4 * 8, 1e-9);
            // Each link in both directions, and the bytes: 16 of header, a line with a header, on 8 lanes of 8 bytes.
            EXPECT_NEAR(read.took_by("link"), hops * (2 * 24 + 0.25 + 2.25), 1e-9);
            EXPECT_NEAR(read.took_by("cu0"), 28 + 4, 1e-9);  // look-up and fill of the first level
        }
        EXPECT_NEAR(reads[0].took_by("l2_0"), 30 + 4, 1e-9);        // look-up and fill of the second level
        EXPECT_NEAR(reads[0].took_by("dram"), 122 + 30.667, 0.01);  // opens a closed row
        EXPECT_NEAR(reads[1].took_by("l2_0"), 30, 1e-9);
        EXPECT_GE(reads[0].total, 450);
        EXPECT_LE(reads[0].total, 750);
        EXPECT_NEAR(reads[0].total - reads[1].total, 122 + 30.667 + 4, 0.01);
    }
}

double time_to(network_kind how, unsigned gpus, unsigned home) {
    return reads_of(idle_machine(how, gpus), home)[0].total;
}

TEST(remote_access, distance_costs_links_in_a_ring_and_a_mesh_and_nothing_through_a_switch) {
    const double hop = 2 * 24 + 0.25 + 2.25;
    for (unsigned to = 2; to <= 4; ++to) {
        EXPECT_NEAR(time_to(of_links(topology::ring), 8, to) - time_to(of_links(topology::ring), 8, 1), (to - 1) * hop,
                    1e-6)
            << to;
        EXPECT_NEAR(time_to(of_links(topology::central_switch), 8, to),
                    time_to(of_links(topology::central_switch), 8, 1), 1e-6)
            << to;
        EXPECT_NEAR(time_to(of_links(topology::fully_connected), 8, to),
                    time_to(of_links(topology::fully_connected), 8, 1), 1e-6)
            << to;
    }
    // Two rows of four: 4 is below 0, 7 at the opposite corner.
    EXPECT_NEAR(time_to(of_links(topology::mesh), 8, 4), time_to(of_links(topology::mesh), 8, 1), 1e-6);
    EXPECT_NEAR(time_to(of_links(topology::mesh), 8, 7) - time_to(of_links(topology::mesh), 8, 1), 3 * hop, 1e-6);
}

TEST(remote_access, in_a_pcie_tree_another_switch_costs_the_way_by_the_root_complex) {
    const double near = time_to(network_kind::pcie, 4, 1), far = time_to(network_kind::pcie, 4, 2);
    // A switch and the root complex of 140 ns each, two more links, in both directions; the root complex waits for all
    // of a completion, which the wire carries at 31.5 bytes per ns.
    EXPECT_GT(far - near, 2 * (2 * 140 + 2 * 5));
    EXPECT_LT(far - near, 2 * (2 * 140 + 2 * 5) + 30);
    EXPECT_GT(near, time_to(of_links(topology::central_switch), 4, 1));
}

// The bytes that arrive are those that cross: if a switch changes a byte, the program reads a wrong byte. A store and a
// load over PCIe; the first TLP with data that passes a switch is changed.
TEST(remote_access, in_a_pcie_tree_a_byte_that_a_switch_changes_is_wrong_in_the_program) {
    for (const bool flipped : {false, true})
        for (const bool stores : {false, true}) {
            gpu_spec s = idle_machine(network_kind::pcie, 2);
            if (flipped) s.network.pcie.faults.flips = {{"switch0", 0, 8}};
            gpu::testing::whole_gpu g(s);
            std::vector<std::uint32_t> values(32768);
            for (unsigned i = 0; i < values.size(); ++i) values[i] = i * 2654435761u;
            const auto from = g.gpu.memory().upload(values);
            const auto to = g.gpu.memory().allocate<std::uint32_t>(values.size());
            // GPU 0 runs it; the second page of each array is GPU 1's.
            g.run(1, 64, [=](wave w) -> kernel {
                const auto far = w.global_ids() + 16384;
                if (stores)
                    co_await w.store(to, far, w.global_ids() + 7u);
                else
                    co_await w.store(to, w.global_ids(), co_await w.load(from, far));
            });
            const auto written = g.gpu.memory().read(to);
            unsigned wrong = 0;
            for (unsigned i = 0; i < 64; ++i)
                wrong += stores ? written[16384 + i] != i + 7 : written[i] != values[16384 + i];
            EXPECT_EQ(wrong, flipped ? 1u : 0u) << stores;
        }
}

}  // namespace
