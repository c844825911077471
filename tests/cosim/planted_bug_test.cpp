// SPDX-License-Identifier: Apache-2.0
// A machine whose links have RTL with a bug: its program takes another time, and the report's lane curves differ.
#include <algorithm>

#include <gtest/gtest.h>

#include "config/config.h"
#include "cosim/controller_set.h"
#include "cosim/wrong_cores.h"
#include "numa_gpu/experiment.h"
#include "numa_gpu/machine_run.h"

namespace contraflow::numa_gpu {
namespace {

class planted_bug : public ::testing::Test {
protected:
    planted_bug() { load("network.link.lanes.saturation=99"); }
    // The text of a line of the configuration.
    void load(const std::string& setting) {
        config::diagnostics diag;
        const std::vector<std::string> sets{"workload.name=many_to_one", "network.link.lanes.sample_time=1000cycles",
                                            setting};
        const auto file = config::read_source(CF_SMALL_JOB, diag);
        experiment_ = config::load<experiment>(file, sets, diag).value;
    }
    run_result run(cosim::controller_level level, const cosim::lane_core_factory& core = cosim::make_lane_core) const {
        cosim::controller_set controllers(level, false, core);
        run_options options;
        options.controllers = controllers.factory();
        run_result r = run_machine(machine_with(links::dynamic, experiment_.gpu),
                                   study::workloads_of(experiment_, experiment_.gpu.sockets)[0], options);
        EXPECT_EQ(r.wrong, "");
        return r;
    }
    // The capacity of a direction's lanes, in GB/s: the largest of the run.
    static double most(const lanes::direction_result& d) {
        double rate = 0;
        for (const auto& [at, limit] : d.limit) rate = std::max(rate, limit);
        return rate;
    }
    experiment experiment_;
};

TEST_F(planted_bug, changes_the_programs_time_and_the_lane_curve) {
    const run_result tlm = run(cosim::controller_level::tlm), rtl = run(cosim::controller_level::rtl);
    EXPECT_EQ(rtl.end, tlm.end);
    for (std::size_t i = 0; i < tlm.links.size(); ++i)
        for (std::size_t d = 0; d < 2; ++d)
            EXPECT_EQ(rtl.links[i].directions[d].limit, tlm.links[i].directions[d].limit);
    // 8 lanes of 8 GB/s, and more where lanes have turned: 15 towards the socket that receives from all.
    std::size_t link = 0, direction = 0;
    for (std::size_t i = 0; i < rtl.links.size(); ++i)
        for (std::size_t d = 0; d < 2; ++d)
            if (most(rtl.links[i].directions[d]) > most(rtl.links[link].directions[direction])) {
                link = i;
                direction = d;
            }
    EXPECT_GT(most(rtl.links[link].directions[direction]), 100);
    for (const auto core : {cosim::make_core_that_keeps_lanes, cosim::make_core_that_turns_the_wrong_way}) {
        const run_result wrong = run(cosim::controller_level::rtl, core);
        EXPECT_GT(wrong.end, rtl.end);
        EXPECT_LE(most(wrong.links[link].directions[direction]), 64 * (1 + 1e-9)) << "to double rounding";
    }
}

// From the configuration to the policy and to the RTL's register: lanes turn earlier, at both levels alike.
using threshold = planted_bug;
TEST_F(threshold, of_the_configuration_reaches_model_and_rtl) {
    const std::uint64_t at_99 = run(cosim::controller_level::rtl).turns();
    load("network.link.lanes.saturation=30");
    const run_result tlm = run(cosim::controller_level::tlm), rtl = run(cosim::controller_level::rtl);
    EXPECT_GT(rtl.turns(), at_99);
    EXPECT_EQ(rtl.turns(), tlm.turns());
    EXPECT_EQ(rtl.end, tlm.end);
}

}  // namespace
}  // namespace contraflow::numa_gpu
