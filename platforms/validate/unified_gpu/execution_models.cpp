// SPDX-License-Identifier: Apache-2.0
// M9: programs in all combinations of execution and memory model, verified.
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "remote_memory/machine_run.h"
#include "unified_gpu/experiment.h"
#include "validate/table/rows.h"
#include "validate/unified_gpu/unified_setup.h"

namespace contraflow::validate {
namespace {

struct sized_workload {
    const char* name;
    std::vector<std::pair<const char*, const char*>> parameters;
};

const std::vector<sized_workload>& model_workloads() {
    static const std::vector<sized_workload> all{
        {"matmul", {{"n", "64"}}},
        {"pagerank", {{"graph.kind", "rmat"}, {"graph.scale", "10"}, {"iterations", "2"}}},
        {"transpose", {{"n", "100"}}},
        {"fir", {{"n", "8192"}}},
        {"radix_sort", {{"n", "1000"}, {"ctas", "9"}, {"block", "64"}}},
    };
    return all;
}

std::uint64_t counted_by(const remote_memory::run_result& r, const char* path) {
    for (const auto& row : r.statistics)
        if (row.path == path) return static_cast<std::uint64_t>(row.value);
    throw std::runtime_error(fmt::format("no statistic {}", path));
}

}  // namespace

measurement execution_and_memory_models(const run_environment& environment) {
    std::vector<double> verified;
    std::vector<std::string> notes;
    for (const sized_workload& w : model_workloads()) {
        workloads::selection chosen(w.name);
        for (const auto& [path, value] : w.parameters)
            if (!chosen.set(path, value)) throw std::logic_error(fmt::format("{} has no {}", w.name, path));
        double right = 0;
        std::vector<std::string> times;
        for (const auto execution : {host::execution_model::split, host::execution_model::unified})
            for (const auto model : {host::memory_model::discrete, host::memory_model::unified}) {
                remote_memory::run_options options;
                options.program = {execution, model, {1, 2, 3, 4}};
                options.limits.keep_going = environment.keep_going;
                const auto r = remote_memory::run_machine(few_units(4), chosen, options);
                environment.check();
                // Two combinations that are really the same would prove nothing.
                const bool copies = counted_by(r, "driver.copies") > 0;
                const bool splits = counted_by(r, "driver.kernels") > r.kernels.size();
                const bool as_named = copies == (model == host::memory_model::discrete) &&
                                      splits == (execution == host::execution_model::split);
                right += r.verified() && as_named ? 1 : 0;
                times.push_back(fmt::format("{:.0f}", r.end.seconds() * 1e6));
            }
        verified.push_back(right);
        notes.push_back(fmt::format("{} {}", w.name, fmt::join(times, ", ")));
    }
    return {
        verified,
        fmt::format("Combinations whose result is the host's: a kernel split by the host or launched on a unified "
                    "GPU, memory discrete (copies) or unified. Four GPUs by a switch; in us, in the order split and "
                    "discrete, split and unified, unified and discrete, both unified: {}.",
                    fmt::join(notes, "; ")),
        {},
        {}};
}

}  // namespace contraflow::validate
