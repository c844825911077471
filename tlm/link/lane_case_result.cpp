// SPDX-License-Identifier: Apache-2.0
// The written half of lane_case_file.h: results as JSON, and how they differ from what was expected.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "link/lane_case_file.h"

namespace contraflow::link {
namespace {

using number = std::pair<const char*, std::uint64_t>;

// Without the decision, which is no number.
std::array<number, 9> numbers_of(const replayed_window& w) {
    return {{{"end", w.lanes.end},
             {"busy_ab", w.lanes.busy.ab},
             {"capacity_ab", w.lanes.capacity.ab},
             {"busy_ba", w.lanes.busy.ba},
             {"capacity_ba", w.lanes.capacity.ba},
             {"lanes_ab", w.lanes.lanes.ab},
             {"lanes_ba", w.lanes.lanes.ba},
             {"queued_ab", w.queued.ab},
             {"queued_ba", w.queued.ba}}};
}

std::array<number, 4> numbers_of(const replay_result& r) {
    return {{{"served_ab", r.served.ab}, {"served_ba", r.served.ba}, {"drained", r.drained}, {"turns", r.turns}}};
}

template <class Numbers> std::string difference(const Numbers& got, const Numbers& expected) {
    for (std::size_t i = 0; i < got.size(); ++i)
        if (got[i].second != expected[i].second)
            return fmt::format("{} is {}, expected {}", got[i].first, got[i].second, expected[i].second);
    return {};
}

std::string difference(const replayed_window& got, const replayed_window& expected) {
    std::string text = difference(numbers_of(got), numbers_of(expected));
    if (text.empty() && got.lanes.decision != expected.lanes.decision)
        text = fmt::format("decision is {}, expected {}", name(got.lanes.decision), name(expected.lanes.decision));
    return text;
}

template <class Numbers> void append(fmt::memory_buffer& text, const Numbers& numbers) {
    const char* before = "";
    for (const auto& [key, value] : numbers)
        fmt::format_to(std::back_inserter(text), R"({}"{}": {})", std::exchange(before, ", "), key, value);
}

}  // namespace

std::string to_json(const std::string& name_of_case, const replay_result& result) {
    fmt::memory_buffer text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, R"({{"name": {}, "windows": [)", nlohmann::json(name_of_case).dump());
    const char* before = "\n";
    for (const replayed_window& w : result.windows) {
        fmt::format_to(out, "{}{{", std::exchange(before, ",\n"));
        append(text, numbers_of(w));
        fmt::format_to(out, R"(, "decision": "{}"}})", name(w.lanes.decision));
    }
    fmt::format_to(out, "],\n");
    append(text, numbers_of(result));
    fmt::format_to(out, "}}");
    return fmt::to_string(text);
}

std::string first_difference(const replay_result& result, const replay_result& expected) {
    const std::size_t common = std::min(result.windows.size(), expected.windows.size());
    for (std::size_t i = 0; i < common; ++i)
        if (const auto text = difference(result.windows[i], expected.windows[i]); !text.empty())
            return fmt::format("window {} (end {}): {}", i, expected.windows[i].lanes.end, text);
    if (result.windows.size() != expected.windows.size())
        return fmt::format("{} windows, expected {}", result.windows.size(), expected.windows.size());
    return difference(numbers_of(result), numbers_of(expected));
}

}  // namespace contraflow::link
