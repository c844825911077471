// SPDX-License-Identifier: Apache-2.0
#include "face/command_line/command_line.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>

#include <sched.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/text/diagnostics.h"
#include "face/command_line/errors.h"

namespace contraflow::face {
namespace {

namespace fs = std::filesystem;

constexpr unsigned most_jobs = 4096;

// The options as typed. They are checked here rather than by CLI11, for better messages.
struct raw_options {
    std::string config, out, wave, wave_from, wave_to, wave_around, seed, jobs, limit_time, limit_wall;
    std::vector<std::string> sets;
};

void declare(CLI::App& app, raw_options& raw, command_line& line, const option_set& has) {
    app.add_option("CONFIG", raw.config, "the configuration, a YAML file; without one the defaults hold")
        ->type_name("");
    app.add_option("--set", raw.sets,
                   "set one value of the configuration, key=value with the key as --describe lists it; may be repeated")
        ->allow_extra_args(false)
        ->option_text("KEY=VALUE");
    app.add_option("--seed", raw.seed, "seed of everything random")->option_text("N");
    app.add_option("--jobs", raw.jobs, "threads to use (default: all cores); never changes a result")->option_text("N");
    if (has.limit_time)
        app.add_option("--limit-time", raw.limit_time, "stop at this simulated time, such as 2ms")->option_text("T");
    app.add_option("--limit-wall", raw.limit_wall, "stop after this many seconds, with partial results")
        ->option_text("SECONDS");

    const char* const output = "Output";
    const char* const hidden = "";
    const char* const waves = has.why_no_waves.empty() ? output : hidden;
    app.add_option("--out", raw.out, "leave a run directory: configuration, report, page, statistics")
        ->option_text("DIR")
        ->group(output);
    app.add_flag("--force", line.force, "an existing DIR that is no run directory is kept as DIR.old-1, not refused")
        ->group(output);
    app.add_option("--wave", raw.wave, "also write waves.fst or waves.vcd, and waves.gtkw for GTKWave")
        ->option_text("fst|vcd")
        ->group(waves);
    app.add_option("--wave-from", raw.wave_from, "the waves begin at this simulated time")
        ->option_text("T")
        ->group(waves);
    app.add_option("--wave-to", raw.wave_to, "the waves end at this simulated time")->option_text("T")->group(waves);
    if (!has.wave_events.empty())
        app.add_option("--wave-around", raw.wave_around, "the waves show what is around the first event of that name")
            ->option_text(fmt::format("{}", fmt::join(has.wave_events, "|")))
            ->group(output);
    app.add_flag("--trace", line.trace, "also write trace.json, for Perfetto or chrome://tracing")
        ->group(has.why_no_trace.empty() ? output : hidden);
    app.add_flag("--quiet", line.quiet, "only the headline and warnings, no tables, no progress")->group(output);

    const char* const about = "About";
    app.add_flag("--print-config", line.print_config, "print the complete configuration, ready to edit, and exit")
        ->group(about);
    app.add_flag("--print-results", line.print_results,
                 "print the names of the results that report.json will have, and exit: a sweep's columns name them")
        ->group(about);
    app.add_flag("--describe", line.describe, "print every key with type, default, range and meaning, and exit")
        ->group(about);
    app.add_flag("--schema", line.schema, "print the configuration's JSON schema, for editors, and exit")->group(about);
    app.add_flag("--version", line.version, "print the version and exit")->group(about);
    app.set_help_flag("-h,--help", "print this and exit")->group(about);

    const std::string name = app.get_name(), print = printing_command(name, has.arguments_for_defaults);
    const std::string run = name + " mine.yaml --out runs/first";
    const std::size_t width = std::max(print.size(), run.size());
    app.footer(fmt::format(
        "Examples:\n"
        "  {0:{2}}        every key with its default, to be edited\n"
        "  {1:{2}}        run it and leave a report\n"
        "Exit status: 0 done, 1 a check failed, 2 bad input, 3 no progress (deadlock), 4 stopped by a limit or a\n"
        "signal with partial results, 5 internal error, or results that could not be written.",
        print, run, width));
}

std::vector<std::string> known_options(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
    }
    return out;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
    return app.get_options([&app](const CLI::Option* option) { return option != app.get_help_ptr(); });
}

// Arguments that CLI11 could not place.
void check_remaining(const CLI::App& app, const raw_options& raw) {
    for (const std::string& word : app.remaining()) {
        if (word == "--") continue;
        if (word.size() > 1 && word.front() == '-') {
            const std::string name = word.substr(0, word.find('='));
            throw usage_error(
                fmt::format("unknown option {}{}", config::quoted(name),
                            config::meant_aside(name, known_options(app), "; --help lists what there is")));
        }
        throw usage_error(fmt::format("unexpected argument {}: the configuration is {} already", config::quoted(word),
                                      config::quoted(raw.config)));
    }
}

// CLI11 says "--out: 1 required TEXT missing", "--seed: At Most 1 required but received 2".
std::string reshaped(const std::string& text) {
    const std::string option = text.substr(0, text.find(':'));
    if (text.ends_with("missing")) return option + " needs a value";
    if (text.find("At Most 1") != std::string::npos) return option + " is given more than once";
    // "Could not convert: --flag = maybe": only flags are converted by CLI11.
    constexpr std::string_view unconverted = "Could not convert: ";
    if (text.starts_with(unconverted)) {
        const std::string flag = text.substr(unconverted.size(), text.find(" = ") - unconverted.size());
        return fmt::format("{} takes no value, or true or false", flag);
    }
    return text;
}

void parse_words(CLI::App& app, int argc, const char* const* argv, const raw_options& raw, command_line& line) {
    app.allow_extras();
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        line.help = true;
        return;
    } catch (const CLI::ArgumentMismatch& mismatch) {
        check_remaining(app, raw);
        throw usage_error(reshaped(mismatch.what()));
    } catch (const CLI::Error& error) {
        check_remaining(app, raw);
        throw usage_error(reshaped(error.what()));
    }
    check_remaining(app, raw);
}

