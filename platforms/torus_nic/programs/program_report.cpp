// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/programs/program_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firmware_report/firmware_section.h"

namespace contraflow::torus_nic {
namespace {

using face::us;

// In millions a second.
double rate(const program_result& r) {
    return r.time.ps == 0 ? 0 : static_cast<double>(r.counts.operations) / us(r.time);
}

// The gain of direct access, where both ways were run; otherwise each run's time.
std::string headline(const experiment& e, const std::vector<program_result>& runs) {
    const auto find = [&](program_kind k, peer_to_peer p) {
        return std::ranges::find_if(
            runs, [&](const program_result& r) { return r.program.kind == k && r.program.p2p == p && r.time.ps != 0; });
    };
    std::vector<std::string> gains, times;
    for (const program_result& r : runs) {
        times.push_back(fmt::format("{} {:.4g} us", r.program.text(), us(r.time)));
        const auto staged = find(r.program.kind, peer_to_peer::off);
        if (r.program.p2p == peer_to_peer::rx_tx && r.time.ps != 0 && staged != runs.end())
            gains.push_back(fmt::format("{} {:.2f} x", config::name_of(r.program.kind), us(staged->time) / us(r.time)));
    }
    const std::string nodes = fmt::format("{}", fmt::join(e.torus.nodes, " x "));
    if (gains.empty()) return fmt::format("torus_nic: programs on {} nodes: {}.", nodes, fmt::join(times, ", "));
    return fmt::format("torus_nic: messages from GPU to GPU make programs on {} nodes faster than messages through the "
                       "hosts' memories: "
                       "{}.",
                       nodes, fmt::join(gains, ", "));
}

}  // namespace

void fill(face::report_data& report, const experiment& e, const std::vector<program_result>& runs) {
    report.title = fmt::format("programs on {} nodes", fmt::join(e.torus.nodes, " x "));
    report.levels = levels_of(e);
    face::table t;
    t.id = "programs";
    t.title = "Programs of all nodes";
    t.columns = {{"program", ""},  {"time", "us"},     {"operations", ""},    {"what", ""},  {"rate", "millions/s"},
                 {"messages", ""}, {"payload", "KiB"}, {"busiest link", "%"}, {"result", ""}};
    t.note = "from the start on all nodes until the last one ends; each compares its result with a sequential one";
    auto& list = report.results["programs"] = nlohmann::ordered_json::array();
    face::section links{"program_links", "Links during the programs", {}};
    for (const program_result& r : runs) {
        const std::string name = r.program.text();
        t.rows.push_back({name, us(r.time), face::whole(r.counts.operations), r.operation, rate(r),
                          face::whole(r.counts.messages), static_cast<double>(r.counts.payload_bytes) / 1024,
                          busiest(r.links) * 100, runner::verdict_text(r)});
        list.push_back({{"program", config::name_of(r.program.kind)},
                        {"p2p", config::name_of(r.program.p2p)},
                        {"verdict", runner::verdict_text(r)},
                        {"time_us", us(r.time)},
                        {"operations", r.counts.operations},
                        {"operation", r.operation},
                        {"operations_per_s", rate(r) * 1e6},
                        {"messages", r.counts.messages},
                        {"payload_bytes", r.counts.payload_bytes},
                        {"callbacks", r.callbacks},
                        {"links", as_json(r.links)}});
        if (!r.links.empty())
            links.items.emplace_back(heat_map(r.links, "links-" + r.program.id(), fmt::format("during {}", name)));
    }
    report.headline.insert(report.headline.begin(), headline(e, runs));
    report.sections.push_back({"programs", "Programs", {t}});
    // The core's profile is the last program's, unless messages have shown how the core works.
    const bool shown = std::ranges::any_of(report.sections, [](const face::section& s) { return s.id == "firmware"; });
    if (!runs.empty() && runs.back().profile.packets > 0 && !shown) {
        report.sections.push_back(firmware_report::firmware_section(runs.back().profile));
        report.results["firmware"] = firmware_report::as_json(runs.back().profile);
    }
    if (!links.items.empty()) report.sections.push_back(std::move(links));
    if (!runs.empty()) add_addresses(report, runs.back());
}

}  // namespace contraflow::torus_nic
