// SPDX-License-Identifier: Apache-2.0
// A platform's binary, run as a user would, in a directory of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "face/command.h"

namespace contraflow::test {

class binary_fixture : public ::testing::Test {
protected:
    explicit binary_fixture(std::string program) : program_(std::move(program)) {}

    outcome run(std::vector<std::string> words) {
        words.insert(words.begin(), program_);
        return command(std::move(words), here_.path()).wait();
    }
    nlohmann::json report(const std::string& directory) {
        return nlohmann::json::parse(read_file(here_ / directory / "report.json"));
    }

    // A sweep refuses columns by the names that --print-results tells: all that a run has must be among them.
    void expect_results_told(const std::vector<std::string>& words) {
        auto asked = words, made = words;
        asked.emplace_back("--print-results");
        made.insert(made.end(), {"--out", "told"});
        const outcome names = run(asked);
        ASSERT_EQ(names.code, 0) << names.err;
        const outcome o = run(made);
        ASSERT_EQ(o.code, 0) << o.err;
        const auto form = nlohmann::json::parse(names.out), results = report("told")["results"];
        ASSERT_FALSE(results.empty());
        expect_told(form, results, "");
    }

    const std::string program_;
    scratch here_;

private:
    static void expect_told(const nlohmann::json& told, const nlohmann::json& is, const std::string& path) {
        for (const auto& [key, value] : is.items()) {
            if (is.is_object()) {
                ASSERT_TRUE(told.contains(key)) << path << key;
            } else if (told.empty()) {
                return;  // a list that may hold anything
            } else {
                ASSERT_LT(std::stoul(key), told.size()) << path;
            }
            const nlohmann::json& form = is.is_object() ? told[key] : told.at(std::stoul(key));
            ASSERT_EQ(form.is_structured(), value.is_structured()) << path << key;
            if (value.is_structured()) expect_told(form, value, path + key + ".");
        }
    }
};

}  // namespace contraflow::test