// CLI11 takes the option that follows as the value: "--out --quiet".
void check_values(const CLI::App& app) {
    const std::vector<std::string> known = known_options(app);
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_lnames().empty() || option->get_items_expected_max() == 0) continue;
        for (const std::string& value : option->results()) {
            const std::string name = value.substr(0, value.find('='));
            if (std::find(known.begin(), known.end(), name) != known.end())
                throw usage_error(
                    fmt::format("--{} needs a value, and {} is an option", option->get_lnames().front(), name));
        }
    }
}

// What no run of the platform writes.
void check_signals(const CLI::App& app, const option_set& has) {
    const auto refuse = [&app](const char* option, std::string_view why) {
        if (!why.empty() && app.count(option) > 0) throw usage_error(fmt::format("{}: {}", option, why));
    };
    for (const char* const option : {"--wave", "--wave-from", "--wave-to"}) refuse(option, has.why_no_waves);
    refuse("--trace", has.why_no_trace);
}

template <class Number>
Number number(std::string_view option, const std::string& text, Number lowest, Number highest, std::string_view what) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    // Written so that a NaN fails too.
    const bool good = result.ec == std::errc() && result.ptr == end && value >= lowest && value <= highest;
    if (!good) throw usage_error(fmt::format("{} {}: {} is wanted", option, config::quoted(text), what));
    return value;
}

// Greater than `least`.
core::sim_time simulated_time(std::string_view option, const std::string& text, std::uint64_t least = 0) {
    const auto parsed = core::parse_unit<core::sim_time>(text);
    if (!parsed || parsed.value.ps < least) {
        throw usage_error(fmt::format("{} {}: {}{} is wanted", option, config::quoted(text),
                                      core::unit_hint<core::sim_time>(), least > 0 ? ", more than 0," : ""));
    }
    return parsed.value;
}

std::optional<wave_request> waves_asked_for(const CLI::App& app, const raw_options& raw,
                                            const std::vector<std::string>& events) {
    const bool around = !events.empty() && app.count("--wave-around") > 0;
    wave_request w;
    w.window = app.count("--wave-from") + app.count("--wave-to") > 0;
    if (app.count("--wave") == 0) {
        if (w.window || around) throw usage_error("the window of waves is given without --wave fst or --wave vcd");
        return std::nullopt;
    }
    if (raw.wave != "vcd" && raw.wave != "fst")
        throw usage_error(fmt::format("--wave {}: 'fst' and 'vcd' are the forms there are", config::quoted(raw.wave)));
    w.as = raw.wave == "vcd" ? wave::format::vcd : wave::format::fst;
    if (app.count("--wave-from") > 0) w.from = simulated_time("--wave-from", raw.wave_from);
    if (app.count("--wave-to") > 0) w.to = simulated_time("--wave-to", raw.wave_to, 1);
    if (w.to <= w.from)
        throw usage_error(fmt::format("--wave-from {} --wave-to {}: there is nothing in between", core::to_text(w.from),
                                      core::to_text(w.to)));
    if (!around) return w;
    if (w.window) throw usage_error("--wave-around goes without --wave-from and --wave-to");
    if (std::find(events.begin(), events.end(), raw.wave_around) == events.end()) {
        throw usage_error(fmt::format(
            "--wave-around {}: {}", config::quoted(raw.wave_around),
            config::did_you_mean(raw.wave_around, events, fmt::format("{} can be shown", fmt::join(events, " and ")))));
    }
    w.event = raw.wave_around;
    return w;
}

