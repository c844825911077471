// SPDX-License-Identifier: Apache-2.0
// The resident memory of this process.
#pragma once

#include <fstream>
#include <string>

inline double resident_megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    return 0;
}
