// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/messages/message_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firmware_report/firmware_section.h"
#include "torus_nic/messages/published_points.h"

namespace contraflow::torus_nic {
namespace {

using config::name_of;
using face::us;

constexpr std::size_t most_rows = 400;  // limit for the table of the bus analyser

double size_of(const size_result& s) { return static_cast<double>(s.size.count); }

std::string flow_text(const experiment& e) {
    if (e.kind == experiment_kind::read) return "GPU reads, nothing leaves";
    if (e.messages.flow == message_flow::ring && e.kind == experiment_kind::bandwidth)
        return "each node to the next one";
    if (e.messages.target == 0) return "loop-back";
    return fmt::format("node 0 to node {}{}", e.messages.target,
                       e.messages.flow == message_flow::both_ways && e.kind == experiment_kind::bandwidth ? " and back"
                                                                                                          : "");
}

// ---- figures by size

face::table by_size(const std::vector<message_result>& runs, const char* id, const char* title, const char* unit,
                    double size_result::*figure, const std::string& note) {
    face::table t;
    t.id = id;
    t.title = title;
    t.columns = {{"size", ""}};
    t.note = note;
    for (const message_result& r : runs) t.columns.push_back({r.variant.text(), unit});
    for (std::size_t i = 0; i < runs.front().sizes.size(); ++i) {
        std::vector<face::cell> row{core::to_text(runs.front().sizes[i].size)};
        for (const message_result& r : runs)
            row.emplace_back(r.sizes[i].messages == 0 ? face::cell{"-"} : face::cell{r.sizes[i].*figure});
        t.rows.push_back(std::move(row));
    }
    return t;
}

face::chart over_size(const std::vector<message_result>& runs, const char* id, const char* title, face::axis y,
                      double size_result::*figure) {
    face::chart c;
    c.id = id;
    c.title = title;
    c.x = {"message size", "bytes", true};
    c.y = std::move(y);
    for (const message_result& r : runs) {
        face::point_series s{r.variant.text(), {}};
        for (const size_result& size : r.sizes)
            if (size.messages > 0) s.points.emplace_back(size_of(size), size.*figure);
        std::sort(s.points.begin(), s.points.end());
        c.series.push_back(std::move(s));
    }
    return c;
}

face::section figures(const experiment& e, const std::vector<message_result>& runs) {
    face::section s{fmt::format("{}_by_size", name_of(e.kind)),
                    fmt::format("{} by message size", e.kind == experiment_kind::latency ? "Latency" : "Bandwidth"),
                    {}};
    if (e.kind == experiment_kind::latency) {
        const bool loop_back = e.messages.target == 0;
        face::chart c =
            over_size(runs, "latency", "Latency by message size", {"latency", "us", true}, &size_result::latency_us);
        c.marks = published_points(e);
        face::chart o = over_size(runs, "overhead", "Host overhead by message size", {"overhead", "us", true},
                                  &size_result::overhead_us);
        o.marks = published_overheads(e);
        s.items = {
            by_size(runs, "latency", "Latency", "us", &size_result::latency_us,
                    loop_back ? "from the put until the program has its completion"
                              : "half a round trip between two programs, the mean of all but the first"),
            c,
            by_size(runs, "overhead", "Host overhead", "us", &size_result::overhead_us,
                    "LogP's o of a sender: from a put until the program knows that it has been sent, one message after "
                    "the other; what leaves the NIC is thrown away, so that no receiver holds it back"),
            o,
            by_size(runs, "host_time", "Of it the host's own time", "us", &size_result::host_us,
                    "the driver's, and that of copies to the host; the rest is the NIC's"),
            by_size(runs, "held_back", "Held back by the receiver", "us", &size_result::held_us,
                    fmt::format("how much longer it takes on average if messages go to the receiver, {} in a row: its "
                                "buffers take the first ones at once",
                                e.messages.repeat))};
        return s;
    }
    face::chart c =
        over_size(runs, "bandwidth", "Bandwidth by message size", {"bandwidth", "GB/s"}, &size_result::gb_per_s);
    c.marks = published_points(e);
    c.moments = published_moments(e);
    if (!c.moments.empty()) c.note = c.moments.front().label;
    s.items = {by_size(runs, "bandwidth", "Bandwidth", "GB/s", &size_result::gb_per_s,
                       e.kind == experiment_kind::read
                           ? "of messages that others come before and after, by when they have been sent"
                           : "of each flow, by completions of messages that others come before and after"),
               c};
    if (e.kind == experiment_kind::read)
        s.items.emplace_back(by_size(runs, "first", "The first message alone", "us", &size_result::first_us,
                                     "from the put until it has been sent"));
    return s;
}

face::table link_table(const std::vector<message_result>& runs) {
    face::table t;
    t.id = "nic_link";
    t.title = "Use of the NIC's PCIe link by the largest messages";
    t.columns = {{"run", ""}, {"towards the NIC", "%"}, {"from the NIC", "%"}};
    t.note = "wire bytes of TLPs and DLLPs, of what the link can carry a direction";
    for (const message_result& r : runs) t.rows.push_back({r.variant.text(), r.link_in * 100, r.link_out * 100});
    return t;
}

// ---- one message

constexpr const char* no_lookup = "; no look-up is shown of hardware, where it is part of 'packets, torus', nor of "
                                  "several packets, where look-ups overlap "
                                  "with other stages";

face::chart stages(const experiment& e, const std::vector<message_result>& runs) {
    face::chart c;
    c.id = "stages";
    c.title = fmt::format("Where the time of one message of {} goes", core::to_text(e.messages.watched));
    c.type = face::chart::kind::stacked_bar;
    c.x = {"run", ""};
    c.y = {"time", "us"};
    for (const char* const name : message_stages) c.series.push_back({name, {}});
    bool known = true;
    for (const message_result& r : runs) {
        if (!r.watched) continue;
        for (std::size_t i = 0; i < message_stages.size(); ++i)
            c.series[i].points.emplace_back(static_cast<double>(c.categories.size()), r.watched->stages_us[i]);
        c.categories.push_back(r.variant.text());
        known = known && r.watched->lookup_known;
    }
    c.note = "by what is seen on the PCIe links of both NICs; stages that overlap count until the first one ends";
    if (!known) c.note += no_lookup;
    return c;
}

// The look-up is known in messages of one packet.
bool is_known(const watched_message& w, std::size_t stage) { return w.lookup_known || stage != lookup_stage; }

face::table stage_table(const experiment& e, const std::vector<message_result>& runs) {
    face::table t;
    t.id = "stage_times";
    t.title = fmt::format("One message of {} by stage", core::to_text(e.messages.watched));
    t.columns = {{"stage", ""}};
    t.note = "by what is seen on the PCIe links of both NICs";
    if (std::ranges::any_of(runs, [](const auto& r) { return r.watched && !r.watched->lookup_known; }))
        t.note += no_lookup;
    for (const message_result& r : runs)
        if (r.watched) t.columns.push_back({r.variant.text(), "us"});
    for (std::size_t i = 0; i < message_stages.size(); ++i) {
        std::vector<face::cell> row{message_stages[i]};
        for (const message_result& r : runs)
            if (r.watched)
                row.push_back(is_known(*r.watched, i) ? face::cell{r.watched->stages_us[i]} : face::cell{"-"});
        t.rows.push_back(std::move(row));
    }
    return t;
}

std::string kind_text(const seen_tlp& t) {
    switch (t.kind) {
    case pcie::tlp_kind::memory_write: return "memory write";
    case pcie::tlp_kind::memory_read: return "memory read";
    case pcie::tlp_kind::completion: return "completion";
    default: return "other";
    }
}

face::section bus(const experiment& e, const message_result& r) {
    const auto& seen = r.watched->tlps;
    face::timeline line;
    line.id = "bus";
    line.title = fmt::format("The NICs' links during one message of {}, {}", core::to_text(e.messages.watched),
                             r.variant.text());
    line.x = {"time", "us"};
    face::table t;
    t.id = "tlps";
    t.title = "TLPs";
    t.columns = {{"time", "us"}, {"node", ""},    {"direction", ""}, {"kind", ""},
                 {"what", ""},   {"address", ""}, {"data", "bytes"}};
    t.on_terminal = false;
    for (const seen_tlp& one : seen) {
        if (t.rows.size() == most_rows) break;
        const std::string row = fmt::format("node {}, {}", one.node, one.from_nic ? "from the NIC" : "to the NIC");
        if (std::ranges::find(line.rows, row) == line.rows.end()) line.rows.push_back(row);
        const double begin = us(one.begin - r.watched->begin), end = us(one.end - r.watched->begin);
        const std::string address = one.kind == pcie::tlp_kind::completion ? "-" : fmt::format("{:#x}", one.address);
        line.bars.push_back({row, "", std::string(name_of(one.role)),
                             fmt::format("{}, {}, {} bytes", kind_text(one), address, one.length), begin, end});
        t.rows.push_back({begin, static_cast<std::int64_t>(one.node), one.from_nic ? "from the NIC" : "to the NIC",
                          kind_text(one), std::string(name_of(one.role)), address,
                          static_cast<std::int64_t>(one.length)});
    }
    std::sort(line.rows.begin(), line.rows.end());
    t.note = seen.size() > most_rows ? fmt::format("the first {} of {}", most_rows, seen.size())
                                     : fmt::format("all {}, by when they began to leave", seen.size());
    line.note = "of a completion the bus shows no address; of a read, the bytes that it asks for";
    return {"bus", "Bus analyser", {line, t}};
}

// ---- results

nlohmann::ordered_json as_json(const experiment& e, const message_result& r) {
    auto sizes = nlohmann::ordered_json::array();
    for (const size_result& s : r.sizes) {
        nlohmann::ordered_json one{{"bytes", s.size.count}, {"messages", s.messages}};
        if (e.kind == experiment_kind::latency) {
            one["latency_us"] = s.latency_us;
            one["overhead_us"] = s.overhead_us;
            one["overhead_of_host_us"] = s.host_us;
            one["held_back_us"] = s.held_us;
        } else {
            one["gb_per_s"] = s.gb_per_s;
        }
        if (e.kind == experiment_kind::read) one["first_us"] = s.first_us;
        sizes.push_back(std::move(one));
    }
    nlohmann::ordered_json all{{"variant", r.variant.text()},
                               {"verdict", runner::verdict_text(r)},
                               {"sizes", std::move(sizes)},
                               {"callbacks", r.callbacks}};
    if (e.kind == experiment_kind::read) {
        all["link_to_nic"] = r.link_in;
        all["link_from_nic"] = r.link_out;
    }
    if (r.watched) {
        auto stages = nlohmann::ordered_json::object();
        for (std::size_t i = 0; i < message_stages.size(); ++i)
            if (is_known(*r.watched, i)) stages[message_stages[i]] = r.watched->stages_us[i];
        all["stages_us"] = std::move(stages);
        all["tlps"] = r.watched->tlps.size();
    }
    if (r.profile.packets > 0) all["firmware"] = firmware_report::as_json(r.profile);
    if (!r.links.empty()) all["links"] = as_json(r.links);
    return all;
}

// "host_host 6.29 us, gpu_gpu 8.20 us at 32B"
std::string summary(const experiment& e, const std::vector<message_result>& runs) {
    const bool latency = e.kind == experiment_kind::latency;
    std::vector<std::string> parts;
    std::string at;
    for (const message_result& r : runs) {
        if (!r.complete()) continue;
        const auto by_size = [](const size_result& a, const size_result& b) { return a.size < b.size; };
        const size_result& s =
            latency ? *std::ranges::min_element(r.sizes, by_size) : *std::ranges::max_element(r.sizes, by_size);
        parts.push_back(latency ? fmt::format("{} {:.2f} us", r.variant.text(), s.latency_us)
                                : fmt::format("{} {:.2f} GB/s", r.variant.text(), s.gb_per_s));
        at = core::to_text(s.size);
    }
    return parts.empty() ? "no run has ended" : fmt::format("at {}: {}", at, fmt::join(parts, "; "));
}

}  // namespace

void fill(face::report_data& report, const experiment& e, const std::vector<message_result>& runs) {
    const std::string what = fmt::format("{}, {}", name_of(e.kind), flow_text(e));
    report.title = what;
    report.levels = levels_of(e);
    if (runs.empty()) return;
    report.headline.insert(report.headline.begin(), fmt::format("torus_nic: {}: {}.", what, summary(e, runs)));
    report.sections.push_back(figures(e, runs));
    if (e.kind == experiment_kind::read) report.sections.back().items.emplace_back(link_table(runs));
    const auto watched = std::ranges::find_if(runs, [](const auto& r) { return r.watched.has_value(); });
    if (watched != runs.end()) {
        report.sections.push_back({"one_message", "One message", {stages(e, runs), stage_table(e, runs)}});
        const auto last = std::find_if(runs.rbegin(), runs.rend(), [](const auto& r) { return r.watched.has_value(); });
        report.sections.push_back(bus(e, *last));
    }
    std::vector<std::string> registered;  // by run
    for (const message_result& r : runs)
        if (r.puts_registered != 0)
            registered.push_back(
                fmt::format("{} {} of {}", r.variant.text(), r.puts_registered, r.puts_registered + r.puts_found));
    if (!registered.empty())
        report.headline.push_back(
            fmt::format("Puts that had to register their memory: {}.", fmt::join(registered, "; ")));
    nic_levels::core_profile profile;
    std::vector<std::string> lookups;  // by run
    for (const message_result& r : runs) {
        if (!r.complete() || r.profile.packets == 0) continue;
        profile.add(r.profile);
        lookups.push_back(fmt::format("{} {:.3g} us", r.variant.text(), firmware_report::mean_lookup_us(r.profile)));
    }
    if (!lookups.empty()) {
        report.headline.push_back(
            fmt::format("Firmware looks a packet up in, on average: {}. What it waits for the core is part of it.",
                        fmt::join(lookups, "; ")));
        report.sections.push_back(firmware_report::firmware_section(profile));
    }
    if (const message_result& last = runs.back(); !last.links.empty())
        report.sections.push_back(
            {"links", "Links", {heat_map(last.links, "links", fmt::format("during {}", last.variant.text()))}});
    add_addresses(report, runs.back());
    auto& list = report.results[std::string(name_of(e.kind))] = nlohmann::ordered_json::array();
    for (const message_result& r : runs) list.push_back(as_json(e, r));
}

}  // namespace contraflow::torus_nic
