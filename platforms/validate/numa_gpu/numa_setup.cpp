// SPDX-License-Identifier: Apache-2.0
#include "validate/numa_gpu/numa_setup.h"

#include <map>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "config/config.h"

namespace contraflow::validate {
namespace {

std::string configuration_of(const numa_case& c) {
    return fmt::format("network: {{link: {{ack_coalescing: {}, lanes: {{policy: {}, sample_time: {}cycles, "
                       "switch_time: {}cycles}}}}}}\n"
                       "workload: {{{}}}\n",
                       c.ack_coalescing, c.policy, c.sample_cycles, c.switch_cycles, c.workload);
}

numa_gpu::run_result run(const numa_case& c, const run_environment& environment) {
    const auto settings = experiment_of(c);
    numa_gpu::run_options options;
    options.limits.keep_going = environment.keep_going;
    auto result = numa_gpu::run_machine(numa_gpu::machine_with(c.links, settings.gpu), settings.workload, options);
    environment.check();
    const auto what = fmt::format("{}, {} links", c.workload, numa_gpu::name_of(c.links));
    runner::require_verified(what, result);
    result.statistics.clear();
    return result;
}

}  // namespace

numa_gpu::experiment experiment_of(const numa_case& c) {
    config::diagnostics diag;
    auto loaded = config::load<numa_gpu::experiment>(config::source{"validate", configuration_of(c)}, {}, diag);
    if (diag.failed()) {
        std::ostringstream said;
        diag.print(said);
        throw std::runtime_error(said.str());
    }
    return std::move(loaded.value);
}

const numa_gpu::run_result& run_of(const numa_case& asked, const run_environment& environment) {
    static std::map<std::string, numa_gpu::run_result> known;
    numa_case c = asked;
    if (c.links != numa_gpu::links::dynamic)
        c = {c.workload,      c.links, numa_case{}.policy, numa_case{}.sample_cycles, numa_case{}.switch_cycles,
             c.ack_coalescing};
    const std::string key = configuration_of(c) + std::string(numa_gpu::name_of(c.links));
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    return known.emplace(key, run(c, environment)).first->second;
}

double speed_up(numa_case c, const run_environment& environment) {
    const double time = time_s(c, environment);
    c.links = numa_gpu::links::fixed;
    return time_s(c, environment) / time;
}

}  // namespace contraflow::validate
