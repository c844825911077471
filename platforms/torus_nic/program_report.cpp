// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "torus_nic/program_result.h"

namespace contraflow::torus_nic {
namespace {

std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }

// In millions a second.
double rate(const program_result& r) {
    return r.time.ps == 0 ? 0 : static_cast<double>(r.counts.operations) / us(r.time);
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
    std::vector<std::string> parts;
    for (const program_result& r : runs) {
        const std::string name = r.program.text();
        t.rows.push_back({name, us(r.time), whole(r.counts.operations), r.operation, rate(r), whole(r.counts.messages),
                          static_cast<double>(r.counts.payload_bytes) / 1024, busiest(r.links) * 100,
                          runner::verdict_text(r)});
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
        parts.push_back(fmt::format("{} {:.4g} us", name, us(r.time)));
        if (!r.links.empty())
            links.items.emplace_back(heat_map(r.links, "links-" + r.program.id(), fmt::format("during {}", name)));
    }
    report.headline.insert(
        report.headline.begin(),
        fmt::format("torus_nic: programs on {} nodes: {}.", fmt::join(e.torus.nodes, " x "), fmt::join(parts, ", ")));
    report.sections.push_back({"programs", "Programs", {t}});
    if (!links.items.empty()) report.sections.push_back(std::move(links));
}

}  // namespace contraflow::torus_nic
