// SPDX-License-Identifier: Apache-2.0
// Strong units: bytes, bandwidth, cycles, frequency, simulated time.
// Decimal (k, M, G, T = powers of 1000) and binary prefixes (Ki, Mi, Gi, Ti = powers of 1024) are different numbers.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace contraflow::core {

// An amount of data.
struct bytes {
    std::uint64_t count = 0;
    friend constexpr auto operator<=>(bytes, bytes) = default;
    friend constexpr bytes operator+(bytes a, bytes b) { return {a.count + b.count}; }
    friend constexpr bytes operator-(bytes a, bytes b) { return {a.count - b.count}; }
    friend constexpr bytes operator*(bytes a, std::uint64_t n) { return {a.count * n}; }
    constexpr bytes& operator+=(bytes b) {
        count += b.count;
        return *this;
    }
    constexpr bytes& operator-=(bytes b) {
        count -= b.count;
        return *this;
    }
};

// A point in, or a span of, simulated time; 1 ps resolution, as the SystemC kernel's.
struct sim_time {
    std::uint64_t ps = 0;
    static constexpr sim_time never() { return {std::numeric_limits<std::uint64_t>::max()}; }
    static constexpr sim_time from_ns(std::uint64_t ns) { return {ns * 1000}; }
    static constexpr sim_time from_us(std::uint64_t us) { return {us * 1'000'000}; }
    // Nearest picosecond.
    static sim_time from_seconds(double s) { return {static_cast<std::uint64_t>(std::llround(s * 1e12))}; }
    constexpr double seconds() const { return static_cast<double>(ps) * 1e-12; }
    friend constexpr auto operator<=>(sim_time, sim_time) = default;
    friend constexpr sim_time operator+(sim_time a, sim_time b) { return {a.ps + b.ps}; }
    friend constexpr sim_time operator-(sim_time a, sim_time b) { return {a.ps - b.ps}; }
    friend constexpr sim_time operator*(sim_time a, std::uint64_t n) { return {a.ps * n}; }
    constexpr sim_time& operator+=(sim_time b) {
        ps += b.ps;
        return *this;
    }
    constexpr sim_time& operator-=(sim_time b) {
        ps -= b.ps;
        return *this;
    }
};

// A count of clock cycles of the domain it belongs to.
struct cycles {
    std::uint64_t count = 0;
    friend constexpr auto operator<=>(cycles, cycles) = default;
    friend constexpr cycles operator+(cycles a, cycles b) { return {a.count + b.count}; }
    friend constexpr cycles operator-(cycles a, cycles b) { return {a.count - b.count}; }
};

// A clock's rate.
struct frequency {
    double hz = 0;
    friend constexpr auto operator<=>(frequency, frequency) = default;
    // The time n cycles take, to the nearest picosecond.
    sim_time time_of(cycles n) const { return sim_time::from_seconds(static_cast<double>(n.count) / hz); }
};

// Data per time.
struct bandwidth {
    double bytes_per_s = 0;
    static constexpr bandwidth from_gb_per_s(double v) { return {v * 1e9}; }
    static constexpr bandwidth from_gib_per_s(double v) { return {v * 1073741824.0}; }
    constexpr double gb_per_s() const { return bytes_per_s * 1e-9; }
    constexpr double gib_per_s() const { return bytes_per_s / 1073741824.0; }
    friend constexpr auto operator<=>(bandwidth, bandwidth) = default;
    // The time n bytes take at this rate, to the nearest picosecond.
    sim_time time_of(bytes n) const { return sim_time::from_seconds(static_cast<double>(n.count) / bytes_per_s); }
};

// Why a text is not a value of the wanted unit.
enum class unit_error { none, not_a_number, missing_unit, unknown_unit, not_whole, negative, too_large };

template <class T> struct parsed {
    T value{};
    unit_error error = unit_error::none;
    explicit operator bool() const { return error == unit_error::none; }
};

// Text to value: "300MiB", "64GB/s", "5000cycles", "1.4GHz", "1.8us". A space before the unit is accepted;
// "0" alone needs no unit. bytes and cycles must come out whole, sim_time is rounded to the picosecond.
template <class T> parsed<T> parse_unit(std::string_view text);
template <> parsed<bytes> parse_unit<bytes>(std::string_view);
template <> parsed<bandwidth> parse_unit<bandwidth>(std::string_view);
template <> parsed<cycles> parse_unit<cycles>(std::string_view);
template <> parsed<frequency> parse_unit<frequency>(std::string_view);
template <> parsed<sim_time> parse_unit<sim_time>(std::string_view);

// The accepted forms, for messages: "a size such as 300MiB or 64kB".
template <class T> std::string_view unit_hint();
template <> std::string_view unit_hint<bytes>();
template <> std::string_view unit_hint<bandwidth>();
template <> std::string_view unit_hint<cycles>();
template <> std::string_view unit_hint<frequency>();
template <> std::string_view unit_hint<sim_time>();

// The units parse_unit takes: "B, kB, MB".
template <class T> std::string unit_names();
template <> std::string unit_names<bytes>();
template <> std::string unit_names<bandwidth>();
template <> std::string unit_names<cycles>();
template <> std::string unit_names<frequency>();
template <> std::string unit_names<sim_time>();

// For messages, with four digits: "1.235us".
std::string rounded_text(sim_time);

// Value to the shortest text that parses back to exactly the same value.
std::string to_text(bytes);
std::string to_text(bandwidth);
std::string to_text(cycles);
std::string to_text(frequency);
std::string to_text(sim_time);

}  // namespace contraflow::core
