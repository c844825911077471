// SPDX-License-Identifier: Apache-2.0
// The first line of every shipped configuration describes it, and the configuration can be run.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "configuration.h"

namespace {

using contraflow::pcie_tree::testing::configuration;

std::string read(const std::string& name) {
    std::ifstream file(std::string(CF_PLATFORM_FOLDER) + "/" + name + ".yaml");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(shipped_configurations, are_all_sound) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(CF_PLATFORM_FOLDER)) {
        if (entry.path().extension() != ".yaml") continue;
        ++count;
        const auto text = read(entry.path().stem());
        EXPECT_TRUE(text.starts_with("# ")) << entry.path();
        const configuration c(text, {}, entry.path());
        EXPECT_EQ(c.said(), "") << entry.path();
        EXPECT_TRUE(c.sends && !c.sends->empty()) << entry.path();
        const configuration again(contraflow::config::print(c.loaded));
        ASSERT_TRUE(again.sends) << again.said();
        EXPECT_EQ(again.pairs(), c.pairs()) << entry.path();
    }
    EXPECT_GE(count, 7u);
}

TEST(shipped_configurations, hold_the_published_graphs) {
    const configuration t2(read("t2"));
    EXPECT_EQ(t2.pairs(), "gpu0->gpu2 gpu1->gpu4 gpu3->gpu2 gpu6->gpu4");
    EXPECT_EQ(t2.tree->topology.endpoints().size(), 8u);

    const configuration halo_2d(read("halo_2d"));
    EXPECT_EQ(halo_2d.sends->size(), 20u);
    std::set<std::uint64_t> sizes;
    for (const auto& c : *halo_2d.sends) sizes.insert(c.size.count);
    EXPECT_EQ(sizes, (std::set<std::uint64_t>{256 * 80 * 3 * 8}));

    const configuration halo_3d(read("halo_3d"));
    EXPECT_EQ(halo_3d.sends->size(), 24u);
    sizes.clear();
    for (const auto& c : *halo_3d.sends) {
        sizes.insert(c.size.count);
        const auto rank = [&](auto id) { return halo_3d.tree->topology[id].name.back() - '0'; };
        const auto difference = rank(c.from) ^ rank(c.to);
        EXPECT_TRUE(difference == 1 || difference == 2 || difference == 4);
    }
    EXPECT_EQ(sizes.size(), 1u);

    EXPECT_EQ(configuration(read("halo_4x4")).sends->size(), 48u);
}

}  // namespace
