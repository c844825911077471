// SPDX-License-Identifier: Apache-2.0
#include "pcie_study/tlm_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "pcie_report/address_table.h"
#include "pcie_study/time_scale.h"

namespace contraflow::pcie_study {
namespace {

double time_s(const pcie::stream& s) { return (s.finished - s.start).seconds(); }

face::table communications_table(const tlm_view& v, const std::string& id) {
    const time_scale in = scale_of(v.result.makespan_s());
    const size_scale size = scale_of(v.communications);
    face::table t;
    t.id = id + "-communications";
    t.title = "Communications, packet by packet";
    t.columns = {{"name", ""},       {"from", ""},      {"to", ""},       {"size", size.unit},
                 {"start", in.unit}, {"time", in.unit}, {"rate", "GiB/s"}};
    const std::size_t shown = std::min(v.result.streams.size(), most_rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& s = v.result.streams[i];
        const auto& c = v.communications[i];
        const double mib = static_cast<double>(s.size.count) / 1048576.0;
        std::vector<face::cell> row{s.name, v.tree[c.from].name, v.tree[c.to].name,
                                    static_cast<double>(s.size.count) / size.bytes, s.start.seconds() * in.per_s};
        if (s.done())
            row.insert(row.end(), {time_s(s) * in.per_s, mib / 1024.0 / ((s.finished - s.begun).seconds())});
        else
            row.insert(row.end(), {std::string("not ended"), std::string("-")});
        t.rows.push_back(std::move(row));
    }
    t.note = "rate: from the moment its DMA engine takes it up";
    t.on_terminal = t.rows.size() <= most_rows_on_terminal;
    return t;
}

face::table ports_table(const tlm_result& r, const std::string& id) {
    face::table t;
    t.id = id + "-ports";
    t.title = "Links, by direction";
    t.columns = {{"port", ""},
                 {"payload", "MiB"},
                 {"TLPs", ""},
                 {"DLLPs", ""},
                 {"busy", "%"},
                 {"payload of raw rate", "%"},
                 {"waiting for credits", "%"},
                 {"replayed", "TLPs"},
                 {"corrupted", "packets"}};
    for (const auto& p : r.ports)
        t.rows.push_back({p.name, static_cast<double>(p.payload_bytes) / 1048576.0, static_cast<std::int64_t>(p.tlps),
                          static_cast<std::int64_t>(p.dllps), p.utilisation * 100, p.payload_share * 100,
                          p.credit_stall * 100, static_cast<std::int64_t>(p.replayed_tlps),
                          static_cast<std::int64_t>(p.corrupted)});
    t.note = "busy: the wire carries a TLP or DLLP; waiting: a TLP is ready, the wire free, and credits lack";
    t.on_terminal = false;
    return t;
}

// Bytes that arrived at each endpoint, window by window.
face::chart delivery_chart(const tlm_view& v, const std::string& id) {
    face::chart c;
    c.id = id + "-delivery";
    c.title = "What arrives where, over time";
    c.type = face::chart::kind::line;
    c.x = {"time", "us"};
    c.y = {"rate of arrival", "GB/s"};
    for (const auto& d : v.result.delivered) {
        face::point_series s{d.endpoint, {}};
        for (const auto& [at, bytes_per_s] : d.rate) s.points.emplace_back(at.seconds() * 1e6, bytes_per_s * 1e-9);
        c.series.push_back(std::move(s));
    }
    c.note = "payload that reached each endpoint's memory";
    return c;
}

// The cost of faults: packets sent again, and their bytes on the wire.
void add_faults(const tlm_result& r, face::section& section, const std::string& id) {
    const auto hit = [](const direction_use& p) { return p.corrupted + p.replayed_tlps != 0; };
    if (std::none_of(r.ports.begin(), r.ports.end(), hit)) return;
    face::table t;
    t.id = id + "-faults";
    t.title = "Faults and their cost";
    t.columns = {{"port", ""},
                 {"corrupted", "packets"},
                 {"sent again", "TLPs"},
                 {"sent again on the wire", "kB"},
                 {"of all it sent", "%"}};
    for (const auto& p : r.ports)
        if (hit(p))
            t.rows.push_back(
                {p.name, static_cast<std::int64_t>(p.corrupted), static_cast<std::int64_t>(p.replayed_tlps),
                 static_cast<double>(p.replayed_wire_bytes) * 1e-3,
                 p.wire_bytes == 0
                     ? 0.0
                     : 100.0 * static_cast<double>(p.replayed_wire_bytes) / static_cast<double>(p.wire_bytes)});
    t.note = r.complete() ? "Everything arrived all the same, once and in order." : "As far as the run went.";
    section.items.emplace_back(std::move(t));
}

}  // namespace

face::section tlm_section(const tlm_view& view, const std::string& id, const std::string& title, detail how_much) {
    face::section s{id, title, {}};
    auto communications = communications_table(view, id);
    communications.on_terminal = communications.on_terminal && how_much == detail::whole;
    s.items.emplace_back(std::move(communications));
    s.items.emplace_back(delivery_chart(view, id));
    s.items.emplace_back(ports_table(view.result, id));
    s.items.emplace_back(pcie_report::address_table(view.result.addresses, id + "-addresses",
                                                    "Address map, as the tree was enumerated"));
    add_faults(view.result, s, id);
    return s;
}

nlohmann::ordered_json tlm_results(const tlm_result& result) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& s : result.streams) {
        nlohmann::ordered_json row{{"name", s.name}};
        if (s.done()) row["time_ms"] = time_s(s) * 1e3;
        rows.push_back(std::move(row));
    }
    return {{"end_ms", result.makespan_s() * 1e3}, {"tlp_hops", result.tlp_hops}, {"communications", rows}};
}

