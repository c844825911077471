// SPDX-License-Identifier: Apache-2.0
// manifest.json: the data that differ between two runs of the same inputs, and those needed to repeat one. Times of day
// are UTC.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace contraflow::face {

struct run_record {
    std::string platform;
    std::vector<std::string> command;  // argv
    std::string config_file;           // "" if none
    std::string config_sha256;         // the file's checksum when it was read
    std::uint64_t seed = 0;
    unsigned jobs = 0;
    std::chrono::system_clock::time_point started{}, stopped{};
    double wall_seconds = 0;  // inside the platform's run()
    std::uint64_t callbacks = 0;
    int exit_code = 0;
    std::string exit_reason;
    std::vector<std::string> files;  // all of the directory but the manifest
};

nlohmann::ordered_json manifest(const run_record& run);

}  // namespace contraflow::face
