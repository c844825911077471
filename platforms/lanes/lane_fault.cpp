// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_fault.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/counted.h"
#include "net/network.h"

namespace contraflow::lanes {

void lane_fault::describe(config::fields<lane_fault>& f) {
    f("link", &lane_fault::link).required().text("its name, such as link0, or link0_1 where links join sockets");
    f("direction", &lane_fault::direction)
        .text("a_to_b: away from the socket, or from the one with the lower number; a lane that serves it then");
    f("at", &lane_fault::at).required().text("when");
}

void check(const std::vector<lane_fault>& faults, const std::vector<std::string>& links,
           const std::function<config::location(const std::string& path)>& where, config::diagnostics& diag) {
    for (std::size_t i = 0; i < faults.size(); ++i) {
        const auto& name = faults[i].link;
        const auto at = where(fmt::format("lane_faults[{}].link", i));
        if (links.empty()) {
            diag.error(at, "a single socket has no links", "lane_faults=[]");
        } else if (std::find(links.begin(), links.end(), name) == links.end()) {
            diag.error(at, fmt::format("there is no link {}", config::quoted(name)),
                       config::did_you_mean(name, links, fmt::format("links: {}", fmt::join(links, ", "))));
        }
    }
}

void fail_lane(const net::network* network, const lane_fault& f) {
    if (network == nullptr) return;
    for (const auto& l : network->links())
        if (l->name() == f.link) l->fail_lane(f.direction);
}

void tell_faults(const std::vector<lane_fault>& faults, const std::vector<link_result>& links, const std::string& what,
                 face::report_data& report) {
    std::uint64_t failed = 0;
    for (const auto& l : links) {
        failed += l.failed_lanes;
        if (l.failed_lanes > 0)
            report.headline.push_back(fmt::format("{}: {} of {} failed, {} sent again", what,
                                                  core::counted(l.failed_lanes, "lane"), l.name,
                                                  core::counted(l.resent, "packet")));
    }
    if (failed < faults.size())
        report.warnings.push_back(
            fmt::format("{}: {} of {} lane faults came to nothing: the run had ended, or no lane was left", what,
                        faults.size() - failed, faults.size()));
}

void mark_faults(face::chart& chart, std::vector<lane_fault> faults, const link_result& l, core::sim_time end) {
    std::erase_if(faults, [&](const lane_fault& f) { return f.link != l.name || f.at >= end; });
    std::stable_sort(faults.begin(), faults.end(), [](const auto& x, const auto& y) { return x.at < y.at; });
    faults.resize(std::min<std::size_t>(faults.size(), l.failed_lanes));
    for (const auto& f : faults)
        chart.moments.push_back(
            {f.at.seconds() * 1e6,
             fmt::format("a lane {} fails", l.directions[f.direction == link::direction::ab ? 0 : 1].name)});
    if (!faults.empty()) chart.note += ", or a lane's failure";
}

}  // namespace contraflow::lanes
