// SPDX-License-Identifier: Apache-2.0
#include "study/stage_chart.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace contraflow::study {

void add(stage_bar& to, const gpu::request_profile& from, gpu::access_kind kind, bool remote) {
    to.count += from.count(kind, remote);
    for (std::size_t s = 0; s < memory::stage_count; ++s)
        to.spent[s] += from.spent(kind, remote, static_cast<memory::stage>(s)).ps;
}

face::chart stage_chart(const std::vector<life_part>& parts, const std::vector<stage_bar>& bars) {
    face::chart c;
    c.type = face::chart::kind::stacked_bar;
    for (const auto& part : parts) {
        face::point_series one{part.name, {}};
        for (const auto& bar : bars) {
            std::uint64_t ps = 0;
            for (const auto s : part.stages) ps += bar.spent[static_cast<std::size_t>(s)];
            const double mean = bar.count == 0 ? 0 : static_cast<double>(ps) * 1e-3 / static_cast<double>(bar.count);
            one.points.emplace_back(static_cast<double>(one.points.size()), mean);
        }
        c.series.push_back(std::move(one));
    }
    for (const auto& bar : bars) c.categories.push_back(bar.category);
    return c;
}

std::string longest_stages(const stage_bar& b, std::size_t shown) {
    const auto total = static_cast<double>(std::accumulate(b.spent.begin(), b.spent.end(), std::uint64_t{0}));
    if (total == 0) return {};
    std::array<std::size_t, memory::stage_count> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return b.spent[x] > b.spent[y]; });
    std::string text;
    double named = 0;
    for (std::size_t i = 0; i < shown; ++i) {
        const double share = static_cast<double>(b.spent[order[i]]) / total;
        named += share;
        text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ",
                            memory::stage_name(static_cast<memory::stage>(order[i])), share * 100);
    }
    return fmt::format("{}, other {:.0f} %", text, (1 - named) * 100);
}

}  // namespace contraflow::study
