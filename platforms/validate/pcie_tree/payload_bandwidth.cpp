// SPDX-License-Identifier: Apache-2.0
// B: the payload bandwidth of a Gen3 x16 link in TLM, by payload size.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "validate/pcie_tree/pcie_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr std::array<std::uint64_t, 4> payloads{64, 128, 256, 512};
constexpr double published = 11.6;
constexpr core::bytes stream_size = mib * 16;

double bandwidth_gib(const run_environment& environment, const pcie::fabric_spec& spec) {
    const auto& tree = shipped_tree("t2");
    const double s = tlm_times(tree, {send(tree, 0, 1, stream_size)}, environment, spec).front();
    return core::bandwidth{static_cast<double>(stream_size.count) / s}.gib_per_s();
}

// The bars of one buffer size, one per payload.
std::vector<double> by_payload(const run_environment& environment, pcie::fabric_spec spec) {
    std::vector<double> found;
    for (const auto payload : payloads) {
        spec.max_payload = {payload};
        found.push_back(bandwidth_gib(environment, spec));
    }
    return found;
}

face::chart payload_chart(const std::vector<std::pair<std::string, std::vector<double>>>& bars) {
    face::chart chart;
    chart.id = "payload";
    chart.title = "Effective bandwidth of Gen3 x16 in TLM";
    chart.type = face::chart::kind::bar;
    chart.x = {"payload of a TLP", "B"};
    chart.y = {"bandwidth", "GiB/s"};
    for (const auto payload : payloads) chart.categories.push_back(std::to_string(payload));
    for (const auto& [name, values] : bars) {
        chart.series.push_back({name, {}});
        for (std::size_t i = 0; i < values.size(); ++i)
            chart.series.back().points.emplace_back(static_cast<double>(i), values[i]);
    }
    return chart;
}

}  // namespace

measurement default_bandwidth(const run_environment& environment) {
    const pcie::fabric_spec spec;
    return {
        {bandwidth_gib(environment, spec)},
        fmt::format("TLM on T2, 0->1 alone, {}, posted writes of {}. Receive buffers are those of real ports and do "
                    "not bind.",
                    core::to_text(stream_size), core::to_text(spec.max_payload)),
        "The published value is an input of the closed form. What else the measured link lost is not known.",
        {}};
}

measurement bandwidth_by_payload(const run_environment& environment) {
    pcie::fabric_spec small;
    small.posted_data = {3200};
    const auto ample = by_payload(environment, {});
    const auto held = by_payload(environment, small);
    const auto nearest = std::min_element(ample.begin(), ample.end(), [](double a, double b) {
        return std::abs(a - published) < std::abs(b - published);
    });
    measurement m;
    m.values = ample;
    m.how = fmt::format("TLM on T2, 0->1 alone, {}, posted writes of 64, 128, 256 and 512 bytes, receive buffers of "
                        "real ports: raw rate less headers, framing, LCRC and DLLPs. {} B comes nearest, by {:+.1f} %.",
                        core::to_text(stream_size), payloads[static_cast<std::size_t>(nearest - ample.begin())],
                        (*nearest / published - 1) * 100);
    m.reason = "The published value is an input of the closed form.";
    m.details.push_back({"payload",
                         "B: effective bandwidth",
                         {payload_chart({{"buffers of real ports", ample},
                                         {"buffers of " + core::to_text(small.posted_data), held}})}});
    return m;
}

}  // namespace contraflow::validate
