// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"

#include <array>
#include <charconv>
#include <span>

#include <fmt/format.h>

namespace contraflow::core {
namespace {

struct suffix {
    std::string_view text;
    double scale;
};

constexpr double ki = 1024.0;

constexpr std::array byte_suffixes{
    suffix{"B", 1},
    suffix{"kB", 1e3},
    suffix{"KB", 1e3},
    suffix{"MB", 1e6},
    suffix{"GB", 1e9},
    suffix{"TB", 1e12},
    suffix{"KiB", ki},
    suffix{"kiB", ki},
    suffix{"MiB", ki* ki},
    suffix{"GiB", ki* ki* ki},
    suffix{"TiB", ki* ki* ki* ki},
};
constexpr std::array bandwidth_suffixes{
    suffix{"B/s", 1},
    suffix{"kB/s", 1e3},
    suffix{"KB/s", 1e3},
    suffix{"MB/s", 1e6},
    suffix{"GB/s", 1e9},
    suffix{"TB/s", 1e12},
    suffix{"KiB/s", ki},
    suffix{"kiB/s", ki},
    suffix{"MiB/s", ki* ki},
    suffix{"GiB/s", ki* ki* ki},
    suffix{"TiB/s", ki* ki* ki* ki},
    suffix{"b/s", 0.125},
    suffix{"kb/s", 125.0},
    suffix{"Mb/s", 125e3},
    suffix{"Gb/s", 125e6},
    suffix{"Tb/s", 125e9},
};
constexpr std::array cycle_suffixes{
    suffix{"cycles", 1}, suffix{"cycle", 1}, suffix{"cy", 1}, suffix{"kcy", 1e3}, suffix{"Mcy", 1e6},
};
constexpr std::array frequency_suffixes{
    suffix{"Hz", 1},
    suffix{"kHz", 1e3},
    suffix{"MHz", 1e6},
    suffix{"GHz", 1e9},
};
constexpr std::array time_suffixes{
    suffix{"ps", 1}, suffix{"ns", 1e3}, suffix{"us", 1e6}, suffix{"ms", 1e9}, suffix{"s", 1e12},
};

std::string_view trim(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
    return s;
}

// The number in base units; the caller checks that it is exact.
parsed<double> parse_scaled(std::string_view text, std::span<const suffix> suffixes) {
    text = trim(text);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double number = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (ec == std::errc::result_out_of_range) return {0, unit_error::too_large};
    if (ec != std::errc{} || !std::isfinite(number)) return {0, unit_error::not_a_number};
    const auto unit = trim(text.substr(static_cast<std::size_t>(end - text.data())));
    if (std::signbit(number) && number != 0) return {0, unit_error::negative};
    number = std::abs(number);
    if (unit.empty()) return number == 0 ? parsed<double>{0} : parsed<double>{0, unit_error::missing_unit};
    for (const auto& s : suffixes) {
        if (unit != s.text) continue;
        const double scaled = number * s.scale;
        if (!std::isfinite(scaled)) return {0, unit_error::too_large};
        return {scaled};
    }
    return {0, unit_error::unknown_unit};
}

template <class T> parsed<T> parse_whole(std::string_view text, std::span<const suffix> suffixes, bool round) {
    // Digits without a fraction are taken as an integer, so that counts above 2^53 stay exact.
    const auto trimmed = trim(text);
    std::uint64_t whole = 0;
    const auto [end, ec] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), whole);
    const auto rest = trim(trimmed.substr(static_cast<std::size_t>(end - trimmed.data())));
    if (ec == std::errc{}) {
        for (const auto& s : suffixes) {
            if (rest != s.text) continue;
            const auto scale = static_cast<std::uint64_t>(s.scale);
            if (whole > std::numeric_limits<std::uint64_t>::max() / scale) return {{}, unit_error::too_large};
            return {T{whole * scale}};
        }
    }
    const auto scaled = parse_scaled(text, suffixes);
    if (!scaled) return {{}, scaled.error};
    const double nearest = std::round(scaled.value);
    if (nearest >= 18446744073709551615.0) return {{}, unit_error::too_large};
    // 11.6 MiB is no whole number of bytes; 0.1 kB is, although 0.1 has no exact double.
    if (!round && std::abs(scaled.value - nearest) > 1e-6) return {{}, unit_error::not_whole};
    return {T{static_cast<std::uint64_t>(nearest)}};
}

template <class T> parsed<T> parse_real(std::string_view text, std::span<const suffix> suffixes) {
    const auto scaled = parse_scaled(text, suffixes);
    if (!scaled) return {{}, scaled.error};
    return {T{scaled.value}};
}

