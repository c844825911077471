// SPDX-License-Identifier: Apache-2.0
// A tree of links and switches with devices of the test's own at its leaves.
#include <array>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "config/config.h"
#include "pcie/fabric/link_tree.h"
#include "trees.h"

using namespace contraflow;
using namespace contraflow::pcie;

namespace {

// Sends one write to each other leaf, one after the other, and counts arrivals.
class tiny_device final : public sc_core::sc_module, public device_if, private port_owner_if {
public:
    tiny_device(const sc_core::sc_module_name& name, const port::resources& shared, tlp_pool& pool,
                const port::spec& line, const address_map& map, std::uint32_t number, std::uint32_t leaves)
        : sc_module(name),
          spec(line),
          pool_(pool),
          map_(map),
          ends_(map.nodes().endpoints()),
          port_("link", shared, line, *this, 0),
          number_(number),
          leaves_(leaves),
          came(leaves) {}

    void send_all() {
        left_ = leaves_ - 1;
        may_transmit(0);
    }
    port& link() override { return port_; }
    bool control(core::control_verb verb) override {
        if (verb == core::control_verb::reset) {
            port_.reset();
            left_ = 0;
        }
        return verb != core::control_verb::flush && verb != core::control_verb::invalidate;
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        if (left_ > 0) port_.report_wait(credit_class::posted, 64, name(), edges);
    }
    const port::spec spec;

private:
    admission admit(unsigned, const tlp_transfer& t) override { return {t.tail, 0}; }
    void head_ready(unsigned, credit_class c) override {
        while (port_.front_ready(c)) {
            tlp* const p = port_.pop(c);
            for (std::uint32_t i = 0; i < leaves_; ++i) came[i] += map_.at(ends_[i]).id == p->requester;
            misled += map_.owner(p->address) != ends_[number_];
            p->release();
        }
    }
    void transmitted(unsigned) override { may_transmit(0); }
    void may_transmit(unsigned) override {
        if (left_ == 0) return;
        if (!port_.wire_idle()) return port_.wake_when_free();
        if (port_.held(credit_class::posted, 64) != port::hold::none) return;
        tlp* const p = pool_.take(tlp_kind::memory_write);
        p->length = 64;
        p->requester = map_.at(ends_[number_]).id;
        p->address = map_.at(ends_[(number_ + left_--) % leaves_]).bars[0].base;
        port_.send(p);
    }

    tlp_pool& pool_;
    const address_map& map_;
    const std::vector<node_id> ends_;
    port port_;
    const std::uint32_t number_, leaves_;
    std::uint32_t left_ = 0;

public:
    std::vector<unsigned> came;  // arrivals by sender
    unsigned misled = 0;
};

struct tree_of_devices {
    core::simulation sim;
    observe::statistics statistics;
    tlp_pool pool{128};
    topology nodes;
    address_map map;
    fabric_spec spec;
    std::vector<std::unique_ptr<tiny_device>> devices;
    std::vector<node_id> asked;
    std::unique_ptr<link_tree> tree;

