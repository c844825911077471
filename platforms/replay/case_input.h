// SPDX-License-Identifier: Apache-2.0
// The input of programs that play a file of cases at a level: [FILE] [--level LEVEL] [--only NAME], or the keys
// `cases`, `level` and `only` of a configuration. The run directory holds the file, so that its configuration can be
// run again wherever it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/config.h"
#include "config/text/file_form.h"
#include "config/text/json_reader.h"
#include "face/command_line/app.h"
#include "text/text_fields.h"

namespace contraflow::replay {

// "a, b and c".
std::string listed(const std::vector<std::string>& names);

class case_options {
public:
    static constexpr const char* copied_cases = "cases.json";

    // A name that ends in .yaml is a configuration, and left to the face.
    void add_to(CLI::App& app, const std::string& about_levels, const std::string& level_names);
    bool given(const char* option) const { return face::is_given(*app_, option); }
    // Writes files into the run directory with which the run can be repeated.
    void keep(const std::filesystem::path& out) const;
    // An error at a value of the file, "[3].parameters.drain".
    void report(const std::string& value, const std::string& message, const std::string& hint,
                config::diagnostics& diag) const;

protected:
    [[noreturn]] static void no_such_level(const std::string& word, const std::vector<std::string>& names);
    [[noreturn]] static void no_such_case(const std::string& name, const std::vector<std::string>& names);
    [[noreturn]] static void nothing_to_play();

    CLI::App* app_ = nullptr;
    std::string file_, level_, only_;  // on the command line
    std::string path_, text_;          // the file that is played
};

template <class Case> class case_input : public case_options {
public:
    // Takes the command line into `loaded`, whose value has the keys above, and reads the cases: parse(text) gives an
    // object with `cases` and `problems`.
    template <class Spec, class Parse>
    void prepare(config::loaded<Spec>& loaded, config::diagnostics& diag, Parse parse) {
        Spec& spec = loaded.value;
        if (given("--level")) {
            spec.level = level_named<decltype(spec.level)>(level_);
            loaded.mark_computed("level");
        }
        if (given("--only")) {
            spec.only = only_;
            loaded.mark_computed("only");
        }
        path_ = file_;
        if (path_.empty() && spec.cases) path_ = text::file_beside(loaded.where("cases"), *spec.cases);
        const bool only_printed = given("--print-config");
        if (path_.empty() && only_printed) return;
        // The printed configuration may be kept in any folder.
        if (only_printed) {
            spec.cases = std::filesystem::weakly_canonical(path_).string();
            loaded.mark_computed("cases");
        }
        if (path_.empty()) nothing_to_play();
        auto source = config::read_source(path_, diag, config::json_cases);
        if (!source) return;
        auto parsed = parse(source->text);
        diag.add_source(path_, source->text);
        for (const config::json_problem& p : parsed.problems)
            diag.error({path_, p.line, p.column}, p.path.empty() ? p.message : fmt::format("{}: {}", p.path, p.message),
                       p.hint);
        fit_ = parsed.problems.empty();
        cases_ = std::move(parsed.cases);
        if (spec.only && fit_) choose(*spec.only);
        text_ = std::move(source->text);
        if (!file_.empty() || given("--out")) {
            spec.cases = only_printed ? path_ : copied_cases;
            loaded.mark_computed("cases");
        }
    }

    // The cases to be played; the file had no problems if fit().
    bool fit() const { return fit_; }
    const std::vector<Case>& cases() const { return cases_; }
    // The index in the file's list of the case at `index`.
    std::size_t place(std::size_t index) const { return chosen_ + index; }

private:
    template <class Level> static Level level_named(const std::string& word) {
        std::vector<std::string> known;
        for (const auto& [level, name] : config::enum_names<Level>::names) {
            if (word == name) return level;
            known.emplace_back(name);
        }
        no_such_level(word, known);
    }
    void choose(const std::string& name) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            names.push_back(cases_[i].name);
            if (names.back() != name) continue;
            chosen_ = i;
            cases_ = {cases_[i]};
            return;
        }
        no_such_case(name, names);
    }

    std::vector<Case> cases_;
    std::size_t chosen_ = 0;
    bool fit_ = false;
};

}  // namespace contraflow::replay
