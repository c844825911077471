// SPDX-License-Identifier: Apache-2.0
#include "face/run/run_session.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "face/build_info/build_info.h"
#include "face/run/interrupt.h"
#include "face/run/manifest.h"
#include "face/run/run_directory.h"
#include "face/run/run_files.h"
#include "face/run/sha256.h"
#include "face/terminal/terminal.h"
#include "face/terminal/text_layout.h"

namespace contraflow::face {
namespace {

using steady = std::chrono::steady_clock;

// The end of a run: exit code and reason.
struct outcome {
    int code = exit_ok;
    std::string reason;
    bool partial = false;
};

std::string stop_text(const run_context& context, const command_line& line, const interrupt& signals) {
    switch (context.stopped()) {
    case stop_reason::signal: return signals.signal() == SIGTERM ? "SIGTERM" : "SIGINT";
    case stop_reason::wall_limit: return fmt::format("--limit-wall {}", *line.limit_wall_s);
    case stop_reason::none: break;
    }
    if (line.limit_time != core::sim_time::never()) return "--limit-time " + core::to_text(line.limit_time);
    return "a limit of the platform";
}

outcome judge(int code, const run_context& context, const command_line& line, const interrupt& signals,
              const report_data& report) {
    if (code == exit_stopped || (code == exit_ok && context.stopped() != stop_reason::none)) {
        return {exit_stopped, "stopped by " + stop_text(context, line, signals), true};
    }
    if (code == exit_ok) {
        for (const observe::conservation_check& c : report.conservation) {
            if (!c.held()) return {exit_checks_failed, "conservation failed", false};
        }
    }
    switch (code) {
    case exit_ok: return {code, "finished", false};
    case exit_checks_failed: return {code, "checks failed", false};
    case exit_no_progress: return {code, "no progress", false};
    default: return {code, "failed", false};
    }
}

// A sentence for each conservation check that failed.
std::vector<std::string> failed_checks(const outcome& end, const report_data& report) {
    std::vector<std::string> out;
    if (end.partial || end.code == exit_no_progress) return out;  // work under way has not come out
    for (const observe::conservation_check& c : report.conservation) {
        if (c.held()) continue;
        out.push_back(fmt::format("conservation failed: {}: {}", c.name, c.difference()));
    }
    return out;
}

void complete(report_data& report, const program_if& program, const outcome& end) {
    report.platform = program.name();
    if (end.partial) {
        report.headline.insert(report.headline.begin(), "Partial results: " + end.reason + ".");
        report.warnings.insert(report.warnings.begin(),
                               "the run was " + end.reason + "; numbers cover what was done until then");
    }
    for (std::string& failure : failed_checks(end, report)) report.warnings.push_back(std::move(failure));
}

page_width standard_output_width() {
    struct winsize size {};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return {};
    return {size.ws_col, size.ws_col};
}

// The platform's exit code, and the seconds it took.
std::pair<int, double> timed_run(program_if& program, run_context& context) {
    // Erases the line of progress at the end, and before an error message.
    struct erase_at_end {
        run_context& of;
        ~erase_at_end() { of.erase_progress(); }
    } const guard{context};
    const steady::time_point start = steady::now();
    const int code = program.run(context);
    return {code, std::chrono::duration<double>(steady::now() - start).count()};
}

run_settings settings_for(const program_if& program, const command_line& line,
                          const std::optional<run_directory>& directory) {
    run_settings out;
    out.seed = program.has_seed() ? program.seed() : line.seed.value_or(out.seed);
    out.jobs = line.jobs;
    out.quiet = line.quiet;
    out.show_progress = !line.quiet;
    if (directory) out.results = results_place{*line.out, directory->path()};
    out.limit_time = line.limit_time;
    out.waves = line.waves;
    if (line.limit_wall_s) out.limit_wall_s = *line.limit_wall_s;
    return out;
}

// A line for each kind of file, in an order that does not depend on threads. The configuration has its line already.
void add_inputs(const input_files& inputs, const std::string& configuration, page_origin& origin) {
    for (const auto& [key, digest] : inputs.digests()) {
        const std::string &what = key.first, &name = key.second;
        if (name == configuration) continue;
        const std::string text = fmt::format("{}, {}", name, digest.empty() ? "a pipe" : "SHA-256 " + digest);
        const auto same = std::find_if(origin.begin(), origin.end(), [&](const auto& o) { return o.first == what; });
        if (same == origin.end())
            origin.emplace_back(what, text);
        else
            same->second += "; " + text;
    }
}

// Nothing of it differs between two runs of the same inputs, so the day is that of the program's version.
page_origin origin_of(const program_if& program, const command_line& line, const std::optional<config::source>& file,
                      const input_files* inputs, const run_settings& settings) {
    const build_information& info = build_info();
    page_origin origin{{"command", fmt::format("{}{}", program.file_name(), line.what_was_asked)}};
    if (file) origin.emplace_back("configuration", fmt::format("{}, SHA-256 {}", file->name, sha256(file->text)));
    if (inputs != nullptr) add_inputs(*inputs, file ? file->name : "", origin);
    if (program.has_seed() || line.seed) origin.emplace_back("seed", fmt::format("{}", settings.seed));
    origin.emplace_back("version", fmt::format("{} of {}, commit {}{}", info.version, info.git_date,
                                               info.git_sha.substr(0, 12), info.git_dirty ? ", modified" : ""));
    return origin;
}

// The complete configuration, which can be run again, with its origin and what is odd about it as comments.
std::string config_text(const program_if& program, const command_line& line, const std::vector<std::string>& warnings) {
    std::string from = line.what_was_asked.empty() ? " the defaults" : printable(line.what_was_asked);
    std::replace(from.begin(), from.end(), '\n', ' ');  // a file's name may hold anything
    return fmt::format("# {} {}: the complete configuration of this run.\n# From:{}\n{}{}", program.name(),
                       build_info().version, from, as_comments(warnings), program.print_config());
}

}  // namespace

std::string as_comments(const std::vector<std::string>& warnings) {
    std::string text;
    for (const std::string& warning : warnings) text += fmt::format("# warning: {}\n", printable(warning));
    return text;
}

int run_session(program_if& program, const command_line& line, std::vector<std::string> command,
                const std::optional<config::source>& file, const std::vector<std::string>& warnings,
                output_stream& text, interrupt& signals, std::atomic<run_directory*>& filled,
                const input_files* inputs) {
    run_record record;
    record.started = std::chrono::system_clock::now();
    std::optional<run_directory> directory;
    if (line.out) directory.emplace(*line.out, line.force);
    struct given_up {
        std::atomic<run_directory*>& filled;
        ~given_up() { filled = nullptr; }
    } const until_the_end{filled};
    if (directory) filled = &*directory;
    signals.run_begins();
    std::optional<signal_files> extra;
    if (directory) extra.emplace(directory->path(), line.trace, line.waves);
    const run_settings settings = settings_for(program, line, directory);
    run_context context(settings, text, extra ? extra->trace() : nullptr, extra ? extra->waves() : nullptr, &signals);

    const auto [code, seconds] = timed_run(program, context);
    report_data& report = context.report();
    const outcome end = judge(code, context, line, signals, report);
    if (end.code < exit_ok || end.code == exit_bad_input || end.code > exit_stopped) return end.code;
    complete(report, program, end);

    if (directory) {
        extra->finish(context.wave_sources(), report);
        auto odd = warnings;
        odd.insert(odd.end(), context.input_warnings().begin(), context.input_warnings().end());
        write_run_files(directory->path(), report, config_text(program, line, odd),
                        origin_of(program, line, file, inputs, settings));
        record.platform = program.name();
        record.command = std::move(command);
        if (file) {
            record.config_file = file->name;
            record.config_sha256 = sha256(file->text);
        }
        record.seed = settings.seed;
        record.jobs = settings.jobs;
        record.stopped = std::chrono::system_clock::now();
        record.wall_seconds = seconds;
        record.callbacks = context.callbacks();
        record.exit_code = end.code;
        record.exit_reason = end.reason;
        record.files = directory->files();
        std::erase(record.files, manifest_name);
        write_file(directory->path() / manifest_name, to_text(manifest(record)));
        directory->publish();
    }
    print_report(text, report, standard_output_width(), line.quiet);
    if (directory) text << "report: " << (std::filesystem::path(*line.out) / "report.html").string() << '\n';
    for (const std::string& failure : failed_checks(end, report)) {
        fmt::print(std::cerr, "{}: error: {}\n", program.file_name(), printable(failure));
    }
    // A thread that still works must not see the destruction of this process's objects.
    if (context.left_work_behind()) {
        text.finish();
        ::_exit(end.code);
    }
    return end.code;
}

}  // namespace contraflow::face