unsigned available_cores() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

std::string shell_word(const std::string& word) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// `own` are the platform's options.
std::string what_was_asked(const std::vector<const CLI::Option*>& own, const raw_options& raw) {
    std::string out;
    const auto append = [&out](const std::string& word) { out += ' ' + shell_word(word); };
    if (!raw.config.empty()) append(raw.config);
    for (const CLI::Option* option : own) {
        if (option->get_group() == execution_group) continue;
        for (const std::string& result : option->results()) {
            if (!option->get_lnames().empty()) append("--" + option->get_lnames().front());
            if (option->get_items_expected_max() > 0) append(result);
        }
    }
    const auto append_option = [&append](const char* name, const std::string& value) {
        append(name);
        append(value);
    };
    for (const std::string& set : raw.sets) append_option("--set", set);
    if (!raw.seed.empty()) append_option("--seed", raw.seed);
    if (!raw.limit_time.empty()) append_option("--limit-time", raw.limit_time);
    return out;
}

}  // namespace

std::string printing_command(const std::string& program, std::string_view arguments_for_defaults) {
    return fmt::format("{}{}{} --print-config > mine.yaml", program, arguments_for_defaults.empty() ? "" : " ",
                       arguments_for_defaults);
}

bool is_given(const CLI::App& app, const char* option) { return app.count(option) != 0; }

command_line parse_command_line(CLI::App& app, int argc, const char* const* argv, const option_set& has) {
    const std::vector<const CLI::Option*> own = options_of(app);
    raw_options raw;
    command_line line;
    declare(app, raw, line, has);
    parse_words(app, argc, argv, raw, line);
    if (line.help) return line;
    check_values(app);
    check_signals(app, has);

    if (raw.config == "-") throw usage_error("the configuration is read from a file, not from standard input");
    if (app.count("CONFIG") > 0) line.config_file = raw.config;
    line.sets = raw.sets;
    if (app.count("--out") > 0) {
        if (raw.out.empty()) throw usage_error("--out needs the name of a directory");
        line.out = raw.out;
    }
    line.waves = waves_asked_for(app, raw, has.wave_events);
    if ((line.waves || line.trace) && !line.out) {
        throw usage_error(fmt::format("{} needs --out DIR to write to", line.waves ? "--wave" : "--trace"));
    }
    if (app.count("--seed") > 0) {
        line.seed = number<std::uint64_t>("--seed", raw.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                                          "a whole number from 0 to 2^64-1");
    }
    line.jobs = available_cores();
    if (app.count("--jobs") > 0) {
        line.jobs = number<unsigned>("--jobs", raw.jobs, 1, most_jobs, fmt::format("a number from 1 to {}", most_jobs));
    }
    if (has.limit_time && app.count("--limit-time") > 0)
        line.limit_time = simulated_time("--limit-time", raw.limit_time, 1);
    if (app.count("--limit-wall") > 0) {
        line.limit_wall_s =
            number<double>("--limit-wall", raw.limit_wall, 1e-3, 1e9, "a number of seconds from 0.001 to 1e9");
    }
    line.what_was_asked = what_was_asked(own, raw);
    return line;
}

std::string nearest_file(const std::string& missing) {
    const fs::path wanted(missing);
    const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
    std::vector<std::string> known;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.is_regular_file(error)) known.push_back(entry.path().filename().string());
    }
    std::sort(known.begin(), known.end());
    const std::string near = config::nearest(wanted.filename().string(), known);
    return near.empty() ? "" : (wanted.parent_path() / near).string();
}

}  // namespace contraflow::face
