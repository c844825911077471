// SPDX-License-Identifier: Apache-2.0
// The results of each communication: its factor, the reason, the port, and the communication ahead.
#include "pcie/model/factors.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "trees.h"

namespace contraflow::pcie::model {
namespace {

using test::send;

std::string port_of(const topology& tree, const hold& why) { return tree.port_name(why.port); }

TEST(factors, table_one_says_why) {
    const topology tree = test::t2();
    network_options options;
    options.tau = 0.2;
    const network net(tree, options);
    const auto set = evaluate_factors(net, {send(tree, 0, 2), send(tree, 1, 4), send(tree, 3, 2), send(tree, 6, 4)});
    const auto& c = set.communications;
    EXPECT_DOUBLE_EQ(c[0].factor, 0.3);
    ASSERT_EQ(c[0].losses.size(), 2u) << "half of the uplink, and of that 0.6 behind the other half";
    EXPECT_EQ(c[0].why().why, reason::upstream_share);
    EXPECT_NEAR(c[0].losses[0].times, 2.0, 1e-12);
    const loss& behind = c[0].losses[1];
    EXPECT_EQ(behind.cause.why, reason::head_of_line);
    EXPECT_NEAR(behind.times, 0.5 / 0.3, 1e-12);
    EXPECT_EQ(port_of(tree, behind.cause), "k80_0.up");
    EXPECT_EQ(behind.cause.behind, 1u);
    EXPECT_EQ(tree.port_name(behind.cause.held_at), "k80_2.down");
    EXPECT_DOUBLE_EQ(c[1].factor, 0.3);
    ASSERT_EQ(c[1].losses.size(), 2u) << "half of the uplink; half of the port below would have been enough for it";
    EXPECT_EQ(c[1].why().why, reason::upstream_share);
    EXPECT_EQ(c[1].losses[1].cause.why, reason::root_complex);
    EXPECT_NEAR(c[1].losses[1].times, 0.5 / 0.3, 1e-12);
    EXPECT_EQ(port_of(tree, c[1].losses[1].cause), "k80_2.down");
    EXPECT_DOUBLE_EQ(c[2].factor, 0.7);
    EXPECT_EQ(c[2].why().why, reason::downstream_share);
    EXPECT_EQ(port_of(tree, c[2].why()), "gpu2.down");
    EXPECT_DOUBLE_EQ(c[3].factor, 0.7);
    EXPECT_EQ(c[3].why().why, reason::downstream_share);
    EXPECT_TRUE(set.overloads.empty());
}

// Four sends over one uplink and across the root complex: the uplink costs 4, the root complex 1.21, and in this order.
TEST(factors, the_causes_multiply_and_the_largest_is_named) {
    topology tree;
    const node_id rc = tree.add({"rc", node_kind::root_complex, no_node, {}, 0, {3, 16}, ""}, no_node);
    const node_id from = tree.add({"sa", node_kind::pcie_switch, no_node, {}, 0, {3, 16}, ""}, rc);
    const node_id to = tree.add({"sb", node_kind::pcie_switch, no_node, {}, 0, {3, 16}, ""}, rc);
    std::vector<communication> sends;
    for (const char* i : {"0", "1", "2", "3"}) {
        communication c;
        c.from = tree.add({std::string("a") + i, node_kind::endpoint, no_node, {}, 0, {3, 16}, ""}, from);
        c.to = tree.add({std::string("b") + i, node_kind::endpoint, no_node, {}, 0, {3, 16}, ""}, to);
        c.size = core::bytes{1 << 20};
        sends.push_back(c);
    }
    const auto set = evaluate_factors(network(tree), sends);
    for (const factor& f : set.communications) {
        ASSERT_EQ(f.losses.size(), 2u);
        EXPECT_EQ(f.losses[0].cause.why, reason::upstream_share);
        EXPECT_EQ(port_of(tree, f.losses[0].cause), "sa.up");
        EXPECT_NEAR(f.losses[0].times, 4.0, 1e-9);
        EXPECT_EQ(f.losses[1].cause.why, reason::root_complex);
        EXPECT_EQ(port_of(tree, f.losses[1].cause), "sb.down");
        EXPECT_NEAR(f.losses[1].times, 1.21, 1e-9);
    }
}

TEST(factors, alone_and_alone_across_the_root_complex) {
    const topology tree = test::t2();
    const network net(tree);
    const auto inside = evaluate_factors(net, {send(tree, 0, 1)});
    EXPECT_DOUBLE_EQ(inside.communications[0].factor, 1.0);
    EXPECT_EQ(inside.communications[0].why().why, reason::none);
    const auto across = evaluate_factors(net, {send(tree, 0, 4)});
    EXPECT_DOUBLE_EQ(across.communications[0].factor, 1.0 / 1.21);
    EXPECT_EQ(across.communications[0].why().why, reason::root_complex);
    EXPECT_EQ(port_of(tree, across.communications[0].why()), "plx_1.down");
}

TEST(factors, a_source_sends_one_at_a_time_earliest_start_first) {
    const topology tree = test::t2();
    const network net(tree);
    const auto set =
        evaluate_factors(net, {send(tree, 0, 1, {1}, 2e-3), send(tree, 0, 2, {1}, 1e-3), send(tree, 0, 3, {1}, 1e-3)});
    EXPECT_EQ(set.communications[0].factor, 0.0);
    EXPECT_EQ(set.communications[0].why().why, reason::source);
    EXPECT_EQ(set.communications[0].why().behind, 1u);
    EXPECT_EQ(set.communications[1].factor, 1.0);
    EXPECT_EQ(set.communications[2].why().why, reason::source);
    EXPECT_EQ(set.communications[2].why().behind, 1u);
}

TEST(factors, shares_of_an_up_port) {
    const topology tree = test::t2();
    const network net(tree);
    const auto set = evaluate_factors(net, {send(tree, 0, 3), send(tree, 1, 2)});
    for (const factor& f : set.communications) {
        EXPECT_DOUBLE_EQ(f.factor, 0.5);
        EXPECT_EQ(f.why().why, reason::upstream_share);
        EXPECT_EQ(port_of(tree, f.why()), "k80_0.up");
    }
    for (const port_load& p : set.ports) {
        const std::string name = tree.port_name(p.port);
        EXPECT_DOUBLE_EQ(p.load, name == "k80_0.up" || name == "k80_1.down" ? 1.0 : 0.5) << name;
    }
}

// Four GPUs under one switch and one across the root complex meet at a fifth: 3 x (1/4 + tau) + (1/4 - tau).
TEST(factors, an_overload_of_the_published_formula_is_named) {
    topology tree;
    const node_id rc = tree.add(test::named("rc", node_kind::root_complex), no_node);
    const node_id sw = tree.add(test::named("sw", node_kind::pcie_switch), rc);
    for (unsigned i = 0; i < 4; ++i) tree.add(test::named("gpu" + std::to_string(i), node_kind::endpoint), sw);
    tree.add(test::named("gpu4", node_kind::endpoint), rc);
    const network net(tree);
    const auto set = evaluate_factors(net, {send(tree, 1, 0), send(tree, 2, 0), send(tree, 3, 0), send(tree, 4, 0)});
    ASSERT_EQ(set.overloads.size(), 1u);
    EXPECT_EQ(tree.port_name(set.overloads[0].port), "gpu0.down");
    EXPECT_NEAR(set.overloads[0].load, 1.0 + 2.0 * default_tau, 1e-12);
    EXPECT_NE(overload_text(net, set.overloads[0]).find("1.34711 of the capacity of gpu0.down"), std::string::npos)
        << overload_text(net, set.overloads[0]);
}

TEST(factors, refuse_what_has_no_path) {
    topology tree;
    const node_id machine = tree.add(test::named("machine", node_kind::machine), no_node);
    for (unsigned package = 0; package < 2; ++package) {
        const node_id rc = tree.add(test::named("rc" + std::to_string(package), node_kind::root_complex), machine);
        tree.add(test::named("gpu" + std::to_string(package), node_kind::endpoint), rc);
    }
    EXPECT_THROW(evaluate_factors(network(tree), {send(tree, 0, 1)}), std::invalid_argument);
    EXPECT_THROW(evaluate_factors(network(tree), {send(tree, 1, 1)}), std::invalid_argument);
    tree.socket_link = link_rate{3, 16}.raw();
    const auto set = evaluate_factors(network(tree), {send(tree, 0, 1)});
    EXPECT_DOUBLE_EQ(set.communications[0].factor, 1.0 - default_tau);
}

TEST(network, refuses_values_out_of_range) {
    const topology tree = test::t2();
    network_options options;
    options.tau = 1.0;
    EXPECT_THROW(network(tree, options), std::invalid_argument);
    options.tau = -0.1;
    EXPECT_THROW(network(tree, options), std::invalid_argument);
    options.tau = 0.0;
    EXPECT_NO_THROW(network(tree, options));
    options.reference = {};
    EXPECT_THROW(network(tree, options), std::invalid_argument);
    EXPECT_THROW(network(topology{}), std::invalid_argument);
    network_options few;
    few.capacities = {1.0};
    EXPECT_THROW(network(tree, few), std::invalid_argument);
    few.capacities.assign(tree.size(), 0.0);
    EXPECT_THROW(network(tree, few), std::invalid_argument);
}

}  // namespace
}  // namespace contraflow::pcie::model
