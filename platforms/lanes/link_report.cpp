// SPDX-License-Identifier: Apache-2.0
#include "lanes/link_report.h"

#include <fmt/format.h>

namespace contraflow::lanes {

face::chart bandwidth_chart(const link_result& l, const std::string& id) {
    face::chart c;
    c.id = fmt::format("{}-{}", id, l.name);
    c.title = fmt::format("{}: bandwidth by direction, and the capacity of its lanes", l.name);
    c.type = face::chart::kind::step;
    c.x = {"time", "us"};
    c.y = {"bandwidth", "GB/s"};
    for (const auto& d : l.directions) {
        c.series.push_back({d.name, d.rate});
        c.series.push_back({fmt::format("lanes {}", d.name), d.limit});
    }
    return c;
}

nlohmann::ordered_json json_of(const std::vector<link_result>& links) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& l : links)
        all.push_back({{"name", l.name},
                       {"a_to_b_bytes", l.directions[0].payload_bytes},
                       {"b_to_a_bytes", l.directions[1].payload_bytes},
                       {"turns", l.turns},
                       {"energy_mj", l.energy.total() * 1e3},
                       {"area_mm2", l.energy.area}});
    return all;
}

face::table link_table(const std::vector<links_of_run>& runs, const std::string& id) {
    constexpr std::size_t most_links_on_terminal = 6;
    face::table t;
    t.id = id + "-links";
    t.title = "Links, by direction";
    t.columns = {{"links", ""}, {"link", ""},  {"a to b", "MB"},       {"busy", "%"},         {"b to a", "MB"},
                 {"busy", "%"}, {"turns", ""}, {"transferring", "mJ"}, {"switched on", "mJ"}, {"area", "mm2"}};
    for (const auto& run : runs)
        for (const auto& l : run.links) {
            const auto& [ab, ba] = l.directions;
            t.rows.push_back({run.name, l.name, static_cast<double>(ab.payload_bytes) * 1e-6, ab.utilisation * 100,
                              static_cast<double>(ba.payload_bytes) * 1e-6, ba.utilisation * 100,
                              static_cast<std::int64_t>(l.turns), l.energy.transferred * 1e3,
                              l.energy.switched_on * 1e3, l.energy.area});
        }
    t.note =
        "busy: of the lane-time that served the direction; energy and area of the wires: 0.5 pJ/b, and for 8 lanes "
        "3.3 mm2 and 1.5 W at 25 Gb/s, more in proportion to the rate; twice as much if they can turn, because "
        "such a lane has a transmitter and a receiver at both ends";
    t.on_terminal = !runs.empty() && runs.front().links.size() <= most_links_on_terminal;
    return t;
}

}  // namespace contraflow::lanes
