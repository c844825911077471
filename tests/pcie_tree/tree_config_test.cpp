// SPDX-License-Identifier: Apache-2.0
#include "configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using contraflow::pcie_tree::testing::configuration;
using contraflow::pcie_tree::testing::two_sockets;
using ::testing::HasSubstr;
namespace pcie = contraflow::pcie;

// The tree alone: it sends nothing, which is one more error.
std::string said_of(const std::string& yaml) { return configuration(yaml).said(); }

TEST(tree_config, becomes_a_topology_with_its_links) {
    const configuration c(two_sockets("link: gen4 x8\nsocket_link: 20GB/s\n"
                                      "communications: [{from: gpu0, to: gpu2, size: 1MiB, start: 2ms}]\n"));
    ASSERT_FALSE(c.diag.failed()) << c.said();
    const auto& t = c.tree->topology;
    ASSERT_EQ(t.size(), 7u);
    EXPECT_EQ(t[0].kind, pcie::node_kind::machine);
    const auto gpu0 = *t.find("gpu0");
    EXPECT_EQ(t[gpu0].link, (pcie::link_rate{4, 8}));
    EXPECT_EQ(c.tree->devices[gpu0], contraflow::machines::device_role::gpu);
    EXPECT_EQ(c.tree->devices[*t.find("gpu3")], contraflow::machines::device_role::nic);
    EXPECT_TRUE(t.path(gpu0, *t.find("gpu2")).has_value());
    ASSERT_EQ(c.sends->size(), 1u);
    EXPECT_EQ(c.sends->front().name, "gpu0->gpu2");
    EXPECT_EQ(c.sends->front().size.count, 1u << 20);
    EXPECT_DOUBLE_EQ(c.sends->front().start_s, 2e-3);
}

TEST(tree_config, names_its_mistakes_where_they_stand) {
    EXPECT_THAT(said_of("link: gen3 x16\n"), HasSubstr("there is no tree"));
    EXPECT_THAT(said_of("tree: {name: rc, kind: root_complex, children: [\n {name: a}, {name: b},\n {name: a}]}\n"),
                HasSubstr("x.yaml:3:9: error: two nodes are called 'a'"));
    EXPECT_THAT(said_of("tree: {name: rc, kind: root_complex, children: [\n {name: a, children: [{name: b}]}]}\n"),
                HasSubstr("x.yaml:2:22: error: the endpoint 'a' has children"));
    EXPECT_THAT(said_of("tree: {name: s, kind: switch, children: [{name: a}]}\n"),
                HasSubstr("x.yaml:1:23: error: the root 's' is of kind switch"));
    EXPECT_THAT(said_of("tree: {name: rc, kind: root_complex, children: [\n {name: s, kind: switch}]}\n"),
                HasSubstr("x.yaml:2:2: error: the switch 's' has no children"));
    EXPECT_THAT(said_of("tree: {name: rc, kind: root_complex}\n"), HasSubstr("the root_complex 'rc' has no children"));
    EXPECT_THAT(
        said_of("tree: {name: rc, kind: root_complex, children: [{name: m, kind: machine, children: [{name: a}]}]}\n"),
        HasSubstr("the machine 'm' stands below 'rc'"));
    EXPECT_THAT(said_of("tree: {name: m, kind: machine, children: [{name: a}]}\n"),
                HasSubstr("'a' of kind endpoint stands directly below a machine"));
    EXPECT_THAT(
        said_of(
            "tree: {name: rc, kind: root_complex, children: [{name: r, kind: root_complex, children: [{name: a}]}]}\n"),
        HasSubstr("the root complex 'r' stands below 'rc'"));
    EXPECT_THAT(said_of("tree: {name: rc, kind: root_complex, link: gen3 x16, children: [{name: a}]}\n"),
                HasSubstr("no PCIe link above 'rc'"));
    EXPECT_THAT(said_of("tree: {name: rc, kind: root_complex, children: [{name: s, kind: switch, device: nic, "
                        "children: [{name: a}]}]}\n"),
                HasSubstr("only an endpoint is a device"));
    EXPECT_THAT(said_of("tree: {name: rc, kind: root_complex, children: [{kind: endpoint}, {name: 'a,b'}]}\n"),
                ::testing::AllOf(HasSubstr("a node without a name"), HasSubstr("'a,b' can't be a name")));
}

TEST(tree_config, refuses_links_that_do_not_exist) {
    for (const char* link : {"gen7 x16", "gen3 x3", "gen3", "x16", "gen3 x16 "})
        EXPECT_THAT(said_of("tree: {name: rc, kind: root_complex, children: [{name: a, link: '" + std::string(link) +
                            "'}, {name: b}]}\n"),
                    HasSubstr("such as 'gen4 x16'"))
            << link;
    EXPECT_THAT(said_of("link: gen3x17\ntree: {name: rc, kind: root_complex, children: [{name: a}, {name: b}]}\n"),
                HasSubstr("x.yaml:1:7: error"));
}

TEST(tree_config, warns_of_a_socket_link_without_sockets) {
    const configuration c(
        "tree: {name: rc, kind: root_complex, children: [{name: a}, {name: b}]}\nsocket_link: 20GB/s\n"
        "communications: [{from: a, to: b, size: 1MiB}]\n");
    EXPECT_FALSE(c.diag.failed()) << c.said();
    EXPECT_THAT(c.said(), HasSubstr("x.yaml:2:14: warning: socket_link has no effect"));
}

TEST(communications, names_what_is_wrong_with_each) {
    const auto said = said_of(two_sockets("communications:\n"
                                          "  - {from: gpu0, to: gpv1, size: 1MiB}\n"
                                          "  - {from: rc0, to: gpu1, size: 1MiB}\n"
                                          "  - {from: gpu1, to: gpu1, size: 1MiB}\n"
                                          "  - {from: gpu0, to: gpu2, size: 1MiB}\n"
                                          "  - {name: a, from: gpu0, to: gpu1, size: 1MiB}\n"
                                          "  - {name: a, from: gpu0, to: gpu1, size: 1MiB}\n"));
    EXPECT_THAT(said, HasSubstr("x.yaml:5:22: error: there is no endpoint 'gpv1'"));
    EXPECT_THAT(said, HasSubstr("did you mean 'gpu"));
    EXPECT_THAT(said, HasSubstr("x.yaml:6:12: error: 'rc0' is of kind root_complex, no endpoint"));
    EXPECT_THAT(said, HasSubstr("x.yaml:7:22: error: 'gpu1' sends to itself"));
    EXPECT_THAT(said, HasSubstr("no path from 'gpu0' (below rc0) to 'gpu2' (below rc1)"));
    EXPECT_THAT(said, HasSubstr("socket_link"));
    EXPECT_THAT(said, HasSubstr("x.yaml:10:12: error: two communications are called 'a'"));
}

TEST(communications, none_at_all_is_an_error) {
    EXPECT_THAT(said_of(two_sockets("")),
                HasSubstr("nothing is sent; give `communications`, a `pattern` or a `trace`"));
}

TEST(communications, unnamed_ones_are_called_by_their_ends) {
    const configuration c(two_sockets(
        "communications:\n  - {from: gpu0, to: gpu1, size: 1MiB}\n  - {from: gpu0, to: gpu1, size: 2MiB}\n"));
    ASSERT_TRUE(c.sends) << c.said();
    EXPECT_EQ(c.sends->at(0).name, "gpu0->gpu1");
    EXPECT_EQ(c.sends->at(1).name, "gpu0->gpu1#2");
}

}  // namespace
