// SPDX-License-Identifier: Apache-2.0
#include "link/cases/lane_case_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/text/diagnostics.h"
#include "link/lanes/policies.h"

namespace contraflow::link {
namespace {

using json = nlohmann::json;
using names = config::json_reader::names;

constexpr std::uint64_t longest_time = 1'000'000'000;
constexpr std::uint64_t longest_row = 1'000'000'000'000;
constexpr std::uint64_t most_arrivals = 1'000'000;  // phits per cycle
constexpr double most_phits = 1e15;                 // per case and direction: keeps sums exact
constexpr double most_windows = 1e6;                // per case

class reader : private config::json_reader {
public:
    using config::json_reader::json_reader;

    std::vector<lane_case> read_cases(const json& document) {
        return cases<lane_case>(document, R"([{"name": ..., "parameters": {...}, "trace": [...]}, ...])",
                                [this](const json& j, const std::string& path) { return read_case(j, path); });
    }

private:
    lane_case read_case(const json& j, const std::string& path) {
        static const names known{"name", "parameters", "trace", "expected"};
        lane_case c;
        c.spec.sync_latency = {0};  // the rules, without what a controller takes to decide
        if (!is_object(j, path)) return c;
        check_keys(j, path, known, false);
        if (const json* value = member(j, path, "name")) c.name = one_line(*value, path + ".name");
        if (const auto at = j.find("parameters"); at != j.end()) read_parameters(*at, path + ".parameters", c.spec);
        if (const json* trace = member(j, path, "trace")) read_trace(*trace, path + ".trace", c);
        if (const auto at = j.find("expected"); at != j.end()) c.expected = read_expected(*at, path + ".expected");
        return c;
    }

    void read_parameters(const json& j, const std::string& path, lane_spec& s) {
        static const names known{"lanes_per_direction", "min_lanes",  "sample_time", "switch_time", "drain",
                                 "sync_latency",        "saturation", "policy"};
        if (!is_object(j, path)) return;
        const std::size_t before = problems();
        for (const auto& [key, value] : j.items()) {
            const std::string at = path + "." + key;
            if (key == "lanes_per_direction")
                s.lanes_per_direction = static_cast<std::uint32_t>(whole(value, at, 1, 64));
            else if (key == "min_lanes")
                s.min_lanes = static_cast<std::uint32_t>(whole(value, at, 1, 64));
            else if (key == "sample_time")
                s.sample_time = {whole(value, at, 1, longest_time)};
            else if (key == "switch_time")
                s.switch_time = {whole(value, at, 0, longest_time)};
            else if (key == "drain")
                s.drain = {whole(value, at, 0, longest_time)};
            else if (key == "sync_latency" || key == "exchange")  // the worked cases (worked.json) call it exchange
                s.sync_latency = {whole(value, at, 0, longest_time)};
            else if (key == "saturation")
                s.saturation = static_cast<std::uint32_t>(whole(value, at, 0, 100));
            else if (key == "policy")
                read_policy(value, at, s);
            else
                unknown_key(path, key, known);
        }
        if (j.contains("exchange") && j.contains("sync_latency"))
            problem(path + ".exchange", "another name of sync_latency, which is given as well");
        if (problems() == before)
            for (const config::problem& p : problems_of(s)) {
                // The defaults fit together, so at least one suspect is present.
                const auto given = std::find_if(p.suspects.begin(), p.suspects.end(),
                                                [&j](const auto& suspect) { return j.contains(suspect.path); });
                problem(fmt::format("{}.{}", path, given->path), p.message);
            }
    }

    void read_policy(const json& j, const std::string& path, lane_spec& s) {
        const std::string name = j.is_string() ? j.get<std::string>() : j.dump();
        if (j.is_string() && find_lane_policy(name) != nullptr) {
            s.policy = name;
            return;
        }
        names known;
        for (const lane_policy& p : lane_policies()) known.emplace_back(p.name);
        problem(path, fmt::format("no policy {}; there are {}{}", config::quoted(name), lane_policy_names(),
                                  config::meant_aside(name, known)));
    }

