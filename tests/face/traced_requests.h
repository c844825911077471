// SPDX-License-Identifier: Apache-2.0
// The line requests of a trace.json: each with its stages in order.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

namespace contraflow::test {

struct traced_stage {
    std::string name, part;  // "l2", and the row in which it is, "gpu1.l2_0", without the number of a further row
    double begin_us = 0, us = 0;
};
struct traced_request {
    std::string name;  // "remote load"
    std::vector<traced_stage> stages;
    double us() const {
        double sum = 0;
        for (const traced_stage& s : stages) sum += s.us;
        return sum;
    }
};

// Those whose name ends in that way.
inline std::vector<traced_request> traced_requests(const nlohmann::json& trace, std::string_view ending) {
    using row = std::pair<int, int>;
    std::map<row, std::string> parts;
    std::map<std::tuple<row, double>, std::pair<std::string, double>> slices;
    std::map<std::string, std::pair<std::string, std::vector<std::tuple<row, double>>>> flows;
    for (const auto& e : trace) {
        const row at{e["pid"], e.value("tid", 0)};
        const std::string phase = e["ph"];
        if (phase == "M" && e["name"] == "thread_name") {
            const std::string name = e["args"]["name"];
            parts[at] = name.substr(0, name.find(" ("));
        }
        if (phase == "X") slices[{at, e["ts"]}] = {e["name"], e["dur"]};
        if (phase == "s" && std::string(e["name"]).ends_with(ending)) flows[e["id"].dump()].first = e["name"];
        if (phase != "t") continue;
        if (const auto flow = flows.find(e["id"].dump()); flow != flows.end())
            flow->second.second.emplace_back(at, e["ts"]);
    }
    std::vector<traced_request> all;
    for (const auto& [id, flow] : flows) {
        traced_request& r = all.emplace_back(traced_request{flow.first, {}});
        for (const auto& step : flow.second) {
            const auto& [name, us] = slices.at(step);
            r.stages.push_back({name, parts[std::get<row>(step)], std::get<double>(step), us});
        }
    }
    return all;
}

}  // namespace contraflow::test
