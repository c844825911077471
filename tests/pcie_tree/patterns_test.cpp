// SPDX-License-Identifier: Apache-2.0
#include "transfers/patterns.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "configuration.h"

namespace {

using namespace contraflow::transfers;
using contraflow::core::bytes;
using contraflow::pcie_tree::testing::configuration;
using contraflow::pcie_tree::testing::one_switch;
using contraflow::pcie_tree::testing::two_sockets;
using ::testing::HasSubstr;

TEST(halo, in_2d_joins_neighbours_of_a_row_and_of_a_column) {
    halo_exchange h;
    h.grid = {4, 2, 1};
    h.face = {bytes{10}, bytes{20}, bytes{30}};
    std::set<std::pair<unsigned, unsigned>> expected;
    for (unsigned i = 0; i < 8; ++i)
        for (unsigned j = 0; j < 8; ++j)
            if ((i / 4 == j / 4 && (i == j + 1 || j == i + 1)) || i == j + 4 || j == i + 4) expected.insert({i, j});
    const auto sends = halo_sends(h);
    ASSERT_EQ(sends.size(), 20u);
    std::set<std::pair<unsigned, unsigned>> found;
    for (const auto& s : sends) {
        found.insert({s.from, s.to});
        EXPECT_EQ(s.size.count, s.from / 4 == s.to / 4 ? 10u : 20u);
    }
    EXPECT_EQ(found, expected);
    EXPECT_TRUE(std::is_sorted(sends.begin(), sends.end(),
                               [](auto a, auto b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); }));
}

TEST(halo, in_3d_joins_ranks_that_differ_in_one_bit) {
    halo_exchange h;
    h.grid = {2, 2, 2};
    h.face = {bytes{1}, bytes{2}, bytes{4}};
    const auto sends = halo_sends(h);
    ASSERT_EQ(sends.size(), 24u);
    for (const auto& s : sends) EXPECT_EQ(s.size.count, s.from ^ s.to);
}

TEST(halo, when_periodic_has_a_neighbour_on_every_side) {
    halo_exchange h;
    h.grid = {4, 3, 1};
    h.face = {bytes{1}, bytes{1}, bytes{1}};
    h.periodic = true;
    const auto sends = halo_sends(h);
    EXPECT_EQ(sends.size(), 12u * 4u);
    EXPECT_NE(std::find(sends.begin(), sends.end(), rank_send{0, 3, {1}}), sends.end());
    EXPECT_NE(std::find(sends.begin(), sends.end(), rank_send{0, 8, {1}}), sends.end());
    h.grid = {2, 1, 1};  // two ranks meet at two faces
    EXPECT_EQ(halo_sends(h).size(), 4u);
}

TEST(patterns, of_every_kind_send_what_they_should) {
    EXPECT_EQ(scatter_sends(3, 1, {5}), (std::vector<rank_send>{{1, 0, {5}}, {1, 2, {5}}}));
    EXPECT_EQ(gather_sends(3, 1, {5}), (std::vector<rank_send>{{0, 1, {5}}, {2, 1, {5}}}));
    EXPECT_EQ(ring_sends(3, {5}), (std::vector<rank_send>{{0, 1, {5}}, {1, 2, {5}}, {2, 0, {5}}}));
    EXPECT_EQ(all_to_all_sends(3, {5}).size(), 6u);
}

TEST(patterns, random_ones_are_the_same_everywhere) {
    const auto sends = random_sends(8, 1000, {1}, {1000}, 42);
    ASSERT_EQ(sends.size(), 1000u);
    std::map<unsigned, unsigned> from, to;
    for (const auto& s : sends) {
        EXPECT_NE(s.from, s.to);
        EXPECT_LT(s.from, 8u);
        EXPECT_LT(s.to, 8u);
        EXPECT_GE(s.size.count, 1u);
        EXPECT_LE(s.size.count, 1000u);
        ++from[s.from];
        ++to[s.to];
    }
    for (unsigned rank = 0; rank < 8; ++rank) {
        EXPECT_NEAR(from[rank], 125, 50);
        EXPECT_NEAR(to[rank], 125, 50);
    }
    EXPECT_EQ(sends, random_sends(8, 1000, {1}, {1000}, 42));
    EXPECT_NE(sends, random_sends(8, 1000, {1}, {1000}, 43));
    // Pinned: the sequence must not change with compiler, library or release.
    EXPECT_EQ(random_sends(8, 3, {1}, {1000}, 1),
              (std::vector<rank_send>{{1, 0, {0x24f}}, {3, 6, {0x31}}, {5, 3, {0x209}}}));
}

TEST(pattern_config, computes_face_sizes_from_the_domain) {
    const configuration c(one_switch(
        4, "pattern: {kind: halo_2d, grid: [2, 2], domain: [100, 50, 10], halo_width: 3, cell_size: 4B, fields: 2}\n"));
    ASSERT_TRUE(c.sends) << c.said();
    EXPECT_EQ(c.pairs(), "gpu0->gpu1 gpu0->gpu2 gpu1->gpu0 gpu1->gpu3 gpu2->gpu0 gpu2->gpu3 gpu3->gpu1 gpu3->gpu2");
    EXPECT_EQ(c.sends->at(0).size.count, 50u * 10 * 3 * 4 * 2);   // across x
    EXPECT_EQ(c.sends->at(1).size.count, 100u * 10 * 3 * 4 * 2);  // across y
    EXPECT_EQ(c.sends->at(0).name, "gpu0->gpu1");
}

