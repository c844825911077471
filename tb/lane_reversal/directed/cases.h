// SPDX-License-Identifier: Apache-2.0
// Cases with their expected results: those worked out by hand (vectors.txt describes the format), and the worked cases
// of the model in the same form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lane_reversal/model/settings.h"
#include "link/cases/lane_harness.h"

namespace contraflow::lane_reversal {

// A number of cycles with the same arrivals in each; or a launch; or lanes that fail.
struct case_row {
    link::trace_row trace;
    std::uint32_t faults = 0;
};

struct expected_cycle {
    std::uint64_t cycle = 0;
    link::by_direction<unsigned> lanes;
    unsigned turning = 0, failed = 0;
    std::optional<link::by_direction<unsigned>> drivers;  // number that are on at ends a and b
};

struct expected_window {
    std::uint64_t end = 0;
    link::by_direction<std::uint64_t> busy, capacity;
    link::lane_decision decision = link::lane_decision::none;
    std::optional<link::by_direction<std::uint64_t>> queued;
};

struct lane_case {
    std::string name;
    unsigned lanes_per_direction = 8;
    settings with;
    std::vector<case_row> rows;
    bool until_drained = false;  // goes on after the last row until both queues are empty
    std::vector<expected_cycle> cycles;
    std::vector<expected_window> windows;
    std::optional<std::uint64_t> window_count, turns, drained;
    std::optional<link::by_direction<std::uint64_t>> served;
};

// Throws std::runtime_error that names the line.
std::vector<lane_case> read_cases(const std::string& path);

}  // namespace contraflow::lane_reversal
