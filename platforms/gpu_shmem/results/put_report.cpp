// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/results/put_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/counted.h"
#include "gpu_shmem/results/published_points.h"

namespace contraflow::gpu_shmem {
namespace {

using config::name_of;
using face::us;

constexpr core::bytes published_size{4};

// By what a line of a chart, or a column of a table, is about.
std::vector<std::string> variants_of(const std::vector<put_result>& runs) {
    std::vector<std::string> all;
    for (const put_result& r : runs)
        if (std::ranges::find(all, r.variant.text()) == all.end()) all.push_back(r.variant.text());
    return all;
}

const put_result* find(const std::vector<put_result>& runs, const std::string& variant, core::bytes size,
                       unsigned workgroups) {
    const auto found = std::ranges::find_if(runs, [&](const put_result& r) {
        return r.variant.text() == variant && r.variant.size == size && r.variant.workgroups == workgroups;
    });
    return found == runs.end() || !found->complete() ? nullptr : &*found;
}

// A row for each number of workgroups and size, and in it the cells of each variant's run, which is null if it has not
// come to its end.
template <class Cells>
void add_rows(face::table& t, const experiment& e, const std::vector<put_result>& runs, Cells cells) {
    const auto variants = variants_of(runs);
    for (const unsigned workgroups : e.puts.workgroups)
        for (const core::bytes size : e.puts.sizes) {
            std::vector<face::cell> row{core::to_text(size), face::whole(workgroups)};
            for (const std::string& v : variants) cells(row, find(runs, v, size, workgroups));
            t.rows.push_back(std::move(row));
        }
}

face::table latency_table(const experiment& e, const std::vector<put_result>& runs) {
    face::table t;
    t.id = "put_latency";
    t.title = "Latency of a put";
    t.columns = {{"size", ""}, {"workgroups", ""}};
    t.note = "from PE 0's GPU to PE 1's, until the sender knows that it is there; mean of all puts but the first";
    for (const std::string& v : variants_of(runs)) t.columns.push_back({v, "us"});
    add_rows(t, e, runs, [](std::vector<face::cell>& row, const put_result* r) {
        row.push_back(r == nullptr ? face::cell{"-"} : face::cell{us(r->step)});
    });
    return t;
}

// A line for each variant, of the runs that are chosen.
template <class X, class Y, class Chosen>
face::chart put_chart(const std::vector<put_result>& runs, const char* id, const std::string& title, face::axis x,
                      X x_of, face::axis y, Y y_of, Chosen chosen) {
    face::chart c;
    c.id = id;
    c.title = title;
    c.x = std::move(x);
    c.y = std::move(y);
    for (const std::string& v : variants_of(runs)) {
        face::point_series s{v, {}};
        for (const put_result& r : runs)
            if (r.variant.text() == v && r.complete() && chosen(r.variant))
                s.points.emplace_back(x_of(r.variant), y_of(r));
        std::ranges::sort(s.points);
        c.series.push_back(std::move(s));
    }
    return c;
}
template <class Y, class Chosen>
face::chart by_size(const std::vector<put_result>& runs, const char* id, const std::string& title, face::axis y, Y y_of,
                    Chosen chosen) {
    return put_chart(
        runs, id, title, {"size", "bytes", true},
        [](const put_variant& v) { return static_cast<double>(v.size.count); }, std::move(y), y_of, chosen);
}
template <class Y, class Chosen>
face::chart by_workgroups(const std::vector<put_result>& runs, const char* id, const std::string& title, face::axis y,
                          Y y_of, Chosen chosen) {
    return put_chart(
        runs, id, title, {"workgroups", "", true},
        [](const put_variant& v) { return static_cast<double>(v.workgroups); }, std::move(y), y_of, chosen);
}

face::section latencies(const experiment& e, const std::vector<put_result>& runs) {
    face::section s{"put_latency", "Latency of puts", {latency_table(e, runs)}};
    const core::bytes smallest = std::ranges::min(e.puts.sizes);
    const auto latency = [](const put_result& r) { return us(r.step); };
    if (e.puts.sizes.size() > 1) {
        face::chart c = by_size(runs, "latency_by_size", "Latency by size", {"latency", "us", true}, latency,
                                [&](const put_variant& v) { return v.workgroups == e.puts.workgroups.front(); });
        if (e.puts.workgroups.front() == 1)
            for (const scheme how : e.schemes)
                if (const auto p = published_put(how))
                    c.marks.push_back({static_cast<double>(published_size.count), p->us, p->label});
        s.items.emplace_back(std::move(c));
    }
    if (e.puts.workgroups.size() > 1)
        s.items.emplace_back(by_workgroups(
            runs, "latency_by_workgroups",
            fmt::format("Latency of puts of {} by the number of workgroups that put", core::to_text(smallest)),
            {"latency", "us", true}, latency, [&](const put_variant& v) { return v.size == smallest; }));
    return s;
}

// ---- puts that are not awaited

double per_second(const put_result& r, const experiment& e) {
    return e.puts.puts * static_cast<double>(r.variant.workgroups) / r.time.seconds();
}

face::section rates(const experiment& e, const std::vector<put_result>& runs) {
    face::table t;
    t.id = "put_rate";
    t.title = "Puts that are not awaited";
    t.columns = {{"size", ""}, {"workgroups", ""}};
    t.note = "from PE 0's GPU to PE 1's, from the launch of the kernel until all of them are complete";
    for (const std::string& v : variants_of(runs)) {
        t.columns.push_back({v, "million/s"});
        t.columns.push_back({v, "GB/s"});
    }
    add_rows(t, e, runs, [&](std::vector<face::cell>& row, const put_result* r) {
        const double rate = r == nullptr ? 0 : per_second(*r, e);
        row.push_back(r == nullptr ? face::cell{"-"} : face::cell{rate / 1e6});
        row.push_back(r == nullptr ? face::cell{"-"}
                                   : face::cell{rate * static_cast<double>(r->variant.size.count) / 1e9});
    });
    face::section s{"put_rate", "Rate of puts", {std::move(t)}};
    const auto million = [&](const put_result& r) { return per_second(r, e) / 1e6; };
    const core::bytes smallest = std::ranges::min(e.puts.sizes);
    const unsigned most = std::ranges::max(e.puts.workgroups);
    if (e.puts.workgroups.size() > 1)
        s.items.emplace_back(by_workgroups(
            runs, "rate_by_workgroups",
            fmt::format("Puts of {} a second by the number of workgroups that put", core::to_text(smallest)),
            {"rate", "million/s", true}, million, [&](const put_variant& v) { return v.size == smallest; }));
    if (e.puts.sizes.size() > 1)
        s.items.emplace_back(
            by_size(runs, "rate_by_size", fmt::format("Puts a second by size, {}", core::counted(most, "workgroup")),
                    {"rate", "million/s", true}, million, [&](const put_variant& v) { return v.workgroups == most; }));
    return s;
}

// ---- one put

std::vector<const put_result*> lives_of(const experiment& e, const std::vector<put_result>& runs) {
    std::vector<const put_result*> all;
    for (const put_result& r : runs)
        if (r.life && r.variant.size == std::ranges::min(e.puts.sizes)) all.push_back(&r);
    return all;
}

face::chart breakdown(const std::vector<const put_result*>& lives) {
    const core::bytes size = lives.front()->variant.size;
    face::chart c;
    c.id = "breakdown";
    c.title = fmt::format("Where the time of a put of {} goes", core::to_text(size));
    c.type = face::chart::kind::stacked_bar;
    c.x = {"scheme", ""};
    c.y = {"time", "us"};
    for (std::size_t i = 0; i < put_parts; ++i) {
        face::point_series s{std::string(part_texts[i].name), {}};
        bool any = false;
        for (std::size_t k = 0; k < lives.size(); ++k) {
            const double length = lives[k]->life->us[i];
            s.points.emplace_back(static_cast<double>(k), length);
            any |= length > 0;
        }
        if (any) c.series.push_back(std::move(s));
    }
    for (std::size_t k = 0; k < lives.size(); ++k) {
        c.categories.push_back(lives[k]->variant.text());
        const auto p = published_put(lives[k]->variant.how);
        if (p && lives[k]->variant.templates && size == published_size)
            c.marks.push_back({static_cast<double>(k), p->us, p->label});
    }
    c.note = "means of all puts but the first; parts that overlap count until the first one ends";
    return c;
}

face::table part_table(const std::vector<const put_result*>& lives) {
    face::table t;
    t.id = "put_parts";
    t.title = fmt::format("One put of {} by part", core::to_text(lives.front()->variant.size));
    t.columns = {{"part", ""}, {"where", ""}};
    t.note =
        "means of all puts but the first, from the end of the one before; parts that overlap count until the first "
        "one ends; the second kernel of inter_k_overlap ends in the last part";
    for (const put_result* r : lives) t.columns.push_back({r->variant.text(), "us"});
    for (std::size_t i = 0; i < put_parts; ++i) {
        std::vector<face::cell> row{std::string(part_texts[i].name), std::string(part_texts[i].who)};
        for (const put_result* r : lives) row.emplace_back(r->life->us[i]);
        t.rows.push_back(std::move(row));
    }
    std::vector<face::cell> all{"all", ""}, there{"its data is at the target after", ""};
    for (const put_result* r : lives) {
        all.emplace_back(r->life->all());
        there.emplace_back(r->life->arrived());
    }
    t.rows.push_back(std::move(all));
    t.rows.push_back(std::move(there));
    return t;
}

face::timeline side_by_side(const std::vector<const put_result*>& lives) {
    face::timeline t;
    t.id = "one_put";
    t.title = fmt::format("One put of {}, scheme by scheme", core::to_text(lives.front()->variant.size));
    t.x = {"time", "us"};
    for (const put_result* r : lives)
        for (const std::string_view who : {"software", "thread of the host", "NIC", "network", "target"}) {
            const std::string row = fmt::format("{}: {}", r->variant.text(), who);
            bool any = false;
            for (std::size_t i = 0; i < put_parts; ++i) {
                if (part_texts[i].who != who || r->life->us[i] <= 0) continue;
                any = true;
                const std::string name(part_texts[i].name);
                t.bars.push_back(
                    {row, name, name, fmt::format("{:.3f} us", r->life->us[i]), r->life->begin(i), r->life->end(i)});
            }
            if (any) t.rows.push_back(row);
        }
    t.note = "software: the kernel that puts, or the host's program; before a put of the host is its kernel";
    return t;
}

// ---- templates

face::cell stores_of(const put_result& r) {
    return r.life ? face::cell{face::whole(r.life->entry_stores)} : face::cell{"-"};
}

face::table template_table(const std::vector<put_result>& runs) {
    face::table t;
    t.id = "templates";
    t.title = "What templates save";
    t.columns = {{"scheme", ""},  {"size", ""},   {"workgroups", ""},  {"with", "us"},        {"without", "us"},
                 {"saved", "us"}, {"saved", "%"}, {"stores with", ""}, {"stores without", ""}};
    t.note = "stores: of an entry, each of 8 bytes; the next one waits until it is acknowledged";
    for (const put_result& r : runs) {
        if (!r.variant.templates) continue;
        put_variant other = r.variant;
        other.templates = false;
        const put_result* const without = find(runs, other.text(), other.size, other.workgroups);
        if (without == nullptr || !r.complete() || without->step == r.step) continue;
        const double with_us = us(r.step), without_us = us(without->step);
        t.rows.push_back({std::string(name_of(r.variant.how)), core::to_text(r.variant.size),
                          face::whole(r.variant.workgroups), with_us, without_us, without_us - with_us,
                          (without_us - with_us) / without_us * 100, stores_of(r), stores_of(*without)});
    }
    return t;
}

nlohmann::ordered_json as_json(const experiment& e, const put_result& r) {
    nlohmann::ordered_json all{
        {"scheme", name_of(r.variant.how)},
        {"templates", r.variant.templates},
        {"bytes", r.variant.size.count},
        {"workgroups", r.variant.workgroups},
        {"verdict", runner::verdict_text(r)},
        {e.puts.awaited ? "latency_us" : "puts_per_second", e.puts.awaited ? us(r.step) : per_second(r, e)},
        {"time_us", us(r.time)},
        {"messages", r.messages},
        {"sent_again", r.sent_again},
        {"callbacks", r.callbacks}};
    if (r.life) {
        auto parts = nlohmann::ordered_json::object();
        for (std::size_t i = 0; i < put_parts; ++i) parts[std::string(part_texts[i].name)] = r.life->us[i];
        all["parts_us"] = std::move(parts);
        all["entry_stores"] = r.life->entry_stores;
        all["arrived_us"] = r.life->arrived();
    }
    return all;
}

std::string headline(const experiment& e, const std::vector<put_result>& runs) {
    const core::bytes size = std::ranges::min(e.puts.sizes);
    // A rate is asked for with many workgroups, a latency with few.
    const unsigned workgroups = e.puts.awaited ? e.puts.workgroups.front() : std::ranges::max(e.puts.workgroups);
    std::vector<std::string> parts;
    const put_result* const gio = find(runs, "gio", size, workgroups);
    for (const std::string& v : variants_of(runs)) {
        const put_result* const r = find(runs, v, size, workgroups);
        if (r == nullptr) continue;
        if (!e.puts.awaited) {
            parts.push_back(fmt::format("{} {:.2f} million/s", v, per_second(*r, e) / 1e6));
            continue;
        }
        parts.push_back(gio == nullptr || r == gio ? fmt::format("{} {:.2f} us", v, us(r->step))
                                                   : fmt::format("{} {:.2f} us ({:.2f} times as long)", v, us(r->step),
                                                                 us(r->step) / us(gio->step)));
    }
    if (parts.empty()) return "gpu_shmem: no run of puts has ended.";
    const std::string by = workgroups == 1 ? "" : fmt::format(" by {} workgroups", workgroups);
    return fmt::format("gpu_shmem: {} {}{} {}: {}.", e.puts.awaited ? "a put of" : "puts of", core::to_text(size), by,
                       e.puts.awaited ? "takes" : "that are not awaited", fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> levels_of() {
    return {{"GPU", "TLM"}, {"NIC", "TLM, queue pairs"}, {"PCIe", "TLM, credit-accurate"}, {"network", "TLM"}};
}

void fill(face::report_data& report, const experiment& e, const std::vector<put_result>& runs) {
    report.title = fmt::format("puts between GPUs of {} nodes", e.cluster.nodes);  // at least two
    report.levels = levels_of();
    if (runs.empty()) return;
    report.headline.insert(report.headline.begin(), headline(e, runs));
    report.sections.push_back(e.puts.awaited ? latencies(e, runs) : rates(e, runs));
    if (const auto lives = lives_of(e, runs); !lives.empty())
        report.sections.push_back({"one_put", "One put", {breakdown(lives), part_table(lives), side_by_side(lives)}});
    if (face::table t = template_table(runs); !t.rows.empty())
        report.sections.push_back({"templates", "Templates", {std::move(t)}});
    auto& list = report.results["puts"] = nlohmann::ordered_json::array();
    for (const put_result& r : runs) list.push_back(as_json(e, r));
}

}  // namespace contraflow::gpu_shmem
