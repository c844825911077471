// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/migration_report.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace contraflow::remote_memory {
namespace {

using host::migration::step;
using host::migration::step_count;
using host::migration::step_name;

constexpr std::size_t most_rows = 64;
constexpr std::size_t most_bars = 3000;
constexpr std::uint64_t most_points = 400;

std::string page_name(const page_life& p) { return fmt::format("array {}, page {}", p.array, p.page); }

// "array 2, page 5, 0x100012000": a page that moved may have been freed by now.
std::string name_at(const run_result& r, std::uint64_t address) {
    const auto found = std::lower_bound(r.pages.begin(), r.pages.end(), address,
                                        [](const page_life& p, std::uint64_t a) { return p.address < a; });
    return found != r.pages.end() && found->address == address ? fmt::format("{}, {:#x}", page_name(*found), address)
                                                               : fmt::format("page {:#x}", address);
}

// Pages that moved. Of too many, each group of neighbours shows the page that moved most.
std::vector<const page_life*> shown_pages(const run_result& r) {
    std::vector<const page_life*> moved, shown;
    for (const page_life& p : r.pages)
        if (p.stays.size() > 1) moved.push_back(&p);
    const std::size_t group = (moved.size() + most_rows - 1) / most_rows;
    for (std::size_t i = 0; i < moved.size(); i += group) {
        const auto end = moved.begin() + static_cast<std::ptrdiff_t>(std::min(i + group, moved.size()));
        shown.push_back(*std::max_element(moved.begin() + static_cast<std::ptrdiff_t>(i), end,
                                          [](auto a, auto b) { return a->stays.size() < b->stays.size(); }));
    }
    return shown;
}

// The end of the drawing: the number of stays that begin before it fits.
core::sim_time end_of_map(const std::vector<const page_life*>& shown) {
    std::vector<core::sim_time> begins;
    for (const page_life* p : shown)
        for (const page_stay& s : p->stays) begins.push_back(s.begin);
    if (begins.size() <= most_bars) return core::sim_time{~std::uint64_t{0}};
    const auto last = begins.begin() + most_bars;
    std::nth_element(begins.begin(), last, begins.end());
    return *last;
}

face::timeline page_map(const comparison& c, const compared_run& run) {
    const auto& r = run.result;
    face::timeline t;
    t.id = c.id(run) + "-pages";
    t.title = fmt::format("{}, {}: where pages lived", c.workload, name_of(run.kind));
    t.x = {"time", "us"};
    const auto shown = shown_pages(r);
    const core::sim_time end = end_of_map(shown);
    // Colours in the order of the GPUs, not of their first appearance.
    for (unsigned g = 1; g <= r.gpus; ++g)
        for (const page_life* p : shown)
            for (const page_stay& s : p->stays)
                if (s.gpu == g && s.begin < end)
                    t.bars.push_back({page_name(*p), fmt::format("{}", g), fmt::format("GPU {}", g),
                                      fmt::format("{:#x}; requests meanwhile: {} of that GPU, {} of others", p->address,
                                                  s.own, s.others),
                                      us(s.begin), us(s.end)});
    for (const page_life* p : shown) t.rows.push_back(page_name(*p));
    const auto moved = std::count_if(r.pages.begin(), r.pages.end(), [](const auto& p) { return p.stays.size() > 1; });
    t.note = fmt::format("{} of {} pages moved, the others are not shown", moved, r.pages.size());
    if (shown.size() < static_cast<std::size_t>(moved))
        t.note += fmt::format("; {} of them: of neighbours, the one that moved most", shown.size());
    t.note += "; arrays in the order in which the program allocates them, pages from 1";
    if (end < r.end)
        t.note += fmt::format("; stays that begin in the first {:.0f} us, the run takes {:.0f}", us(end), us(r.end));
    return t;
}

// The number of pages in each GPU's memory, from one change to the next.
face::chart pages_by_gpu(const comparison& c, const compared_run& run) {
    const auto& r = run.result;
    face::chart chart;
    chart.id = c.id(run) + "-pages-by-gpu";
    chart.title = fmt::format("{}, {}: pages in each GPU's memory", c.workload, name_of(run.kind));
    chart.type = face::chart::kind::step;
    chart.x = {"time", "us"};
    chart.y = {"pages", ""};
    for (unsigned g = 1; g <= r.gpus; ++g) chart.series.push_back({fmt::format("GPU {}", g), {}});
    std::map<std::uint64_t, std::vector<double>> changes;  // at a time in ps, by GPU
    const auto change = [&](core::sim_time at, unsigned gpu, double by) {
        changes.try_emplace(at.ps, r.gpus, 0.0).first->second.at(gpu - 1) += by;
    };
    for (const page_life& p : r.pages)
        for (std::size_t i = 0; i < p.stays.size(); ++i) {
            change(p.stays[i].begin, p.stays[i].gpu, 1);
            if (i > 0) change(p.stays[i].begin, p.stays[i - 1].gpu, -1);
        }
    // Changes that are too close to be distinguished count as one.
    const core::sim_time least{r.end.ps / most_points};
    std::vector<double> pages(r.gpus, 0.0);
    for (auto at = changes.begin(); at != changes.end();) {
        const core::sim_time begin{at->first};
        for (; at != changes.end() && core::sim_time{at->first} <= begin + least; ++at)
            for (unsigned g = 0; g < r.gpus; ++g) pages[g] += at->second[g];
        for (unsigned g = 0; g < r.gpus; ++g) chart.series[g].points.emplace_back(us(begin), pages[g]);
    }
    for (unsigned g = 0; g < r.gpus; ++g) chart.series[g].points.emplace_back(us(r.end), pages[g]);
    chart.note = "where a page itself is: copies for reading are not counted";
    return chart;
}

face::timeline move_timeline(const comparison& c, const compared_run& run) {
    const auto& r = run.result;
    face::timeline t;
    t.id = c.id(run) + "-moves";
    t.title = fmt::format("{}, {}: moves by step", c.workload, name_of(run.kind));
    t.x = {"time", "us"};
    unsigned slots = 0;
    std::size_t shown = 0;
    for (const auto& m : r.moves) {
        if (t.bars.size() >= most_bars) break;
        ++shown;
        slots = std::max(slots, m.slot + 1);
        for (std::size_t i = static_cast<std::size_t>(step::close); i < step_count; ++i) {
            const auto s = static_cast<step>(i);
            if (m.took(s) == core::sim_time{}) continue;
            t.bars.push_back({fmt::format("slot {}", m.slot + 1), std::string(step_name(s)), std::string(step_name(s)),
                              fmt::format("{} of {} from GPU {} to GPU {}", kind_name(m.kind),
                                          name_at(r, m.page.address), m.from, m.to),
                              us(m.began(s)), us(m.ended(s))});
        }
    }
    for (unsigned s = 0; s < slots; ++s) t.rows.push_back(fmt::format("slot {}", s + 1));
    t.note = fmt::format("{}; from the closing of the page's entry on: what waits for its turn is not shown",
                         shown == r.moves.size() ? "a row for each of those that are under way together"
                                                 : fmt::format("the first {} of {}", shown, r.migration.ended()));
    return t;
}

// Shares of stays by how often their GPU used the page, in powers of two.
face::chart uses_chart(const comparison& c) {
    face::chart chart;
    chart.id = c.workload + "-uses";
    chart.title = fmt::format("{}: how often a page is used where it has moved to", c.workload);
    chart.type = face::chart::kind::bar;
    chart.x = {"requests of its new GPU before it moves on, or the run ends", ""};
    chart.y = {"moves", ""};
    std::size_t buckets = 0;
    for (const auto& run : c.runs) {
        const auto uses = uses_of(run.result).uses;
        if (uses.empty()) continue;
        std::vector<double> counts;
        for (const std::uint64_t u : uses) {
            const auto bucket = static_cast<std::size_t>(std::bit_width(u));
            counts.resize(std::max(counts.size(), bucket + 1));
            ++counts[bucket];
        }
        buckets = std::max(buckets, counts.size());
        face::point_series one{std::string(name_of(run.kind)), {}};
        for (std::size_t i = 0; i < counts.size(); ++i) one.points.emplace_back(static_cast<double>(i), counts[i]);
        chart.series.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < buckets; ++i) {
        const std::uint64_t low = i == 0 ? 0 : std::uint64_t{1} << (i - 1), high = (std::uint64_t{1} << i) - 1;
        chart.categories.push_back(i < 2 ? fmt::format("{}", low) : fmt::format("{} to {}", low, high));
    }
    chart.note = "requests that went beyond the unit's first level";
    return chart;
}

}  // namespace

