// SPDX-License-Identifier: Apache-2.0
// L7a and L9: how often lanes may turn, and how long that takes, for programs with phases.
#include <fmt/format.h>

#include "validate/numa_gpu/numa_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr const char* phases = "name: multigrid, grid: 1024";
constexpr const char* atoms = "name: molecular_dynamics, size: small";

double loss_at_500(std::uint64_t sample_cycles, const run_environment& environment) {
    numa_case c{atoms};
    c.sample_cycles = sample_cycles;
    const double usual = time_s(c, environment);
    c.switch_cycles = 500;
    return (usual / time_s(c, environment) - 1) * 100;
}

}  // namespace

measurement sample_times(const run_environment& environment) {
    std::vector<double> gains;
    std::string turns;
    for (const std::uint64_t cycles : {1000, 2000, 5000, 10000, 100000}) {
        numa_case c{phases};
        c.sample_cycles = cycles;
        gains.push_back(speed_up(c, environment));
        turns += fmt::format("{}{}", turns.empty() ? "" : ", ", run_of(c, environment).turns());
    }
    return {
        {gains[2] / gains[4]},
        fmt::format(
            "multigrid, 1024 x 1024. Speed-ups over static links at 1K, 2K, 5K, 10K and 100K: {:.3f}, "
            "{:.3f}, {:.3f}, {:.3f}, {:.3f}; turns {}. Its kernels are shorter than 100K cycles: there no window ends.",
            gains[0], gains[1], gains[2], gains[3], gains[4], turns),
        {},
        {}};
}

measurement molecular_dynamics_loss(const run_environment& environment) {
    const auto turns = [&](std::uint64_t sample_cycles) {
        numa_case c{atoms};
        c.sample_cycles = sample_cycles;
        return run_of(c, environment).turns();
    };
    return {
        {loss_at_500(5000, environment), loss_at_500(1000, environment)},
        fmt::format("molecular_dynamics, small: SwitchTime 500 against 100, at SampleTimes 5K and 1K, with {} and {} "
                    "turns.",
                    turns(5000), turns(1000)),
        "Its data is mostly its own socket's. At worst one turn a 5K window costs a lane for a tenth of the time, so "
        "the mechanism can't lose 25 % there.",
        {}};
}

}  // namespace contraflow::validate