    static std::vector<function_spec> functions(const topology& t) {
        std::vector<function_spec> all(t.size());
        for (const node_id id : t.endpoints()) all[id].bars = {{{4096}, true, "memory"}};
        return all;
    }
    explicit tree_of_devices(topology t, const fabric_spec& s = {})
        : nodes(std::move(t)),
          map(nodes, functions(nodes)),
          spec(s) {
        const port::resources shared{sim.events(), statistics};
        const auto leaves = static_cast<std::uint32_t>(nodes.endpoints().size());
        tree = std::make_unique<link_tree>(shared, pool, map, spec,
                                           [&, shared](node_id id, std::uint32_t number, const std::string& name,
                                                       const port::spec& line) -> device_if& {
                                               EXPECT_EQ(number, devices.size());
                                               asked.push_back(id);
                                               return *devices.emplace_back(std::make_unique<tiny_device>(
                                                   name.c_str(), shared, pool, line, map, number, leaves));
                                           });
    }
    void exchange() {
        for (const auto& d : devices) d->send_all();
        sim.run_to(sim.events().now() + core::sim_time::from_us(100));
    }
    void expect_clean() const {
        observe::conservation checks;
        tree->check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
    }
};

TEST(link_tree, devices_are_made_in_order_and_every_one_reaches_every_other) {
    tree_of_devices t(pcie::testing::t2());
    ASSERT_EQ(t.devices.size(), 8u);
    EXPECT_EQ(t.asked, t.nodes.endpoints());
    t.sim.run_to(core::sim_time::from_us(1));
    t.exchange();
    for (unsigned to = 0; to < 8; ++to) {
        EXPECT_EQ(t.devices[to]->misled, 0u);
        for (unsigned from = 0; from < 8; ++from) EXPECT_EQ(t.devices[to]->came[from], from == to ? 0u : 1u);
    }
    t.expect_clean();
    // From a leaf to the other one below its switch there are two links, to two of the next switch four, to the
    // other four six.
    EXPECT_EQ(t.tree->tlps_moved(), 8u * (1 * 2 + 2 * 4 + 4 * 6));
}

TEST(link_tree, each_link_has_its_own_rate_and_faster_links_have_larger_buffers) {
    topology t;
    const node_id root = pcie::testing::add_switch(t, no_node, "rc", node_kind::root_complex);
    pcie::testing::add_endpoint(t, root, "slow", {3, 4});
    pcie::testing::add_endpoint(t, root, "usual", {3, 16});
    pcie::testing::add_endpoint(t, root, "fast", {5, 16});
    fabric_spec s;
    s.posted_data = {3200};
    s.posted_headers = 64;
    s.non_posted_data = {4096};
    const tree_of_devices d(t, s);
    const auto& slow = d.devices[0]->spec;
    const auto& usual = d.devices[1]->spec;
    const auto& fast = d.devices[2]->spec;
    EXPECT_DOUBLE_EQ(usual.raw.bytes_per_s, (link_rate{3, 16}.raw().bytes_per_s));
    EXPECT_DOUBLE_EQ(fast.raw.bytes_per_s, 4 * usual.raw.bytes_per_s);
    EXPECT_EQ(usual.buffers[0].data_bytes, d.spec.posted_data.count);
    EXPECT_EQ(fast.buffers[0].data_bytes, 4 * d.spec.posted_data.count);
    EXPECT_EQ(fast.buffers[0].headers, 4 * d.spec.posted_headers);
    EXPECT_EQ(slow.buffers[0].headers, d.spec.posted_headers);  // no fewer than configured
    EXPECT_EQ(slow.buffers[0].data_bytes, d.spec.posted_data.count);
    EXPECT_EQ(usual.buffers[1].data_bytes, 4096u);
    EXPECT_EQ(fast.buffers[1].data_bytes, 4 * 4096u);
    EXPECT_GT(slow.dllp_latency, usual.dllp_latency);
    // Where none is configured: that of a real gen3 x16 port, grown with the rate.
    EXPECT_EQ(usual.buffers[2].headers, 770u);
    EXPECT_EQ(usual.buffers[2].data_bytes, 40'000u);
    EXPECT_EQ(fast.buffers[2].data_bytes, 160'000u);
    EXPECT_EQ(slow.buffers[2].data_bytes, 40'000u);
    EXPECT_EQ(usual.buffers[1].headers, d.tree->usual_buffer(credit_class::non_posted, 2).headers);
}

// Less than the smallest full TLP would silently become another buffer.
TEST(link_tree, a_receive_buffer_has_room_for_a_full_packet_or_is_that_of_a_real_port) {
    for (const std::string key : {"posted_data", "completion_data"})
        for (const auto& [value, good] :
             {std::pair{"0B", true}, {"1B", false}, {"63B", false}, {"64B", true}, {"16MiB", true}, {"17MiB", false}}) {
            config::diagnostics diag;
            config::load<fabric_spec>(config::source{"p.yaml", key + ": " + value + "\n"}, {}, diag);
            std::ostringstream said;
            diag.print(said);
            EXPECT_EQ(said.str().empty(), good) << key << value << said.str();
            if (!good) {
                EXPECT_NE(said.str().find("allowed: 0B, or 64B to 16MiB"), std::string::npos) << said.str();
                EXPECT_NE(said.str().find("p.yaml:1:"), std::string::npos) << said.str();
            }
        }
}

TEST(link_tree, both_ends_of_a_link_know_each_other_and_names_fit_systemc) {
    topology t;
    const node_id root = pcie::testing::add_switch(t, no_node, "the root.0", node_kind::root_complex);
    pcie::testing::add_gpus(t, root, 0, 2);
    tree_of_devices d(t);
    const node_id gpu1 = *d.nodes.find("gpu1");
    const port& up = d.tree->sender({gpu1, true});
    const port& down = d.tree->sender({gpu1, false});
    EXPECT_EQ(&up, &d.devices[1]->link());
    EXPECT_STREQ(down.name(), "the_root_0.to_gpu1");
    EXPECT_EQ(up.peer_name(), down.name());
    EXPECT_EQ(down.peer_name(), up.name());
    EXPECT_EQ(d.tree->waiters().size(), 4u);  // and the tree
}

TEST(link_tree, reset_in_mid_traffic_it_drops_everything_and_carries_again) {
    for (const std::uint64_t when : {20u, 200u, 400u, 900u}) {
        tree_of_devices t(pcie::testing::t2());
        t.sim.run_to(core::sim_time::from_us(1));
        for (const auto& d : t.devices) d->send_all();
        t.sim.run_to(t.sim.events().now() + core::sim_time::from_ns(when));
        EXPECT_TRUE(t.tree->control(core::control_verb::reset));
        EXPECT_EQ(t.pool.in_flight(), 0u);
        for (const auto& d : t.devices) d->came.assign(8, 0);
        t.sim.run_to(t.sim.events().now() + core::sim_time::from_us(1));
        t.exchange();
        for (unsigned to = 0; to < 8; ++to)
            for (unsigned from = 0; from < 8; ++from)
                EXPECT_EQ(t.devices[to]->came[from], from == to ? 0u : 1u) << when;
        EXPECT_EQ(t.pool.in_flight(), 0u);
    }
}

TEST(link_tree, what_no_device_can_do_is_refused) {
    tree_of_devices t(pcie::testing::t2());
    EXPECT_FALSE(t.tree->control(core::control_verb::flush));
    EXPECT_TRUE(t.tree->control(core::control_verb::pause));
    EXPECT_TRUE(t.tree->control(core::control_verb::enable));
}

}  // namespace