move_uses uses_of(const run_result& r) {
    move_uses u;
    for (const page_life& p : r.pages)
        for (std::size_t i = 1; i < p.stays.size(); ++i) {
            u.uses.push_back(p.stays[i].own);
            const auto before = p.stays.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::any_of(p.stays.begin(), before, [&](const page_stay& s) { return s.gpu == p.stays[i].gpu; }))
                ++u.went_back;
        }
    std::sort(u.uses.begin(), u.uses.end());
    return u;
}

break_even break_even_of(const run_result& dca, const run_result& moving) {
    break_even b;
    const auto& near = (dca.loads_of(reach::local).count > 0 ? dca : moving).loads_of(reach::local);
    const double dearer = dca.loads_of(reach::remote).beyond_unit_ns() - near.beyond_unit_ns();
    if (near.count > 0 && dearer > 0) b.by_time = moving.migration.mean_held().seconds() * 1e9 / dearer;
    b.by_bytes = static_cast<double>(moving.page_size) / static_cast<double>(moving.line);
    return b;
}

face::table migration_table(const comparison& c) {
    face::table t;
    t.id = c.workload + "-migration";
    t.title = fmt::format("{}: pages that moved", c.workload);
    t.columns = {{"pages", ""}, {"moved", ""},      {"copied", ""},  {"MB", ""},
                 {"back", ""},  {"uses", "median"}, {"a move", "us"}};
    std::vector<std::size_t> steps;  // steps that take time in at least one run
    for (std::size_t i = 0; i < step_count; ++i)
        if (std::any_of(c.runs.begin(), c.runs.end(),
                        [&](const auto& run) { return run.result.migration.steps[i] != core::sim_time{}; }))
            steps.push_back(i);
    for (const std::size_t i : steps) t.columns.push_back({std::string(step_name(static_cast<step>(i))), "us"});
    for (const auto& run : c.runs) {
        const auto& m = run.result.migration;
        if (!moves_pages(run.kind)) continue;
        const auto uses = uses_of(run.result);
        std::vector<face::cell> row{std::string(name_of(run.kind)),
                                    static_cast<std::int64_t>(m.moved),
                                    static_cast<std::int64_t>(m.duplicated),
                                    static_cast<double>(m.bytes) * 1e-6,
                                    static_cast<std::int64_t>(uses.went_back),
                                    static_cast<std::int64_t>(uses.median()),
                                    us(m.mean())};
        for (const std::size_t i : steps)
            row.emplace_back(m.ended() == 0 ? 0.0 : us(m.steps[i]) / static_cast<double>(m.ended()));
        t.rows.push_back(std::move(row));
    }
    t.note =
        "back: moves to a GPU that had the page before; uses: requests of its new GPU before it moves on; then what a "
        "move takes on the average, from the touch to the reply, and in which step";
    return t;
}

