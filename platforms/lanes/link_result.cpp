// SPDX-License-Identifier: Apache-2.0
#include "lanes/link_result.h"

#include <algorithm>
#include <numeric>

#include "link/reversible_link.h"
#include "net/network.h"

namespace contraflow::lanes {
namespace {

// The amounts of a series by windows of that width, a multiple of its own.
std::vector<double> amounts(const observe::series& s, core::sim_time width) {
    std::vector<double> all;
    for (const auto& p : s.points()) {
        const auto i = static_cast<std::size_t>(p.begin.ps / width.ps);
        all.resize(std::max(all.size(), i + 1));
        all[i] += p.amount;
    }
    return all;
}

// For a chart: merges windows to limit the number of points. The last window counts only up to the end of the run.
std::vector<std::pair<double, double>> by_time(const observe::series& s, double unit, core::sim_time end) {
    constexpr std::uint64_t most_points = 500;
    core::sim_time width = s.window();
    while (end.ps / width.ps > most_points) width = width * 2;
    std::vector<std::pair<double, double>> points;
    core::sim_time begin{};
    for (const double amount : amounts(s, width)) {
        if (begin >= end) break;
        points.emplace_back(begin.seconds() * 1e6, amount * unit / std::min(width, end - begin).seconds() * 1e-9);
        begin += width;
    }
    return points;
}

// Bytes of one lane in a picosecond.
double bytes_a_lane_ps(const link::reversible_link& l) { return l.configuration().lane_rate.bytes_per_s * 1e-12; }

void add_saturation(const link::reversible_link& l, core::sim_time end, link_result& to) {
    const auto& ab = l.statistics(link::direction::ab);
    const auto& ba = l.statistics(link::direction::ba);
    core::sim_time width{};
    for (const auto* s : {&ab.wire_series, &ab.lane_series, &ba.wire_series, &ba.lane_series})
        width = std::max(width, s->window());
    const double bytes = bytes_a_lane_ps(l);
    const double saturation = l.configuration().lanes.saturation / 100.0;
    const auto is_saturated = [&](const std::vector<double>& wire, const std::vector<double>& lanes, std::size_t i) {
        return i < wire.size() && i < lanes.size() && wire[i] >= saturation * lanes[i] * bytes;
    };
    const auto wire_ab = amounts(ab.wire_series, width), lanes_ab = amounts(ab.lane_series, width);
    const auto wire_ba = amounts(ba.wire_series, width), lanes_ba = amounts(ba.lane_series, width);
    std::size_t i = 0;
    for (core::sim_time begin{}; begin < end; begin += width, ++i) {
        const int saturated =
            (is_saturated(wire_ab, lanes_ab, i) ? 1 : 0) + (is_saturated(wire_ba, lanes_ba, i) ? 1 : 0);
        const core::sim_time length = std::min(width, end - begin);
        to.saturated[static_cast<std::size_t>(2 - saturated)] += length;
        if (saturated == 1) to.one_way.push_back({begin, begin + length});
    }
}

direction_result summarise(const link::reversible_link& l, link::direction d, std::string name, core::sim_time end) {
    const auto& s = l.statistics(d);
    direction_result r;
    r.name = std::move(name);
    r.payload_bytes = s.payload.value();
    r.wire_bytes = s.wire.value();
    r.utilisation =
        s.available.value() == 0 ? 0 : static_cast<double>(s.busy.value()) / static_cast<double>(s.available.value());
    r.rate = by_time(s.wire_series, 1, end);
    r.limit = by_time(s.lane_series, bytes_a_lane_ps(l), end);  // the capacity of these lanes
    return r;
}

}  // namespace

link_result result_of(const link::reversible_link& l, core::sim_time end) {
    const auto& s = l.statistics();
    link_result r;
    r.name = l.name();
    r.directions = {summarise(l, link::direction::ab, "a to b", end), summarise(l, link::direction::ba, "b to a", end)};
    r.turns = s.turns.value();
    r.failed_lanes = s.failed_lanes.value();
    r.windows = s.saturated_both.value() + s.saturated_one.value() + s.saturated_none.value();
    r.one_way_windows = s.saturated_one.value();
    for (const auto d : link::both_directions) r.resent += l.statistics(d).resent.value();
    add_saturation(l, end, r);
    r.energy = l.energy();
    return r;
}

std::vector<link_result> results_of(const net::network* network, core::sim_time end) {
    std::vector<link_result> all;
    if (network != nullptr)
        for (const auto& l : network->links()) all.push_back(result_of(*l, end));
    return all;
}

std::uint64_t payload_of(const std::vector<link_result>& links, link::direction d) {
    const std::size_t which = d == link::direction::ab ? 0 : 1;
    return std::accumulate(links.begin(), links.end(), std::uint64_t{0}, [which](std::uint64_t sum, const auto& l) {
        return sum + l.directions[which].payload_bytes;
    });
}

std::uint64_t turns_of(const std::vector<link_result>& links) {
    return std::accumulate(links.begin(), links.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const link_result& l) { return sum + l.turns; });
}

double joule_of(const std::vector<link_result>& links) {
    return std::accumulate(links.begin(), links.end(), 0.0,
                           [](double sum, const link_result& l) { return sum + l.energy.total(); });
}

std::array<double, 3> saturation_of(const std::vector<link_result>& links) {
    std::array<double, 3> shares{};
    double all = 0;
    for (const auto& l : links)
        for (std::size_t i = 0; i < shares.size(); ++i) {
            shares[i] += l.saturated[i].seconds();
            all += l.saturated[i].seconds();
        }
    for (double& s : shares) s = all == 0 ? 0 : s / all;
    return shares;
}

core::sim_time one_way_somewhere(const std::vector<link_result>& links) {
    std::vector<time_span> all;
    for (const auto& l : links) all.insert(all.end(), l.one_way.begin(), l.one_way.end());
    std::sort(all.begin(), all.end(), [](const time_span& a, const time_span& b) { return a.begin < b.begin; });
    core::sim_time time{}, counted{};  // up to `counted`
    for (const time_span& s : all) {
        if (s.end <= counted) continue;
        time += s.end - std::max(s.begin, counted);
        counted = s.end;
    }
    return time;
}

double amdahl_of_turning(double share_one_way, const link::lane_spec& lanes) {
    const double fixed = lanes.lanes_per_direction, most = 2 * fixed - lanes.min_lanes;
    return 1 / (1 - share_one_way * (1 - fixed / most));
}

}  // namespace contraflow::lanes