template <class T>
std::string shortest_whole(std::uint64_t value, std::span<const suffix> suffixes, std::uint64_t T::*member) {
    std::string best = fmt::format("{}{}", value, suffixes.front().text);
    if (value == 0) return best;
    for (const auto& s : suffixes) {
        const auto scale = static_cast<std::uint64_t>(s.scale);
        // A fraction only if three digits are exact: 1.8us, not 1800ns; but 480KiB, not 0.46875MiB.
        const double scaled = static_cast<double>(value) / s.scale;
        const bool fraction = value < (1ull << 53) && scaled >= 1 && std::round(scaled * 1000) == scaled * 1000;
        if (value % scale != 0 && !fraction) continue;
        auto text =
            value % scale == 0 ? fmt::format("{}{}", value / scale, s.text) : fmt::format("{}{}", scaled, s.text);
        const auto back = parse_unit<T>(text);
        if (back && back.value.*member == value && text.size() < best.size()) best = std::move(text);
    }
    return best;
}

template <class T> std::string shortest_real(double value, std::span<const suffix> suffixes, double T::*member) {
    std::string best;
    for (const auto& s : suffixes) {
        if (s.text.starts_with('K') && !s.text.starts_with("Ki")) continue;
        auto text = fmt::format("{}{}", value / s.scale, s.text);
        const auto back = parse_unit<T>(text);
        if (!back || back.value.*member != value) continue;
        if (best.empty() || text.size() < best.size()) best = std::move(text);
    }
    return best;
}

std::string names(std::span<const suffix> suffixes) {
    std::string all;
    for (const auto& s : suffixes) {
        if ((s.text.starts_with('K') && !s.text.starts_with("Ki")) || s.text.starts_with("ki"))
            continue;  // not suggested
        if (!all.empty()) all += ", ";
        all += s.text;
    }
    return all;
}

}  // namespace

template <> parsed<bytes> parse_unit<bytes>(std::string_view t) { return parse_whole<bytes>(t, byte_suffixes, false); }
template <> parsed<bandwidth> parse_unit<bandwidth>(std::string_view t) {
    return parse_real<bandwidth>(t, bandwidth_suffixes);
}
template <> parsed<cycles> parse_unit<cycles>(std::string_view t) {
    return parse_whole<cycles>(t, cycle_suffixes, false);
}
template <> parsed<frequency> parse_unit<frequency>(std::string_view t) {
    return parse_real<frequency>(t, frequency_suffixes);
}
template <> parsed<sim_time> parse_unit<sim_time>(std::string_view t) {
    return parse_whole<sim_time>(t, time_suffixes, true);
}

template <> std::string_view unit_hint<bytes>() { return "a size such as 300MiB or 64kB"; }
template <> std::string_view unit_hint<bandwidth>() { return "a bandwidth such as 64GB/s, 11.6GiB/s or 100Gb/s"; }
template <> std::string_view unit_hint<cycles>() { return "a count of cycles such as 5000cycles or 5kcy"; }
template <> std::string_view unit_hint<frequency>() { return "a frequency such as 1.4GHz or 200MHz"; }
template <> std::string_view unit_hint<sim_time>() { return "a time such as 1.8us or 250ns"; }

template <> std::string unit_names<bytes>() { return names(byte_suffixes); }
template <> std::string unit_names<bandwidth>() { return names(bandwidth_suffixes); }
template <> std::string unit_names<cycles>() { return names(cycle_suffixes); }
template <> std::string unit_names<frequency>() { return names(frequency_suffixes); }
template <> std::string unit_names<sim_time>() { return names(time_suffixes); }

std::string rounded_text(sim_time t) {
    const auto ps = static_cast<double>(t.ps);
    if (t.ps < 1000) return fmt::format("{}ps", t.ps);
    if (ps < 1e6) return fmt::format("{:.4g}ns", ps * 1e-3);
    if (ps < 1e9) return fmt::format("{:.4g}us", ps * 1e-6);
    if (ps < 1e12) return fmt::format("{:.4g}ms", ps * 1e-9);
    return fmt::format("{:.4g}s", ps * 1e-12);
}

std::string to_text(bytes v) { return shortest_whole<bytes>(v.count, byte_suffixes, &bytes::count); }
std::string to_text(bandwidth v) {
    return shortest_real<bandwidth>(v.bytes_per_s, bandwidth_suffixes, &bandwidth::bytes_per_s);
}
std::string to_text(cycles v) {
    return shortest_whole<cycles>(v.count, std::span(cycle_suffixes).first(1), &cycles::count);
}
std::string to_text(frequency v) { return shortest_real<frequency>(v.hz, frequency_suffixes, &frequency::hz); }
std::string to_text(sim_time v) { return shortest_whole<sim_time>(v.ps, time_suffixes, &sim_time::ps); }

}  // namespace contraflow::core
