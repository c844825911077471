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

    const std::string program_;
    scratch here_;
};

}  // namespace contraflow::test
