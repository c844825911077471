// SPDX-License-Identifier: Apache-2.0
#include "observe/waves/gtkw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "observe/waves/wave_names.h"

namespace contraflow::observe {
namespace {

// GTKWave's trace flags.
enum trace_flag : std::uint64_t {
    hex = 1 << 1,
    decimal = 1 << 2,
    binary = 1 << 3,
    right_justified = 1 << 5,
    blank = 1 << 9,
    collapsed = 1 << 12,
    by_file = 1 << 13,
    analog_step = 1 << 15,
    analog_blank = 1 << 17,       // a row that an analog trace above it takes as well
    analog_full_scale = 1 << 19,  // from the least to the largest value of all, not of those in view
    closed = 1 << 22,
    group_begin = 1 << 23,
    group_end = 1 << 24,
    by_dump = std::uint64_t{1} << 32,
};

// Fill levels and credits read as curves, other numbers as numbers.
bool is_amount(const gtkw_signal& s) {
    if (s.bits == 1 || s.shown_as != radix::decimal || !s.names.empty()) return false;
    const std::string_view name = s.name;
    const auto last = name.substr(name.rfind('.') + 1);
    const auto has = [](std::string_view text, const char* word) { return text.find(word) != text.npos; };
    constexpr std::array amounts{"queue", "credit", "unacknowledged", "buffer", "descriptors", "answers", "tags"};
    return last == "lanes" || has(name.substr(0, name.size() - last.size()), "queues.") ||
           std::any_of(amounts.begin(), amounts.end(), [&](const char* word) { return has(last, word); });
}
constexpr unsigned analog_rows = 3;  // the height of a curve

std::uint64_t flags_of(const gtkw_signal& s, bool names_in_dump) {
    // Names in a file are found by the value in binary.
    if (!s.names.empty()) return std::uint64_t{binary} | right_justified | (names_in_dump ? by_dump : by_file);
    if (s.bits == 1 || s.shown_as == radix::binary) return binary | right_justified;
    if (is_amount(s)) return std::uint64_t{decimal} | right_justified | analog_step | analog_full_scale;
    return (s.shown_as == radix::decimal ? decimal : hex) | right_justified;
}

}  // namespace

void write_gtkw(std::ostream& out, const gtkw_view& view) {
    // GTKWave finds the dump by its path relative to this file when that was saved: the same folder. The folder's name
    // doesn't matter, so both files can be moved and opened from anywhere.
    out << fmt::format("[dumpfile] \"/folder/{}\"\n[savefile] \"/folder/{}\"\n[timestart] {}\n", view.dump,
                       std::filesystem::path(view.dump).replace_extension("gtkw").string(), view.from.ps);
    // A zoom of z shows 2^-z / 200 ps per pixel. This zoom fits the whole time into a window of the usual width.
    constexpr double pixels = 500;
    if (view.to > view.from)
        out << fmt::format("*{:.3f} {}\n", -std::log2(static_cast<double>((view.to - view.from).ps) * 200 / pixels),
                           view.marker ? fmt::to_string(view.marker->ps) : "-1");
    out << "[sst_expanded] 1\n";
    std::map<std::string, std::size_t> files;  // traces refer to files by these numbers
    for (const gtkw_group& g : view.groups) {
        const auto bar = [&](std::uint64_t flags) {
            if (!g.name.empty()) out << fmt::format("@{:x}\n-{}\n", flags | blank, g.name);
        };
        bar(g.closed ? std::uint64_t{group_begin} | closed : std::uint64_t{group_begin});
        for (const gtkw_signal& s : g.signals) {
            out << fmt::format("@{:x}\n", flags_of(s, view.names_in_dump));
            if (!s.names.empty() && !view.names_in_dump)
                out << fmt::format("^{} {}\n", files.try_emplace(s.names, files.size() + 1).first->second, s.names);
            out << s.name << bit_range(s.bits) << '\n';
            for (unsigned row = 1; is_amount(s) && row < analog_rows; ++row)
                out << fmt::format("@{:x}\n-\n", std::uint64_t{analog_blank});
        }
        bar(g.closed ? std::uint64_t{group_end} | closed | collapsed : std::uint64_t{group_end});
    }
}

std::vector<gtkw_group> groups_by_scope(const std::vector<gtkw_signal>& signals) {
    std::vector<std::string_view> names;
    names.reserve(signals.size());
    for (const gtkw_signal& s : signals) names.push_back(s.name);
    std::vector<gtkw_group> groups;
    for (const auto index : order_by_scope(names)) {
        const gtkw_signal& s = signals[index];
        if (const auto scope = scope_of(s.name); groups.empty() || groups.back().name != scope)
            groups.push_back({std::string(scope), {}});
        groups.back().signals.push_back(s);
    }
    return groups;
}

}  // namespace contraflow::observe
