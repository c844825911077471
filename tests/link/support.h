// SPDX-License-Identifier: Apache-2.0
// Random specifications and traces, the same on every run and compiler.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "link/cases/lane_case_file.h"

namespace contraflow::link::testing {

using generator = std::mt19937_64;

inline std::uint64_t pick(generator& g, std::uint64_t low, std::uint64_t high) { return low + g() % (high - low + 1); }

inline lane_spec random_spec(generator& g) {
    static const char* const policies[]{"published", "guarded", "static"};
    lane_spec s;
    s.lanes_per_direction = static_cast<std::uint32_t>(pick(g, 1, 10));
    s.min_lanes = static_cast<std::uint32_t>(pick(g, 1, s.lanes_per_direction));
    if (pick(g, 0, 3) > 0) s.min_lanes = 1;
    s.sample_time = {pick(g, 1, pick(g, 0, 1) != 0 ? 30 : 300)};
    s.switch_time = {pick(g, 0, 60)};
    s.drain = {pick(g, 0, 6)};
    s.sync_latency = {pick(g, 0, 2) == 0 ? pick(g, 0, 40) : 0};
    s.policy = policies[pick(g, 0, 6) % 3];
    if (pick(g, 0, 3) == 0) s.saturation = static_cast<std::uint32_t>(pick(g, 1, 100));
    return s;
}

// One that the RTL supports: it takes eight cycles to decide.
inline lane_spec random_rtl_spec(generator& g) {
    lane_spec s = random_spec(g);
    s.sample_time = {std::max<std::uint64_t>(s.sample_time.count, 8)};
    s.sync_latency.count += 8;
    return s;
}

inline std::vector<trace_row> random_trace(generator& g, const lane_spec& s) {
    std::vector<trace_row> trace;
    const std::uint64_t most = 2 * s.lanes_per_direction;
    for (std::uint64_t rows = pick(g, 1, 12); rows > 0; --rows) {
        if (pick(g, 0, 3) == 0) trace.push_back({0, {}, true});
        trace.push_back({pick(g, 0, 4 * s.sample_time.count),
                         {pick(g, 0, 2) == 0 ? 0 : pick(g, 0, most), pick(g, 0, 2) == 0 ? 0 : pick(g, 0, most)},
                         false});
    }
    return trace;
}

inline std::string read_text(const std::string& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

// worked.json: at the published threshold of 99 percent; threshold.json: at 60, in windows that are easy to compute.
inline constexpr const char* worked_files[]{CF_TEST_DATA "/lanes/worked.json", CF_TEST_DATA "/lanes/threshold.json"};
inline std::vector<lane_case> worked_cases() {
    std::vector<lane_case> all;
    for (const char* const file : worked_files)
        for (lane_case& c : parse_lane_cases(read_text(file)).cases) all.push_back(std::move(c));
    return all;
}
// The same traces, with a sync latency that the RTL has: what they show is by tb/lane_reversal/directed/lane_rules.py.
inline std::vector<lane_case> rtl_cases() { return parse_lane_cases(read_text(CF_TEST_DATA "/lanes/rtl.json")).cases; }

}  // namespace contraflow::link::testing