face::table stayed_table(const comparison& c) {
    face::table t;
    t.id = c.workload + "-stayed";
    t.title = fmt::format("{}: moves that were wanted and not made", c.workload);
    t.columns = {{"pages", ""},     {"queue full", ""}, {"no frame", ""},
                 {"ping-pong", ""}, {"window", ""},     {"claimed", ""}};
    bool any = false;
    for (const auto& run : c.runs) {
        const auto& m = run.result.migration;
        if (!moves_pages(run.kind)) continue;
        std::vector<face::cell> row{std::string(name_of(run.kind))};
        for (const std::uint64_t n : {m.queue_full, m.no_frame, m.pinned, m.outside_window, m.claimed}) {
            row.emplace_back(static_cast<std::int64_t>(n));
            any = any || n > 0;
        }
        t.rows.push_back(std::move(row));
    }
    if (!any) t.rows.clear();
    t.note =
        "how often, and why, a page stayed and was reached across. queue full: migration.queue had no room; no frame: "
        "the receiver's memory was full; ping-pong: it had gone back and forth and is pinned; window: none of "
        "migration.when.windows was open; claimed: a copy by the driver had it";
    return t;
}

void add_pages(const comparison& c, face::section& to) {
    for (const auto& run : c.runs)
        if (run.result.gpus > 1 && run.result.migration.ended() > 0) {
            to.items.emplace_back(page_map(c, run));
            to.items.emplace_back(pages_by_gpu(c, run));
        }
}

void add_moves(const comparison& c, face::section& to) {
    if (auto uses = uses_chart(c); !uses.series.empty()) to.items.emplace_back(std::move(uses));
    for (const auto& run : c.runs)
        if (!run.result.moves.empty()) to.items.emplace_back(move_timeline(c, run));
}

}  // namespace contraflow::remote_memory
