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

stage_bar request_stages::all(bool remote) const {
    stage_bar bar = loads[remote ? 1 : 0];
    const stage_bar& more = others[remote ? 1 : 0];
    bar.count += more.count;
    for (std::size_t s = 0; s < bar.spent.size(); ++s) bar.spent[s] += more.spent[s];
    return bar;
}

request_stages stages_of(const gpu::request_profile& p) {
    request_stages r;
    for (const bool remote : {false, true}) {
        const std::size_t where = remote ? 1 : 0;
        add(r.loads[where], p, gpu::access_kind::load, remote);
        for (const auto kind : {gpu::access_kind::store, gpu::access_kind::atomic})
            add(r.others[where], p, kind, remote);
    }
    return r;
}

std::vector<life_part> life_parts(part_grain grain) {
    using memory::stage;
    struct row {
        const char *fine, *coarse;
        std::vector<stage> stages;
    };
    static const std::vector<row> rows{
        {"unit", "unit and first level", {stage::coalescer}},
        {"L1", "unit and first level", {stage::l1}},
        {"line already asked for", "unit and first level", {stage::merge}},
        {"TLBs", "TLBs", {stage::l1_tlb, stage::l2_tlb}},
        {"walkers", "walkers", {stage::gmmu, stage::iommu, stage::page_walk}},
        {"page moving", "page moving", {stage::page_held}},
        {"crossbars", "crossbars and RDMA", {stage::crossbar, stage::response_crossbar}},
        {"waiting for a link", "waiting for a link", {stage::link_queue, stage::response_link_queue}},
        {"on a link", "on a link", {stage::link, stage::response_link}},
        {"second level", "second level and DRAM", {stage::l2, stage::remote_l2}},
        {"DRAM", "second level and DRAM", {stage::dram, stage::remote_dram}},
    };
    std::vector<life_part> parts;
    for (const row& r : rows) {
        const char* const name = grain == part_grain::fine ? r.fine : r.coarse;
        if (parts.empty() || std::string_view(parts.back().name) != name) parts.push_back({name, {}});
        parts.back().stages.insert(parts.back().stages.end(), r.stages.begin(), r.stages.end());
    }
    return parts;
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

face::chart request_chart(const std::vector<stage_bar>& runs, bool remote, const std::string& id) {
    auto parts = life_parts(part_grain::fine);
    // Without what these machines do not have: translation of addresses, and pages that move.
    std::erase_if(parts, [&](const life_part& p) {
        return std::ranges::all_of(runs, [&](const stage_bar& bar) {
            return std::ranges::all_of(p.stages,
                                       [&](memory::stage s) { return bar.spent[static_cast<std::size_t>(s)] == 0; });
        });
    });
    auto c = stage_chart(parts, runs);
    c.id = id;
    c.title = remote ? "Where requests to other sockets spend their time"
                     : "Where requests to the own socket spend their time";
    c.x = {"workload and links", ""};
    c.y = {"mean time of a request", "ns"};
    c.note = "loads, stores and atomic operations, by line; both ways; the parts of a request sum to its life exactly. "
             "All stages by themselves: statistics, requests.*.stages";
    return c;
}

namespace {

// "response_link_queue" is "link queue on the way back".
std::string words_of(memory::stage s) {
    constexpr std::string_view back = "response_";
    std::string name(memory::stage_name(s));
    if (name.starts_with(back)) name = name.substr(back.size()) + " on the way back";
    std::ranges::replace(name, '_', ' ');
    return name;
}

}  // namespace

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
        text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", words_of(static_cast<memory::stage>(order[i])),
                            share * 100);
    }
    return fmt::format("{}, other {:.0f} %", text, (1 - named) * 100);
}

}  // namespace contraflow::study
