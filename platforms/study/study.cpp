// SPDX-License-Identifier: Apache-2.0
#include "study/study.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace contraflow::study {

void add_record_option(CLI::App& app, std::optional<std::string>& record) {
    app.add_option("--record", record, "write the accesses of the first run to FILE, for the workload `trace`")
        ->option_text("FILE");
}

void study_base::watch(run_request& asked, const gpu::trace_window& window) {
    asked.seen.trace = context_.trace();
    if (context_.waves() != nullptr) bound_waves();
    asked.seen.waves = context_.waves();
    asked.seen.window = window;
}

void study_base::keep_record(face::growing_file& file, const runner::run_outcome& r, const std::string& what) {
    if (r.complete()) return file.publish();
    report().warnings.push_back(fmt::format("{}: --record: no trace was written, because the run did not end", what));
}

void study_base::tell_what_is_not_shown(const run_request& asked, const runner::run_outcome& r) {
    if (asked.seen.trace == nullptr && asked.seen.waves == nullptr) return;
    const auto& w = asked.seen.window;
    const auto window = fmt::format("window {} to {}", core::to_text(w.from), core::to_text(w.to));
    // Unless the command line says otherwise, the window is also that of the waves.
    const bool waves = asked.seen.waves != nullptr && !context_.waves_are_bounded();
    const std::string empty = asked.seen.trace == nullptr ? "the waves are"
                              : waves                     ? "waves and trace are"
                                                          : "the trace is";
    auto& warnings = report().warnings;
    if (r.end <= w.from && (waves || asked.seen.trace != nullptr))
        warnings.push_back(fmt::format("{}: {} empty: the run ended at {}, before {}", asked.what, empty,
                                       core::rounded_text(r.end), window));
    else if (asked.seen.trace != nullptr && r.traced == 0)
        warnings.push_back(fmt::format("{}: the trace is empty: no request began in {}", asked.what, window));
    if (asked.seen.waves != nullptr && context_.waves_are_bounded() && r.end <= context_.waves()->begin())
        warnings.push_back(fmt::format("{}: the waves are empty: the run ended at {}, and they begin at {}", asked.what,
                                       core::rounded_text(r.end), core::to_text(context_.waves()->begin())));
}

}  // namespace contraflow::study
