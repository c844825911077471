// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/search_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pcie_study/time_scale.h"

namespace contraflow::pcie_study {
namespace {

constexpr std::size_t curve_points = 512;
constexpr std::size_t histogram_bins = 40;

std::string count_text(double n) {
    if (n >= 1e15) return fmt::format("{:.2g}", n);
    std::string digits = fmt::format("{:.0f}", n);
    for (std::ptrdiff_t i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
        digits.insert(static_cast<std::size_t>(i), 1, ',');
    return digits;
}

std::string round_text(const search_view& v, std::size_t round) {
    std::string text;
    for (std::size_t s = 0; s < v.problem.size(); ++s) {
        if (round >= v.result.fastest.order[s].size()) continue;
        const auto& send = v.problem[s].sends[v.result.fastest.order[s][round]];
        text += fmt::format("{}{} \u2192 {}", text.empty() ? "" : ",  ", v.tree[v.problem[s].from].name,
                            v.tree[send.to].name);
    }
    return text;
}

face::table summary(const search_view& v) {
    const auto& r = v.result;
    const time_scale in = scale_of(r.fastest.time_s);
    face::table t;
    t.id = "search-summary";
    t.title = "Orders of sends";
    t.columns = {{"order", ""}, {"time", in.unit}, {"over the fastest", "x"}};
    const auto add = [&](const char* name, double time_s) {
        t.rows.push_back({std::string(name), time_s * in.per_s, time_s / r.fastest.time_s});
    };
    if (!r.proven && r.bound_s > 0)
        t.rows.push_back({std::string("no order is faster than"), r.bound_s * in.per_s, r.bound_s / r.fastest.time_s});
    add(r.proven ? "fastest" : "fastest found", r.fastest.time_s);
    if (r.curve.orders() != 0) add(r.exhaustive ? "median" : "median of a sample", r.curve.median());
    add("as configured", v.configured_s);
    if (r.curve.orders() != 0)
        add(r.exhaustive ? "slowest" : "slowest of a sample with the configured order", r.slowest.time_s);
    if (r.exhaustive)
        t.note = fmt::format("{} orders, all tried; {} within 1 % of the fastest", count_text(r.orders),
                             count_text(static_cast<double>(r.curve.within(0.01))));
    else
        t.note = fmt::format("{} orders, too many to try; {} simulated; the fastest found is {}", count_text(r.orders),
                             count_text(static_cast<double>(r.simulated)),
                             r.proven ? "proven to be the fastest"
                                      : fmt::format("within {:.1f} % of the best possible", r.gap() * 100));
    if (r.without_progress != 0) t.note += fmt::format("; {} never end by the published rules", r.without_progress);
    return t;
}

face::chart curve(const search_view& v) {
    const auto& r = v.result;
    const time_scale in = scale_of(r.fastest.time_s);
    face::chart c;
    c.id = "search-curve";
    c.title = r.exhaustive ? "All orders, from the fastest to the slowest"
                           : "A sample of orders, from the fastest to the slowest";
    c.type = face::chart::kind::line;
    c.x = {"orders that are at least as fast", "%"};
    c.y = {"time of the exchange", in.unit};
    face::point_series s{"orders", {}};
    const auto times = r.curve.sampled(curve_points);
    for (std::size_t i = 0; i < times.size(); ++i)
        s.points.emplace_back(times.size() < 2 ? 0
                                               : 100.0 * static_cast<double>(i) / static_cast<double>(times.size() - 1),
                              times[i] * in.per_s);
    c.series.push_back(std::move(s));
    c.marks.push_back({0, r.fastest.time_s * in.per_s, "chosen: fastest"});
    c.marks.push_back({100.0 * (static_cast<double>(r.curve.within(v.configured_s / r.curve.fastest() - 1 + 1e-9)) /
                                static_cast<double>(r.curve.orders())),
                       v.configured_s * in.per_s, "as configured"});
    return c;
}

face::chart histogram(const search_view& v) {
    const time_scale in = scale_of(v.result.fastest.time_s);
    face::chart c;
    c.id = "search-histogram";
    c.title = "How many orders take how long";
    c.type = face::chart::kind::bar;
    c.x = {"time of the exchange", in.unit};
    c.y = {"orders", ""};
    face::point_series s{"orders", {}};
    for (const auto& bin : v.result.curve.histogram(histogram_bins))
        s.points.emplace_back((bin.from_s + bin.to_s) / 2 * in.per_s, static_cast<double>(bin.orders));
    c.series.push_back(std::move(s));
    return c;
}

}  // namespace

searchable order_problem_of(const std::vector<pcie::model::communication>& communications) {
    searchable s;
    for (const auto& c : communications) {
        if (c.start_s != 0) {
            s.obstacle = fmt::format("'{}' starts later than the others", c.name);
            return s;
        }
        auto at = std::find_if(s.problem.begin(), s.problem.end(), [&](const auto& p) { return p.from == c.from; });
        if (at == s.problem.end()) at = s.problem.insert(s.problem.end(), {c.from, {}});
        at->sends.push_back({c.to, c.size});
    }
    std::sort(s.problem.begin(), s.problem.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
    if (s.problem.size() > 64) s.obstacle = "more than 64 sources";
    for (const auto& p : s.problem)
        if (p.sends.size() > 63) s.obstacle = "a source with more than 63 sends";
    if (s.obstacle.empty() &&
        std::all_of(s.problem.begin(), s.problem.end(), [](const auto& p) { return p.sends.size() == 1; }))
        s.obstacle = "no source has more than one send";
    else if (s.obstacle.empty() && count_orders(s.problem) == 1u)
        s.obstacle = "the sends of each source are all alike, so every order is the same";
    return s;
}

face::section search_section(const search_view& view) {
    face::section s{"search", "In which order to send", {}};
    s.items.emplace_back(summary(view));
    if (view.result.curve.orders() != 0) {
        s.items.emplace_back(curve(view));
        s.items.emplace_back(histogram(view));
    }
    return s;
}

face::section best_order_section(const search_view& v) {
    face::section section{"best-order", "What to do", {}};
    std::size_t rounds = 0;
    for (const auto& o : v.result.fastest.order) rounds = std::max(rounds, o.size());
    face::steps steps{"best-order-rounds",
                      "The fastest order by the closed form, send by send",
                      {},
                      "Each GPU issues its sends in this order, the next as soon as the one before has ended; no "
                      "barrier between rounds."};
    for (std::size_t k = 0; k < rounds;) {
        const std::string text = round_text(v, k);
        std::size_t next = k + 1;
        while (next < rounds && round_text(v, next) == text) ++next;
        steps.items.push_back(next == k + 1 ? text : fmt::format("{} ({} times)", text, next - k));
        k = next;
    }
    section.items.emplace_back(std::move(steps));
    face::table t;
    t.id = "best-order-sources";
    t.title = "The same by source";
    t.columns = {{"source", ""}, {"fastest: sends to", ""}, {"slowest: sends to", ""}};
    const auto list = [&](std::size_t s, const std::vector<std::uint32_t>& order) {
        std::string text;
        for (std::size_t i = 0; i < order.size();) {
            const std::string& to = v.tree[v.problem[s].sends[order[i]].to].name;
            std::size_t next = i + 1;
            while (next < order.size() && v.tree[v.problem[s].sends[order[next]].to].name == to) ++next;
            text +=
                fmt::format("{}{}{}", text.empty() ? "" : ", ", to, next == i + 1 ? "" : fmt::format(" x{}", next - i));
            i = next;
        }
        return text;
    };
    for (std::size_t s = 0; s < v.problem.size(); ++s)
        t.rows.push_back({v.tree[v.problem[s].from].name, list(s, v.result.fastest.order[s]),
                          v.result.slowest.order.empty() ? std::string("-") : list(s, v.result.slowest.order[s])});
    section.items.emplace_back(std::move(t));
    return section;
}

nlohmann::ordered_json search_results(const search_view& v) {
    const auto& r = v.result;
    const auto order = [&](const pcie::model::timed_order& o) {
        nlohmann::ordered_json sources = nlohmann::ordered_json::object();
        for (std::size_t s = 0; s < o.order.size(); ++s) {
            auto& list = sources[v.tree[v.problem[s].from].name] = nlohmann::ordered_json::array();
            for (const auto i : o.order[s]) list.push_back(v.tree[v.problem[s].sends[i].to].name);
        }
        return nlohmann::ordered_json{{"time_ms", o.time_s * 1e3}, {"sends", sources}};
    };
    nlohmann::ordered_json j{{"orders", r.orders},
                             {"exhaustive", r.exhaustive},
                             {"proven", r.proven},
                             {"bound_ms", r.bound_s * 1e3},
                             {"configured_ms", v.configured_s * 1e3},
                             {"fastest", order(r.fastest)}};
    if (r.curve.orders() != 0) {
        j["median_ms"] = r.curve.median() * 1e3;
        j["slowest"] = order(r.slowest);
        j["within_1_percent"] = r.curve.within(0.01);
    }
    return j;
}

}  // namespace contraflow::pcie_study
