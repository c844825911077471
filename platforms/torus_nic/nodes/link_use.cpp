// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/nodes/link_use.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::torus_nic {

double busiest(const std::vector<link_use>& links) {
    double most = 0;
    for (const link_use& l : links) most = std::max(most, l.busy);
    return most;
}

void link_meter::begin(core::sim_time now) {
    begin_ = now;
    before_.clear();
    for (const auto* l : links_) before_.push_back(l->statistics().words.value());
}

void link_meter::end(core::sim_time now) {
    time_ = now - begin_;
    words_.clear();
    for (std::size_t i = 0; i < links_.size(); ++i)
        words_.push_back(links_[i]->statistics().words.value() - before_[i]);
}

std::vector<link_use> link_meter::result(core::sim_time word_time) const {
    std::vector<link_use> all;
    if (words_.empty() || time_.ps == 0) return all;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const auto& at = links_[i]->where();
        const double busy =
            static_cast<double>(words_[i]) * static_cast<double>(word_time.ps) / static_cast<double>(time_.ps);
        all.push_back({at.node, net::direction_name(at.dimension, at.positive), std::min(1.0, busy)});
    }
    return all;
}

face::chart heat_map(const std::vector<link_use>& links, const std::string& id, const std::string& when) {
    face::chart c;
    c.id = id;
    c.title = fmt::format("How busy links are {}, by node and direction", when);
    c.type = face::chart::kind::heat;
    c.x = {"node", ""};
    c.y = {"busy", "%"};
    unsigned last = 0;
    std::vector<std::string> directions;
    for (const link_use& l : links) {
        last = std::max(last, l.node);
        if (std::find(directions.begin(), directions.end(), l.direction) == directions.end())
            directions.push_back(l.direction);
    }
    std::sort(directions.begin(), directions.end());
    for (const std::string& d : directions) {
        face::point_series s{d, {}};
        for (const link_use& l : links)
            if (l.direction == d) s.points.emplace_back(l.node, l.busy * 100);
        std::sort(s.points.begin(), s.points.end());
        s.points.emplace_back(last + 1, 0.0);  // where the last cell ends
        c.series.push_back(std::move(s));
    }
    c.note = "share of the words that a link could carry; nodes are numbered along the first dimension first";
    return c;
}

nlohmann::ordered_json as_json(const std::vector<link_use>& links) {
    auto list = nlohmann::ordered_json::array();
    for (const link_use& l : links) list.push_back({{"node", l.node}, {"direction", l.direction}, {"busy", l.busy}});
    return list;
}

}  // namespace contraflow::torus_nic
