// SPDX-License-Identifier: Apache-2.0
#include "face/run/program.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>  // App's constructor needs the complete type under Clang
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "face/build_info/build_info.h"
#include "face/command_line/command_line.h"
#include "face/command_line/invocation.h"
#include "face/run/input_files.h"
#include "face/run/interrupt.h"
#include "face/run/run_directory.h"
#include "face/run/run_session.h"
#include "face/run/write_failure.h"
#include "face/terminal/output_stream.h"
#include "face/terminal/text_layout.h"

namespace contraflow::face {
namespace {

// A closed standard stream would have its number taken by the first file we open, which then got our messages.
void occupy_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) ::open("/dev/null", O_RDONLY);
    }
}

std::optional<config::source> read_config(const std::string& file, config::diagnostics& diag) {
    if (file.empty()) throw usage_error("the name of the configuration file is empty");
    std::error_code error;
    if (!std::filesystem::exists(file, error) && !error) {
        const std::string near = nearest_file(file);
        diag.error({file, 0, 0}, "there is no such file", near.empty() ? "" : fmt::format("did you mean '{}'?", near));
        return std::nullopt;
    }
    return config::read_source(file, diag);
}

// What a file says is not sent to a terminal as commands.
void print(const config::diagnostics& diag) {
    std::ostringstream text;
    diag.print(text);
    const std::string all = text.str();
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find('\t', at), all.size());
        std::cerr << printable(std::string_view(all).substr(at, end - at));
        if (end < all.size()) std::cerr << '\t';  // marks below a line stand where it has them
        at = end + 1;
    }
}

// The configuration, complete and checked; false if it is not right.
bool load(program_if& program, const command_line& line, std::optional<config::source>& file,
          config::diagnostics& diag) {
    if (line.config_file) {
        file = read_config(*line.config_file, diag);
        if (!file) return false;  // without the file, other checks mean nothing
    }
    std::vector<std::string> sets = line.sets;
    if (line.seed && program.has_seed()) sets.push_back(fmt::format("seed={}", *line.seed));
    program.load(file, sets, diag);
    if (!diag.failed()) program.prepare(diag);
    return !diag.failed();
}

std::string version_text(const program_if& program) {
    const build_information& info = build_info();
    return fmt::format("{} {} (git {}{})\n", program.file_name(), info.version, info.git_sha.substr(0, 12),
                       info.git_dirty ? ", modified" : "");
}

int run_guarded(int argc, char** argv, program_if& program, output_stream& text) {
    std::atomic<run_directory*> filled = nullptr;
    interrupt signals(std::string(program.file_name()), [&filled] {
        if (run_directory* const directory = filled) directory->discard();
    });
    CLI::App app{std::string(program.summary()), command_of(program.file_name())};
    program.options(app);
    const command_line line =
        parse_command_line(app, argc, argv,
                           {program.wave_events(), program.has_limit_time(), program.arguments_for_defaults(),
                            program.why_no_waves(), program.why_no_trace()});
    if (line.help)
        text << app.help();
    else if (line.version)
        text << version_text(program);
    else if (line.describe)
        text << program.describe();
    else if (line.schema)
        text << to_text(program.schema());
    if (line.help || line.version || line.describe || line.schema) return exit_ok;

    config::diagnostics diag;
    std::optional<input_files> inputs;
    if (line.out) inputs.emplace();
    std::optional<config::source> file;
    const bool good = load(program, line, file, diag);
    print(diag);
    if (!good) {
        const bool of_defaults = !line.config_file && line.sets.empty();
        if (line.print_config && of_defaults && !program.arguments_for_defaults().empty())
            fmt::print(std::cerr, "{}: not every key has a default; this prints a configuration: {}\n",
                       program.file_name(),
                       printing_command(command_of(program.file_name()), program.arguments_for_defaults()));
        return exit_bad_input;
    }
    if (line.print_config) {
        text << as_comments(diag.warnings()) << program.print_config();
        return exit_ok;
    }
    if (line.print_results) {
        const auto form = program.results_form();
        if (form.is_null())
            throw usage_error("--print-results: the results of this platform are known after a run only");
        text << to_text(form);
        return exit_ok;
    }
    try {
        const int code = run_session(program, line, {argv, argv + argc}, file, diag.warnings(), text, signals, filled,
                                     inputs ? &*inputs : nullptr);
        return code == exit_ok && signals.signal() != 0 ? exit_stopped : code;
    } catch (const configuration_error& error) {
        diag.clear();
        program.report(error.what_is, diag);
        print(diag);
        return exit_bad_input;
    }
}

// Makes one line of any message.
void print_error(const program_if& program, std::string_view kind, std::string_view message) {
    std::string one_line = printable(message);
    std::replace(one_line.begin(), one_line.end(), '\n', ' ');
    fmt::print(std::cerr, "{}: {}: {}\n", program.file_name(), kind, one_line);
}

}  // namespace

int run_program(int argc, char** argv, program_if& program) {
    occupy_standard_descriptors();
    // The writer reports or ignores a write that fails.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    output_stream text(STDOUT_FILENO);
    try {
        const int code = run_guarded(argc, argv, program, text);
        text.finish();
        return code;
    } catch (const usage_error& error) {
        print_error(program, "error", error.what());
        return exit_bad_input;
    } catch (const std::bad_alloc&) {
        print_error(program, "error", "this computer has not enough memory for what the configuration asks for");
        return exit_bad_input;
    } catch (const output_error& error) {
        print_error(program, "error", error.what());
    } catch (const std::filesystem::filesystem_error& error) {
        // The machine refused as well. Of a copy, the second path is the one that is written.
        const auto& file = error.path2().empty() ? error.path1() : error.path2();
        print_error(program, "error",
                    fmt::format("{}: {}", file.string(), why_not_written(file, error.code().value())));
    } catch (const std::exception& error) { print_error(program, "internal error", error.what()); } catch (...) {
        print_error(program, "internal error", "unknown exception");
    }
    return exit_internal;
}

}  // namespace contraflow::face
