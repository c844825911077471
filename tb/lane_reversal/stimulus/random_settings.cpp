// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/stimulus/random_settings.h"

#include <algorithm>
#include <array>

#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::lane_reversal {
namespace {

template <std::size_t N> std::uint32_t one_of(core::random_source& r, const std::array<std::uint32_t, N>& values) {
    return values[r.below(N)];
}

std::uint32_t sample_time(core::random_source& r) {
    constexpr std::array<std::uint32_t, 16> times{8, 8, 9, 9, 10, 11, 12, 13, 14, 16, 16, 20, 20, 50, 100, 150};
    return one_of(r, times);
}
std::uint32_t switch_time(core::random_source& r) {
    constexpr std::array<std::uint32_t, 10> times{0, 1, 1, 2, 3, 5, 8, 10, 25, 60};
    return one_of(r, times);
}
std::uint32_t drain(core::random_source& r) {
    constexpr std::array<std::uint32_t, 8> times{0, 0, 1, 1, 2, 3, 4, 9};
    return one_of(r, times);
}
std::uint32_t sync_latency(core::random_source& r) {
    constexpr std::array<std::uint32_t, 10> times{8, 8, 8, 8, 9, 9, 10, 12, 15, 28};
    return one_of(r, times);
}
std::uint32_t threshold(core::random_source& r) {
    constexpr std::array<std::uint32_t, 10> shares{99, 99, 99, 99, 99, 100, 98, 50, 75, 0};
    const auto random = static_cast<std::uint32_t>(r.below(101));
    return r.below(8) == 0 ? random : one_of(r, shares);
}
std::uint32_t min_lanes(core::random_source& r, unsigned lanes) {
    return r.below(3) == 0 ? 1 + static_cast<std::uint32_t>(r.below(lanes)) : 1;
}

}  // namespace

settings random_settings(core::random_source& r, const block_parameters& p) {
    settings s;
    s.sample_time = std::min(sample_time(r), p.longest_time());
    s.switch_time = std::min(switch_time(r), p.longest_time());
    s.drain = std::min(drain(r), p.longest_path());
    s.sync_latency = std::min(sync_latency(r), p.longest_path());
    s.threshold = threshold(r);
    s.min_lanes = min_lanes(r, p.lanes_per_direction);
    s.enable = r.below(10) != 0;
    s.guarded = r.below(2) == 0;
    return s;
}

lib::bus_access random_access(core::random_source& r, const block_parameters& p) {
    lib::bus_access a;
    a.write = r.below(2) == 0;
    a.address = r.below(10) == 0 ? static_cast<std::uint8_t>(r.next()) : map::all[r.below(map::all.size())].offset;
    a.data = static_cast<std::uint32_t>(r.next());
    // Most writes should be accepted.
    if (r.below(6) == 0) {
        a.data >>= r.below(32);
        // A long time, if accepted, would stop all activity.
        if (a.address == map::sample_time.offset || a.address == map::switch_time.offset) a.data |= 1u << 31;
        if (a.address == map::drain.offset || a.address == map::sync_latency.offset) a.data |= 1u << p.path_width;
        return a;
    }
    switch (a.address) {
    case map::ctrl.offset: a.data = r.below(4) != 0 ? 1 | (a.data & 2) : a.data & 3; break;
    case map::irq_status.offset:
    case map::irq_enable.offset: a.data &= 3; break;
    case map::sample_time.offset: a.data = sample_time(r); break;
    case map::switch_time.offset: a.data = switch_time(r); break;
    case map::drain.offset: a.data = drain(r); break;
    case map::sync_latency.offset: a.data = sync_latency(r); break;
    case map::threshold.offset: a.data = threshold(r); break;
    case map::min_lanes.offset: a.data = min_lanes(r, p.lanes_per_direction); break;
    default: break;
    }
    return a;
}

}  // namespace contraflow::lane_reversal