    void read_trace(const json& j, const std::string& path, lane_case& c) {
        if (!is_array(j, path)) return;
        double cycles = 0;
        by_direction<double> phits;
        for (std::size_t i = 0; i < j.size(); ++i) {
            const trace_row row = read_row(j[i], fmt::format("{}[{}]", path, i));
            cycles += static_cast<double>(row.cycles);
            for (const auto d : both_directions)
                phits[d] += static_cast<double>(row.cycles) * static_cast<double>(row.arrivals[d]);
            c.trace.push_back(row);
        }
        // Even one lane serves everything in this time.
        const double windows = (cycles + phits.ab + phits.ba) / static_cast<double>(c.spec.sample_time.count);
        if (std::max(phits.ab, phits.ba) > most_phits)
            problem(path, fmt::format("more than {:.0e} phits arrive", most_phits));
        else if (windows > most_windows)
            problem(path, fmt::format("could take {:.1e} windows of sample_time; {:.0e} are the limit", windows,
                                      most_windows));
    }

    trace_row read_row(const json& j, const std::string& path) {
        if (j.is_string() && j == "launch") return {0, {}, true};
        if (!j.is_array() || j.size() != 3) {
            problem(path, "a row is [cycles, phits_ab, phits_ba] or \"launch\"");
            return {};
        }
        return {whole(j[0], path + "[0]", 0, longest_row),
                {whole(j[1], path + "[1]", 0, most_arrivals), whole(j[2], path + "[2]", 0, most_arrivals)},
                false};
    }

    std::uint64_t count(const json& j, const std::string& path, const char* key) {
        const json* value = member(j, path, key);
        return value == nullptr ? 0 : whole(*value, fmt::format("{}.{}", path, key), 0, std::uint64_t{1} << 62);
    }

    replay_result read_expected(const json& j, const std::string& path) {
        replay_result r;
        if (!is_object(j, path)) return r;
        r.served = {count(j, path, "served_ab"), count(j, path, "served_ba")};
        r.drained = count(j, path, "drained");
        r.turns = count(j, path, "turns");
        const json* windows = member(j, path, "windows");
        if (windows == nullptr || !is_array(*windows, path + ".windows")) return r;
        for (std::size_t i = 0; i < windows->size(); ++i)
            r.windows.push_back(read_window((*windows)[i], fmt::format("{}.windows[{}]", path, i)));
        return r;
    }

    replayed_window read_window(const json& j, const std::string& path) {
        replayed_window w;
        if (!is_object(j, path)) return w;
        w.lanes.end = count(j, path, "end");
        w.lanes.busy = {count(j, path, "busy_ab"), count(j, path, "busy_ba")};
        w.lanes.capacity = {count(j, path, "capacity_ab"), count(j, path, "capacity_ba")};
        w.lanes.lanes = {static_cast<unsigned>(count(j, path, "lanes_ab")),
                         static_cast<unsigned>(count(j, path, "lanes_ba"))};
        w.queued = {count(j, path, "queued_ab"), count(j, path, "queued_ba")};
        if (const json* decision = member(j, path, "decision")) {
            for (const auto d : {lane_decision::none, lane_decision::to_ab, lane_decision::to_ba})
                if (*decision == name(d)) {
                    w.lanes.decision = d;
                    return w;
                }
            problem(path + ".decision", "one of none, to_ab, to_ba is wanted");
        }
        return w;
    }
};

}  // namespace

lane_case_file parse_lane_cases(std::string_view text) {
    lane_case_file file;
    file.problems = config::read_json(text, [&](const json& document, std::vector<config::json_problem>& problems) {
        file.cases = reader(problems).read_cases(document);
    });
    return file;
}

// --- results

namespace {

using number = std::pair<const char*, std::uint64_t>;

// All but the decision, which is not a number.
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
