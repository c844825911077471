// SPDX-License-Identifier: Apache-2.0
// A sweep's points, each checked by the platform and with the name under which its results are kept: a hash of the
// complete configuration, of the files it names, and of the binary. The same point in another sweep, at another place
// of the list or after an interruption has the same name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/text/diagnostics.h"
#include "sweep/platform_program.h"
#include "sweep/points.h"
#include "sweep/sweep_spec.h"

namespace contraflow::sweep {

struct point {
    std::vector<std::string> labels;  // one for each swept key; the platform's default if the point gives none
    std::optional<std::filesystem::path> configuration;
    std::vector<std::string> sets;
    std::string id;         // hash of configuration and files: the same with every binary
    std::string directory;  // named by id and binary
};

struct plan {
    platform_program platform;
    std::filesystem::path folder;  // the platform's working folder: paths in values are relative to it
    std::vector<std::string> keys;
    std::vector<point> points;
    // What all points have in common: key and value, first the ones that the sweep's file gives.
    std::vector<std::pair<std::string, std::string>> given, common;
};

// "size=64KiB, posted_data=1600B": the swept keys by the last parts of their paths, where these tell them apart.
std::string name_of(const plan& of, const point& p);

struct planning {
    config::location platform_at, configuration_at;
    std::filesystem::path folder;  // the folder of the sweep's file
    unsigned jobs = 1;
};

// None if `diag` failed: every error is reported once.
std::optional<plan> make_plan(const sweep_spec& spec, const planning& how, config::diagnostics& diag);

// Identifies all values and the files that they name.
std::string identity(const std::string& platform, const std::vector<std::pair<std::string, std::string>>& values,
                     const std::vector<std::filesystem::path>& folders);

}  // namespace contraflow::sweep
