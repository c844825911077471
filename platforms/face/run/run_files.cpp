// SPDX-License-Identifier: Apache-2.0
#include "face/run/run_files.h"

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "face/results/csv.h"
#include "face/run/run_directory.h"
#include "face/run/write_failure.h"
#include "face/terminal/terminal.h"
#include "report/render_page.h"

namespace contraflow::face {
namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& file, int error) {
    throw output_error(fmt::format("cannot write {}: {}", file.string(), why_not_written(file, error)));
}

void open_to_write(std::ofstream& stream, const std::filesystem::path& file) {
    stream.open(file, std::ios::binary);
    if (!stream) cannot_write(file, errno);
}

void close_written(std::ofstream& stream, const std::filesystem::path& file) {
    stream.close();
    if (!stream) cannot_write(file, errno);
}

}  // namespace

std::string stats_csv(const std::vector<observe::stat_row>& rows) {
    std::string out = "path,metric,unit,value\n";
    for (const observe::stat_row& row : rows) {
        out += fmt::format("{},{},{},{}\n", csv_field(row.path), csv_field(row.metric), csv_field(row.unit), row.value);
    }
    return out;
}

void write_run_files(const std::filesystem::path& directory, const report_data& report, const std::string& config,
                     const page_origin& origin) {
    write_file(directory / "config.yaml", config);
    std::ostringstream summary;
    print_report(summary, report, {}, false);
    write_file(directory / "summary.txt", summary.str());
    nlohmann::ordered_json json = to_json(report);
    write_file(directory / "report.json", to_text(json));
    write_file(directory / "stats.csv", stats_csv(report.statistics));
    for (const auto& [label, value] : origin) json["origin"][label] = value;
    write_file(directory / "report.html", report::render_page(json));
}

signal_files::signal_files(const std::filesystem::path& directory, bool trace, const std::optional<wave_request>& waves)
    : directory_(directory),
      waves_(waves) {
    if (trace) {
        open_to_write(trace_file_, directory / "trace.json");
        trace_ = std::make_unique<observe::trace>(trace_file_);
    }
    if (waves && waves->window) recorded_.keep(waves->from, waves->to);
}

void signal_files::finish(const std::vector<std::unique_ptr<wave::wave_source_if>>& sources, report_data& report) {
    if (trace_) {
        errno = 0;
        trace_->close();
        close_written(trace_file_, directory_ / "trace.json");
    }
    if (!waves_) return;
    if (recorded_.waits()) {
        report.warnings.push_back(fmt::format("there are no waves: there was no {} to show", recorded_.awaited()));
        return;
    }
    if (recorded_.signals().empty() && sources.empty()) {
        report.warnings.emplace_back("there are no waves: nothing in this run has signals to show");
        return;
    }
    // The clock of a source shows until its end.
    const bool shown =
        std::any_of(sources.begin(), sources.end(), [&](const auto& s) { return s->end() > waves_->from; });
    if (waves_->window && recorded_.changes().empty() && !shown) {
        const auto to = waves_->to == core::sim_time::never() ? " on" : " to " + core::to_text(waves_->to);
        report.warnings.push_back(
            fmt::format("there are no waves: nothing changes from {}{}; the last change before is at {}",
                        core::to_text(waves_->from), to, core::to_text(recorded_.last_change())));
        return;
    }
    std::vector<wave::wave_source_if*> all;
    for (const auto& s : sources) all.push_back(s.get());
    try {
        errno = 0;
        wave::write_wave_output({directory_, "waves", waves_->as, recorded_.event_at()}, recorded_, all);
    } catch (const std::runtime_error& e) {
        throw output_error(
            fmt::format("{}: {}", e.what(), why_not_written(directory_ / "waves.fst", errno == ENOENT ? 0 : errno)));
    }
}

}  // namespace contraflow::face