TEST(pattern_config, runs_between_gpus_unless_participants_are_named) {
    const configuration gpus(two_sockets("socket_link: 1GB/s\npattern: {kind: ring, size: 1MiB}\n"));
    ASSERT_TRUE(gpus.sends) << gpus.said();
    EXPECT_EQ(gpus.pairs(), "gpu0->gpu1 gpu1->gpu2 gpu2->gpu0");  // gpu3 is a NIC there
    const configuration named(
        two_sockets("pattern: {kind: scatter, size: 1MiB, participants: [gpu1, gpu0], root: gpu0}\n"));
    ASSERT_TRUE(named.sends) << named.said();
    EXPECT_EQ(named.pairs(), "gpu0->gpu1");
}

TEST(pattern_config, adds_to_what_is_listed) {
    const configuration c(
        one_switch(2, "communications: [{from: gpu0, to: gpu1, size: 1B}]\npattern: {kind: ring, size: 1MiB}\n"));
    ASSERT_TRUE(c.sends) << c.said();
    ASSERT_EQ(c.sends->size(), 3u);
    EXPECT_EQ(c.sends->at(1).name, "gpu0->gpu1#2");
}

TEST(pattern_config, sends_in_the_given_order) {
    const configuration c(
        one_switch(3, "pattern: {kind: all_to_all, size: 1MiB, order: [{source: gpu1, to: [gpu2, gpu0]}]}\n"));
    ASSERT_TRUE(c.sends) << c.said();
    EXPECT_EQ(c.pairs(), "gpu0->gpu1 gpu0->gpu2 gpu1->gpu2 gpu1->gpu0 gpu2->gpu0 gpu2->gpu1");
}

TEST(pattern_config, names_its_mistakes_where_they_stand) {
    const auto said = [](const std::string& pattern) {
        return configuration(one_switch(4, "pattern: {" + pattern + "}\n")).said();
    };
    EXPECT_THAT(said("kind: halo_2d, grid: [4, 2], size: 1B"),
                HasSubstr("x.yaml:2:32: error: a grid of 4 x 2 has 8 ranks, but 4 endpoints take part"));
    EXPECT_THAT(said("kind: halo_2d, grid: [4], size: 1B"), HasSubstr("a grid of 1 dimension"));
    EXPECT_THAT(said("kind: halo_2d, grid: [0, 4], size: 1B"), HasSubstr("a grid without ranks"));
    EXPECT_THAT(said("kind: halo_2d, grid: [2, 2]"), HasSubstr("the halo has no sizes"));
    EXPECT_THAT(said("kind: halo_2d, grid: [2, 2], size: 1B, domain: [1, 1]"), HasSubstr("two sizes"));
    EXPECT_THAT(said("kind: halo_2d, grid: [2, 2], domain: [8, 2], halo_width: 3"), HasSubstr("2 cells in y"));
    EXPECT_THAT(said("kind: halo_2d, grid: [2, 2], domain: [1000000000, 1000000000, 1000000000]"),
                HasSubstr("a face across x of 8e+18 bytes"));
    EXPECT_THAT(said("kind: ring"), HasSubstr("the pattern has no size"));
    EXPECT_THAT(said("kind: random"), HasSubstr("the random pattern has no size"));
    EXPECT_THAT(said("kind: random, max_size: 1MiB, min_size: 2MiB"), HasSubstr("the least size is above max_size"));
    EXPECT_THAT(said("kind: random, size: 1MiB, min_size: 1KiB"), HasSubstr("pattern.min_size has no effect"));
    EXPECT_THAT(said("kind: ring, size: 1MiB, min_size: 1KiB"), HasSubstr("pattern.min_size has no effect"));
    EXPECT_THAT(said("kind: ring, size: 1B, grid: [2, 2]"), HasSubstr("pattern.grid has no effect"));
    EXPECT_THAT(said("kind: ring, size: 1B, root: gpu0"), HasSubstr("pattern.root has no effect"));
    for (const char* without_effect : {"halo_width: 2", "cell_size: 4B", "fields: 3", "count: 5"})
        EXPECT_THAT(said(std::string("kind: ring, size: 1B, ") + without_effect), HasSubstr(" has no effect"));
    EXPECT_THAT(said("kind: halo_2d, grid: [2, 1], size: 1B, fields: 3"), HasSubstr("pattern.fields has no effect"));
    EXPECT_THAT(said("size: 1B"), HasSubstr("the pattern has no kind"));
    EXPECT_THAT(said("kind: ring, size: 1B, participants: [gpu0, gpu0]"), HasSubstr("'gpu0' takes part twice"));
    EXPECT_THAT(said("kind: ring, size: 1B, participants: [gpu0]"), HasSubstr("a pattern between 1 endpoint"));
    EXPECT_THAT(said("kind: scatter, size: 1B, participants: [gpu0, gpu1], root: gpu2"),
                HasSubstr("'gpu2' takes no part"));
    EXPECT_THAT(said("kind: ring, size: 1B, order: [{source: gpu0, to: [gpu2]}]"),
                HasSubstr("'gpu0' has no send to 'gpu2'"));
    EXPECT_THAT(said("kind: all_to_all, size: 1B, order: [{source: gpu0, to: [gpu2, gpu1]}]"),
                HasSubstr("leaves out 'gpu3'"));
    EXPECT_THAT(configuration(two_sockets("pattern: {kind: ring, size: 1B}\n")).said(),
                HasSubstr("no path from 'gpu1' (below rc0) to 'gpu2' (below rc1)"));
}

}  // namespace