face::section comparison_section(const pcie::model::network& net,
                                 const std::vector<pcie::model::communication>& communications,
                                 const pcie::model::timeline_result& model, const tlm_result& tlm,
                                 const std::string& id, const std::string& title) {
    struct by_rule {
        std::size_t count = 0;
        double sum = 0, worst = 0;
    };
    std::array<by_rule, pcie::model::reasons> rules{};
    const time_scale in = scale_of(model.end_s);
    face::table t;
    t.id = id + "-difference";
    t.title = "Closed form and TLM";
    t.columns = {{"communication", ""},
                 {"closed form", in.unit},
                 {"TLM", in.unit},
                 {"difference", "%"},
                 {"rule of the closed form", ""}};
    for (std::size_t i = 0; i < communications.size(); ++i) {
        const auto& m = model.communications[i];
        const auto& s = tlm.streams[i];
        if (!m.ended() || !s.done()) continue;
        const double difference = (time_s(s) / m.time_s() - 1) * 100;
        auto& rule = rules[static_cast<std::size_t>(m.main().why)];
        ++rule.count;
        rule.sum += difference;
        if (std::abs(difference) > std::abs(rule.worst)) rule.worst = difference;
        if (t.rows.size() < most_rows)
            t.rows.push_back({communications[i].name, m.time_s() * in.per_s, time_s(s) * in.per_s, difference,
                              causes_text(net, communications, m.lost)});
    }
    t.on_terminal = t.rows.size() <= most_rows_on_terminal;
    face::table r;
    r.id = id + "-rules";
    r.title = "Where they disagree, by rule";
    r.columns = {{"rule", ""}, {"communications", ""}, {"mean difference", "%"}, {"largest", "%"}};
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (rules[i].count != 0)
            r.rows.push_back({i == 0 ? std::string("nothing held it back")
                                     : std::string(to_text(static_cast<pcie::model::reason>(i))),
                              static_cast<std::int64_t>(rules[i].count),
                              rules[i].sum / static_cast<double>(rules[i].count), rules[i].worst});
    r.note = "difference: TLM over closed form; the rule is what cost the communication most in the closed form";
    face::section section{id, title, {}};
    section.items.emplace_back(std::move(t));
    section.items.emplace_back(std::move(r));
    return section;
}

}  // namespace contraflow::pcie_study
