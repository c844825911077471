// SPDX-License-Identifier: Apache-2.0
// The keys of a configuration for programs and variants that are compared. A platform's experiment derives from
// study_spec<Kind>, Kind being its enum of variants, and adds its machine. Each key is described here, once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/config.h"
#include "gpu/compute_unit/request_trace.h"
#include "observe/watchdog.h"
#include "workloads/selection.h"

namespace contraflow::study {

// The programs to run, each on a machine of its own.
struct programs_spec {
    workloads::selection workload;
    std::vector<workloads::workload_name> also;
    std::vector<std::string> also_set;
    std::uint64_t seed = 0;
};
// All of them, in order, for that many GPUs.
std::vector<workloads::selection> workloads_of(const programs_spec& s, unsigned gpus);

// "pagerank.graph.scale=14"
struct parameter_of {
    std::string workload, path, value;
    static std::optional<parameter_of> read(const std::string& text);  // none if the text has another form
};

template <class Kind> struct study_spec : programs_spec {
    std::vector<Kind> compare;
    core::sim_time watchdog = observe::watchdog_key::usual;
    core::sim_time series_window = core::sim_time::from_us(1);
    gpu::trace_window window;

    // The platform describes the variants, the use of a series, and the run that a trace shows.
    template <class Experiment>
    static void describe_programs(config::fields<Experiment>& f, const std::string& compare_text) {
        f("workload", &Experiment::workload).text("the workload");
        f("also", &Experiment::also)
            .text("further workloads, each on a machine of its own, with the parameters that workload.size gives");
        f("also_set", &Experiment::also_set)
            .text("parameters of these that are to be others: [pagerank.iterations=2, bfs.graph.scale=10]");
        f("compare", &Experiment::compare).text(compare_text);
    }
    template <class Experiment>
    static void describe_run(config::fields<Experiment>& f, const std::string& series_text,
                             const std::string& window_text) {
        observe::watchdog_key::describe(f, &Experiment::watchdog);
        f("series_window", &Experiment::series_window).at_least(core::sim_time::from_ns(100)).text(series_text);
        f("seed", &Experiment::seed)
            .text("seed of the workloads' data, where they have one; 0: the seed of each workload");
        f("window", &Experiment::window).text(window_text);
    }
};

using config::name_of;

// A time without progress that is no error, and the key that sets it.
struct pause {
    std::string path;
    core::sim_time time;
    core::sim_time cycle{};   // if the key counts cycles: the length of one, and the key that sets it
    std::string clock_key{};  //
};

// The place to report problems, for config::loaded<any experiment>.
struct configuration_place {
    std::function<config::location(const std::string& path)> where;
    std::function<void(const config::problem& p)> report;
    std::function<void(const std::string& path)> mark_computed;
};
template <class Experiment>
configuration_place place_of(config::loaded<Experiment>& loaded, config::diagnostics& diag) {
    return {[&loaded](const std::string& path) { return loaded.where(path); },
            [&loaded, &diag](const config::problem& p) { loaded.report(p, diag); },
            [&loaded](const std::string& path) { loaded.mark_computed(path); }};
}

// `count_key`: the key of the number of GPUs.
void check_programs(programs_spec& s, unsigned gpus, const std::string& count_key, const configuration_place& in,
                    config::diagnostics& diag);
void check_window(const observe::time_window& w, const configuration_place& in);
void check_pauses(core::sim_time watchdog, const std::vector<pause>& pauses, const configuration_place& in);
// The variants by name.
void check_compare(const std::vector<std::string_view>& compare, const configuration_place& in,
                   config::diagnostics& diag);
template <class Kind>
void check_compare(const study_spec<Kind>& s, const configuration_place& in, config::diagnostics& diag) {
    std::vector<std::string_view> names;
    for (const Kind k : s.compare) names.push_back(name_of(k));
    check_compare(names, in, diag);
}

}  // namespace contraflow::study
