// SPDX-License-Identifier: Apache-2.0
#include "validate/pcie_tree/sensitivity.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "validate/pcie_tree/pcie_setup.h"

namespace contraflow::validate {
namespace {

constexpr core::bytes sensitivity_size = mib * 2;

// A value by a parameter, for the root complex as it is and for one that cuts nothing.
struct curves {
    std::vector<double> at, cuts, cuts_not;
};

template <class Set> curves curves_by(const std::vector<double>& at, const tlm_outcome& value, Set set) {
    curves c{at, {}, {}};
    for (const double x : at) {
        pcie::fabric_spec s;
        set(s, x);
        c.cuts.push_back(value(s, sensitivity_size));
        s.root_complex_payload = s.max_payload;
        c.cuts_not.push_back(value(s, sensitivity_size));
    }
    return c;
}

face::chart chart_of(const curves& c, std::string id, std::string title, face::axis x, const std::string& outcome) {
    face::chart chart;
    chart.id = std::move(id);
    chart.title = std::move(title);
    chart.type = face::chart::kind::line;
    chart.x = std::move(x);
    chart.y = {outcome, "x"};
    chart.series = {{"the root complex cuts TLPs", {}}, {"it cuts none", {}}};
    for (std::size_t i = 0; i < c.at.size(); ++i) {
        chart.series[0].points.emplace_back(c.at[i], c.cuts[i]);
        chart.series[1].points.emplace_back(c.at[i], c.cuts_not[i]);
    }
    return chart;
}

std::string list_of(const std::vector<double>& values, const char* form) {
    std::string text;
    for (const double v : values) text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(form), v);
    return text;
}

}  // namespace

sensitivity sensitivity_of(const std::string& row, const std::string& outcome, const tlm_outcome& value) {
    const curves buffers =
        curves_by({1600, 3072, 3200, 3328, 6400, 12800}, value,
                  [](pcie::fabric_spec& s, double bytes) { s.posted_data = {static_cast<std::uint64_t>(bytes)}; });
    const curves latencies = curves_by({0, 75, 150, 300, 600}, value, [](pcie::fabric_spec& s, double ns) {
        s.root_complex_latency = core::sim_time::from_ns(static_cast<std::uint64_t>(ns));
    });
    const curves payloads = curves_by({128, 256, 512}, value, [](pcie::fabric_spec& s, double bytes) {
        s.max_payload = {static_cast<std::uint64_t>(bytes)};
    });
    sensitivity s;
    s.text = fmt::format(
        "With receive buffers of {} B: {} (without the cutting: {}). With {} ns of the root complex: {} (without: {}). "
        "With payloads of {} B: {} (without: {}).",
        list_of(buffers.at, "{}"), list_of(buffers.cuts, "{:.2f}"), list_of(buffers.cuts_not, "{:.2f}"),
        list_of(latencies.at, "{}"), list_of(latencies.cuts, "{:.2f}"), list_of(latencies.cuts_not, "{:.2f}"),
        list_of(payloads.at, "{}"), list_of(payloads.cuts, "{:.3f}"), list_of(payloads.cuts_not, "{:.3f}"));
    s.section = {"sensitivity-" + row, row + ": what it depends on", {}};
    s.section.items.emplace_back(chart_of(buffers, row + "-buffers", "By receive buffer of a gen3 x16 port",
                                          {"receive buffer for writes", "B", true}, outcome));
    s.section.items.emplace_back(
        chart_of(latencies, row + "-latency", "By latency of the root complex", {"latency", "ns"}, outcome));
    s.section.items.emplace_back(chart_of(payloads, row + "-payload", "By payload of a write, with the usual buffers",
                                          {"payload", "B", true}, outcome));
    return s;
}

}  // namespace contraflow::validate
