// SPDX-License-Identifier: Apache-2.0
// M9: programs in all combinations of execution and memory model, and of execution model and way to another GPU's
// memory, verified.
#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "remote_memory/machine_run.h"
#include "remote_memory/memory_policy.h"
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

workloads::selection chosen_from(const sized_workload& w) {
    workloads::selection chosen(w.name);
    for (const auto& [path, value] : w.parameters)
        if (!chosen.set(path, value)) throw std::logic_error(fmt::format("{} has no {}", w.name, path));
    return chosen;
}

constexpr std::array both_executions{host::execution_model::split, host::execution_model::unified};

remote_memory::run_result run_on(const host::unified_machine::spec& machine, const sized_workload& w,
                                 host::execution_model execution, host::memory_model model,
                                 const run_environment& environment) {
    remote_memory::run_options options;
    options.program = {execution, model, {1, 2, 3, 4}};
    options.limits.keep_going = environment.keep_going;
    auto r = remote_memory::run_machine(machine, chosen_from(w), options);
    environment.check();
    return r;
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
        double right = 0;
        std::vector<std::string> times;
        for (const auto execution : both_executions)
            for (const auto model : {host::memory_model::discrete, host::memory_model::unified}) {
                const auto r = run_on(few_units(4), w, execution, model, environment);
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

measurement execution_models_and_moves(const run_environment& environment) {
    using remote_memory::memory_policy;
    host::unified_machine::spec machine = few_units(4);
    machine.gpus.gpu.pages.page_size = {4096};
    measurement m;
    std::vector<std::uint64_t> moved(both_executions.size());
    std::vector<std::string> notes;
    for (const sized_workload& w : model_workloads()) {
        double right = 0;
        std::vector<std::string> times;
        for (std::size_t e = 0; e < both_executions.size(); ++e)
            for (const memory_policy way : {memory_policy::dca, memory_policy::always}) {
                const auto r =
                    run_on(machine_with(way, machine), w, both_executions[e], host::memory_model::unified, environment);
                const bool splits = counted_by(r, "driver.kernels") > r.kernels.size();
                const bool as_named = splits == (both_executions[e] == host::execution_model::split);
                right += r.verified() && as_named ? 1 : 0;
                const std::uint64_t moves = way == memory_policy::dca ? 0 : counted_by(r, "migration.moved");
                moved[e] += moves;
                times.push_back(way == memory_policy::dca ? fmt::format("{:.0f}", r.end.seconds() * 1e6)
                                                          : fmt::format("{:.0f} ({})", r.end.seconds() * 1e6, moves));
            }
        m.values.push_back(right);
        notes.push_back(fmt::format("{} {}", w.name, fmt::join(times, ", ")));
    }
    for (const std::uint64_t n : moved) m.values.push_back(static_cast<double>(n));
    m.how = fmt::format(
        "As M9a with unified memory in pages of 4 KiB, which stay where they are and are reached across, or move at "
        "each "
        "access by another GPU. In us and, in brackets, moves; in the order split with pages that stay, split with "
        "moves, unified with pages that stay, unified with moves: {}. A unified GPU cuts a kernel into the same runs "
        "as "
        "the host does.",
        fmt::join(notes, "; "));
    return m;
}

}  // namespace contraflow::validate
