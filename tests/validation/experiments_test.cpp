// SPDX-License-Identifier: Apache-2.0
// The experiments in closed form, each against its band; the whole table's test runs those in TLM.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/outcome.h"
#include "validate/table/rows.h"
#include "validate/table/selection.h"

namespace contraflow::validate {
namespace {

using testing::HasSubstr;

const row& find(const std::string& id) {
    std::vector<std::string> unknown;
    return *choose({{id}}, rows(), unknown).at(0);
}

TEST(experiments, in_closed_form_are_reproduced_or_as_derived) {
    for (const char* id : {"L3", "P2", "P4b", "P5a"}) EXPECT_EQ(measure(find(id), {}).said, verdict::reproduced) << id;
    for (const char* id : {"L4", "P1", "P3", "P4a", "P6a", "P8a"}) {
        EXPECT_EQ(measure(find(id), {}).said, verdict::as_derived) << id;
        EXPECT_NE(measure(find(id), {}).reason, "") << id;
    }
    EXPECT_EQ(measure(find("P7a"), {}).said, verdict::input);
}

TEST(experiments, describe_the_fastest_order) {
    const auto rings = measure(find("P10a"), {});
    EXPECT_EQ(rings.measured.values, std::vector<double>{3.0});
    EXPECT_THAT(rings.measured.how,
                HasSubstr("Round 1: gpu0 > gpu1 > gpu2 > gpu3 > gpu7 > gpu6 > gpu5 > gpu4 > gpu0."));
    const auto gain = measure(find("P10b"), {});
    for (const double ratio : gain.measured.values) EXPECT_GT(ratio, 1.0);
}

TEST(experiments, stop_when_they_are_told_to) {
    run_environment environment;
    environment.keep_going = [] { return false; };
    EXPECT_THROW(measure(find("P8a"), environment), stopped);
    EXPECT_THROW(measure(find("P7b"), environment), stopped);
}

TEST(setup, is_of_the_shipped_trees) {
    for (const char* name : {"t1", "t2"}) EXPECT_EQ(shipped_tree(name).endpoints().size(), 8u) << name;
    const auto& t1 = shipped_tree("t1");
    EXPECT_FALSE(t1.path(gpu(t1, 0), gpu(t1, 7))->crosses_root_complex);
    const auto& t2 = shipped_tree("t2");
    EXPECT_TRUE(t2.path(gpu(t2, 0), gpu(t2, 7))->crosses_root_complex);
}

TEST(setup, gives_times_of_both_levels_that_fit) {
    const auto& t2 = shipped_tree("t2");
    const auto alone = tlm_times(t2, {send(t2, 0, 3, mib)}, {}).front();
    const auto pair = tlm_times(t2, {send(t2, 0, 3, mib), send(t2, 1, 2, mib)}, {});
    EXPECT_NEAR(pair[0] / alone, 2.0, 0.01);
    EXPECT_NEAR(pair[1] / alone, 2.0, 0.01);
    pcie::fabric_spec small;
    small.posted_data = {1600};
    EXPECT_GT(tlm_times(t2, {send(t2, 0, 3, mib)}, {}, small).front(), alone);
}

}  // namespace
}  // namespace contraflow::validate
