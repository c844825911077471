// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/model_report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "pcie_study/time_scale.h"

namespace contraflow::pcie_study {
namespace {

using pcie::model::reason;

std::string name_of(const model_view& v, std::size_t i) { return v.communications[i].name; }

double alone_s(const model_view& v, std::size_t i) {
    const auto& r = v.result.communications[i];
    return r.average_factor * r.time_s();
}

face::table communications_table(const model_view& v, const std::string& id) {
    const time_scale in = scale_of(v.result.end_s);
    const std::string unit = in.unit;
    const size_scale size = scale_of(v.communications);
    face::table t;
    t.id = id + "-communications";
    t.title = "Communications";
    const auto& tree = v.net.tree();
    const auto ends = [&](const pcie::model::communication& c) {
        return fmt::format("{}->{}", tree[c.from].name, tree[c.to].name);
    };
    const bool names_are_ends =
        std::all_of(v.communications.begin(), v.communications.end(), [&](const auto& c) { return c.name == ends(c); });
    t.columns = {{"name", ""}};
    if (!names_are_ends) t.columns.push_back({"ends", ""});
    for (const auto& c : std::initializer_list<face::column>{{"size", size.unit},
                                                             {"start", unit},
                                                             {"waited", unit},
                                                             {"time", unit},
                                                             {"average factor", ""},
                                                             {"slowed by", "x"},
                                                             {"held back by", ""}})
        t.columns.push_back(c);
    const std::size_t shown = std::min(v.communications.size(), most_rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& c = v.communications[i];
        const auto& r = v.result.communications[i];
        std::vector<face::cell> row{c.name};
        if (!names_are_ends) row.emplace_back(ends(c));
        row.insert(row.end(), {static_cast<double>(c.size.count) / size.bytes, c.start_s * in.per_s});
        if (r.ended()) {
            row.insert(row.end(), {(r.begin_s - r.start_s) * in.per_s, r.time_s() * in.per_s, r.average_factor,
                                   1.0 / r.average_factor});
            row.emplace_back(causes_text(v.net, v.communications, r.lost));
        } else {
            row.insert(row.end(), {std::string("-"), std::string("-"), std::string("-"), std::string("-"),
                                   std::string("did not end")});
        }
        t.rows.push_back(std::move(row));
    }
    t.note = "waited: for its source, included in the time; average factor: time it would take alone on its narrowest "
             "link over the time it took; x: the factor of each cause";
    if (shown < v.communications.size())
        t.note += fmt::format("; the first {} of {} are shown", shown, v.communications.size());
    t.on_terminal = t.rows.size() <= most_rows_on_terminal;
    return t;
}

// One bar for each interval in which a communication was held back by the same cause.
face::timeline timeline_of(const model_view& v, const std::string& id) {
    const time_scale in = scale_of(v.result.end_s);
    face::timeline t;
    t.id = id + "-timeline";
    t.title = "Times of all sends, and the reasons of delays";
    t.x = {"time", in.unit};
    t.note = "One row per source; factor 1 is the full rate of the narrowest link on the path.";
    std::map<std::size_t, face::timeline_bar> open;
    std::map<std::size_t, std::string> key;
    const auto close = [&](std::size_t i) {
        t.bars.push_back(open.at(i));
        open.erase(i);
        key.erase(i);
    };
    std::vector<bool> sends(v.net.tree().size());
    for (const auto& c : v.communications) sends[c.from] = true;
    for (const pcie::node_id e : v.net.tree().endpoints())
        if (sends[e]) t.rows.push_back(v.net.tree()[e].name);
    for (const auto& step : v.result.steps) {
        for (const auto& a : step.active) {
            const auto& c = v.communications[a.communication];
            const std::string why = causes_text(v.net, v.communications, a.losses);
            const std::string what = fmt::format("factor {:.3f}: {}", a.factor, why);
            if (const auto it = key.find(a.communication); it != key.end() && it->second != what)
                close(a.communication);
            auto& bar = open[a.communication];
            if (key.find(a.communication) == key.end()) {
                const std::string category(a.losses.empty() ? "full rate" : to_text(a.losses.front().cause.why));
                bar = {v.net.tree()[c.from].name,
                       fmt::format("{} \u2192 {}", v.net.tree()[c.from].name, v.net.tree()[c.to].name),
                       category,
                       what,
                       step.from_s * in.per_s,
                       step.to_s * in.per_s};
                key[a.communication] = what;
            }
            bar.end = step.to_s * in.per_s;
        }
        std::vector<std::size_t> ended;
        for (const auto& [i, bar] : open)
            if (bar.end < step.to_s * in.per_s) ended.push_back(i);
        for (const auto i : ended) close(i);
    }
    while (!open.empty()) close(open.begin()->first);
    std::stable_sort(t.bars.begin(), t.bars.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    return t;
}

face::table steps_table(const model_view& v, const std::string& id) {
    const time_scale in = scale_of(v.result.end_s);
    face::table t;
    t.id = id + "-steps";
    t.title = "Factors by step";
    t.columns = {{"from", in.unit}, {"to", in.unit}, {"communication", ""}, {"factor", ""}, {"held back by", ""}};
    for (const auto& step : v.result.steps)
        for (const auto& a : step.active)
            t.rows.push_back({step.from_s * in.per_s, step.to_s * in.per_s, name_of(v, a.communication), a.factor,
                              causes_text(v.net, v.communications, a.losses)});
    if (v.result.step_count > v.result.steps.size())
        t.note = fmt::format("the first {} of {} steps", v.result.steps.size(), v.result.step_count);
    t.on_terminal = false;
    return t;
}

face::tree_node tree_below(const model_view& v, pcie::node_id id) {
    const auto& tree = v.net.tree();
    const auto& node = tree[id];
    face::tree_node n;
    n.name = node.name;
    n.about = node.about;
    switch (node.kind) {
    case pcie::node_kind::machine: n.kind = "machine"; break;
    case pcie::node_kind::root_complex: n.kind = "root complex"; break;
    case pcie::node_kind::pcie_switch: n.kind = "switch"; break;
    case pcie::node_kind::endpoint: n.kind = "endpoint"; break;
    }
    if (node.parent != pcie::no_node) {
        const bool socket = node.kind == pcie::node_kind::root_complex;
        n.link = socket ? to_text(tree.link_above(id)) : to_text(node.link);
        const auto load = [&](bool up, double& value, std::string& note) {
            const pcie::port_id p{id, up};
            const auto& use = v.result.ports[p.index()];
            const double could = v.net.capacity(v.net.index_of(p)) * v.net.reference().bytes_per_s * v.result.end_s;
            value = could > 0 ? static_cast<double>(use.bytes) / could : 0;
            note = fmt::format("{}: {:.1f} MiB, at most {:.0f} % of its rate at a time", tree.port_name(p),
                               static_cast<double>(use.bytes) / 1048576.0, use.peak_load * 100);
        };
        load(true, n.up_load, n.up_note);
        load(false, n.down_load, n.down_note);
        const auto limits = [&](bool up) {
            return std::find(v.limit.begin(), v.limit.end(), pcie::port_id{id, up}) != v.limit.end();
        };
        n.up_limit = limits(true);
        n.down_limit = limits(false);
    }
    for (const pcie::node_id child : node.children) n.children.push_back(tree_below(v, child));
    return n;
}

// The time lost to each reason, over all communications.
face::chart losses(const model_view& v, const std::string& id) {
    const time_scale in = scale_of(v.result.end_s);
    face::chart c;
    c.id = id + "-losses";
    c.title = "Where the time goes";
    c.type = face::chart::kind::stacked_bar;
    c.x = {"communication", ""};
    c.y = {"time", in.unit};
    const std::size_t shown = std::min<std::size_t>(v.communications.size(), 64);
    for (std::size_t i = 0; i < shown; ++i) c.categories.push_back(name_of(v, i));
    face::point_series full{"full rate", {}};  // as in the timeline, with its colour
    for (std::size_t i = 0; i < shown; ++i)
        full.points.emplace_back(static_cast<double>(i),
                                 v.result.communications[i].ended() ? alone_s(v, i) * in.per_s : 0);
    c.series.push_back(std::move(full));
    for (std::size_t why = 1; why < pcie::model::reasons; ++why) {
        face::point_series s{std::string(to_text(static_cast<reason>(why))), {}};
        for (std::size_t i = 0; i < shown; ++i)
            s.points.emplace_back(static_cast<double>(i), v.result.communications[i].lost_s[why] * in.per_s);
        c.series.push_back(std::move(s));  // empty ones too: a reason has one colour in all reports
    }
    if (shown < v.communications.size()) c.note = fmt::format("the first {} of {}", shown, v.communications.size());
    return c;
}

}  // namespace

std::string hold_text(const pcie::model::network& net, const std::vector<pcie::model::communication>& communications,
                      const pcie::model::hold& why) {
    const auto port = [&](pcie::port_id p) { return net.tree().port_name(p); };
    const auto who = [&](std::uint32_t i) {
        return i == pcie::model::nobody ? std::string("others") : communications[i].name;
    };
    switch (why.why) {
    case reason::none: break;
    case reason::source: return fmt::format("source: waits for {}", who(why.behind));
    case reason::upstream_share: return fmt::format("upstream share at {}", port(why.port));
    case reason::downstream_share: return fmt::format("downstream share at {}", port(why.port));
    case reason::root_complex: return fmt::format("root complex at {}", port(why.port));
    case reason::head_of_line:
        return fmt::format("head of line at {} behind {}, held at {}", port(why.port), who(why.behind),
                           port(why.held_at));
    }
    return "nothing";
}

face::section model_section(const model_view& view, const std::string& id, const std::string& title, detail how_much) {
    face::section s{id, title, {}};
    auto communications = communications_table(view, id);
    communications.on_terminal = communications.on_terminal && how_much == detail::whole;
    s.items.emplace_back(face::tree_view{id + "-tree", "Load of each link", tree_below(view, 0),
                                         "Share of a link's effective rate that was used, on average until the last "
                                         "send ended; up and down separately.",
                                         false});
    s.items.emplace_back(timeline_of(view, id));
    s.items.emplace_back(losses(view, id));
    s.items.emplace_back(std::move(communications));
    if (how_much == detail::whole) s.items.emplace_back(steps_table(view, id));
    return s;
}

nlohmann::ordered_json model_results(const model_view& view) {
    auto rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < view.communications.size(); ++i) {
        const auto& r = view.result.communications[i];
        nlohmann::ordered_json row{{"name", view.communications[i].name}};
        if (r.ended()) {
            row["time_ms"] = r.time_s() * 1e3;
            row["average_factor"] = r.average_factor;
            row["first_factor"] = r.first_factor;
            row["held_back_by"] = causes_text(view.net, view.communications, r.lost);
            auto& causes = row["causes"] = nlohmann::ordered_json::array();
            for (const auto& l : r.lost)
                causes.push_back({{"cause", hold_text(view.net, view.communications, l.cause)},
                                  {"times", l.times},
                                  {"lost_ms", l.lost_s * 1e3}});
        }
        rows.push_back(std::move(row));
    }
    return {{"end_ms", view.result.end_s * 1e3}, {"steps", view.result.step_count}, {"communications", rows}};
}

}  // namespace contraflow::pcie_study
