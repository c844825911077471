// SPDX-License-Identifier: Apache-2.0
#include "replay/case_input.h"

#include <CLI/App.hpp>

#include "config/text/diagnostics.h"
#include "config/text/json_position.h"
#include "face/command_line/errors.h"
#include "face/run/run_directory.h"

namespace contraflow::replay {
namespace {

bool is_configuration(const std::string& word) { return word.ends_with(".yaml") || word.ends_with(".yml"); }

}  // namespace

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

void case_options::add_to(CLI::App& app, const std::string& about_levels, const std::string& level_names) {
    app_ = &app;
    app.validate_positionals();
    app.add_option("FILE", file_, "JSON file of cases")
        ->check([](const std::string& word) { return is_configuration(word) ? "a configuration" : ""; }, "")
        ->type_name("");
    app.add_option("--level", level_, about_levels)->option_text(level_names);
    app.add_option("--only", only_, "the one case to play")->option_text("NAME");
}

void case_options::keep(const std::filesystem::path& out) const { face::write_file(out / copied_cases, text_); }

void case_options::report(const std::string& value, const std::string& message, const std::string& hint,
                          config::diagnostics& diag) const {
    const auto [line, column] = config::line_and_column(text_, config::find_json_value(text_, value));
    diag.error({path_, line, column}, fmt::format("{}: {}", value, message), hint);
}

void case_options::no_such_level(const std::string& word, const std::vector<std::string>& names) {
    throw face::usage_error(fmt::format("--level {}: there is no such level; {} {}{}", config::quoted(word),
                                        listed(names), names.size() == 1 ? "is" : "are",
                                        config::meant_aside(word, names)));
}

void case_options::no_such_case(const std::string& name, const std::vector<std::string>& names) {
    throw face::usage_error(
        fmt::format("--only {}: there is no such case{}", config::quoted(name), config::meant_aside(name, names)));
}

void case_options::nothing_to_play() {
    throw face::usage_error("nothing to play; give a JSON file of cases, or a configuration that names one");
}

}  // namespace contraflow::replay
