// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/headline.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/counted.h"
#include "remote_memory/comparison_report.h"
#include "remote_memory/migration_report.h"
#include "study/stage_chart.h"

namespace contraflow::remote_memory {
namespace {

using host::migration::step;
using host::migration::step_name;

// "matmul: dca 3.10 times as fast as one_gpu, migrate 2.20 times"
std::string speeds(const comparison& c, bool explained) {
    std::string text;
    const auto name = [&](const compared_run& run) {
        return fmt::format("{}{}", name_of(run.kind),
                           explained && run.kind == memory_policy::dca ? " (direct cache access: GPUs reach across)"
                                                                       : "");
    };
    for (const auto& run : c.runs)
        if (&run != &reference_of(c) && speed_up(c, run) > 0)
            text += text.empty() ? fmt::format("{}: {} {:.2f} times as fast as {}", c.workload, name(run),
                                               speed_up(c, run), name(reference_of(c)))
                                 : fmt::format(", {} {:.2f} times", name(run), speed_up(c, run));
    return text;
}

// The largest shares of the sum: "pull 39 %, shootdown 25 %"
template <class Name> std::string most_of(std::vector<double> parts, std::size_t shown, Name name) {
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return parts[a] > parts[b]; });
    std::string text;
    for (std::size_t i = 0; i < shown && parts[order[i]] > 0.005 * sum; ++i)
        text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", name(order[i]), 100 * parts[order[i]] / sum);
    return text;
}

std::string longest_parts(const std::array<std::uint64_t, memory::stage_count>& stages) {
    const auto parts = study::life_parts(study::part_grain::coarse);
    std::vector<double> spent;
    for (const auto& part : parts) {
        double ps = 0;
        for (const auto s : part.stages) ps += static_cast<double>(stages[static_cast<std::size_t>(s)]);
        spent.push_back(ps);
    }
    return most_of(spent, 4, [&](std::size_t i) { return parts[i].name; });
}

// The first run with loads from another GPU's memory, or else the slowest; null if no run ended.
const compared_run* run_to_explain(const comparison& c) {
    const compared_run* slowest = nullptr;
    for (const auto& run : c.runs) {
        if (!run.result.complete()) continue;
        if (run.result.loads_of(reach::remote).count > 0) return &run;
        if (slowest == nullptr || run.result.end > slowest->result.end) slowest = &run;
    }
    return slowest;
}

std::string time_of_a_load(const comparison& c) {
    const auto* const run = run_to_explain(c);
    if (run == nullptr) return {};
    const auto& r = run->result;
    const auto& far = r.loads_of(reach::remote);
    const auto& near = r.loads_of(reach::local);
    const auto of = fmt::format("{}, {}", c.workload, name_of(run->kind));
    if (far.count == 0) {
        const bool none_left = r.gpus > 1 && r.lives.loads[1].count == 0;
        const std::string none = none_left ? "no load went to another GPU's memory" : "";
        if (near.count == 0) return none.empty() ? "" : fmt::format("{}: {}", of, none);
        return fmt::format(
            "{}: {}{}a load that its first level does not answer takes {:.0f} ns ({}); beyond the unit, until its "
            "answer is back, {:.0f} ns",
            of, none, none.empty() ? "" : "; ", near.mean_ns(), longest_parts(near.spent), near.beyond_unit_ns());
    }
    if (near.count == 0)
        return fmt::format(
            "{}: each load that its first level does not answer{} goes to another GPU's memory. It takes {:.0f} ns "
            "({}); beyond the unit, until its answer is back, {:.0f} ns",
            of, r.loads_of(reach::held).count == 0 ? "" : " and whose page is not moving", far.mean_ns(),
            longest_parts(far.spent), far.beyond_unit_ns());
    return fmt::format("{}: a load that its first level does not answer takes {:.0f} ns where its page is in the own "
                       "GPU's memory, and "
                       "{:.0f} ns where it is in another one's ({}). Beyond the unit, until its answer is back, it "
                       "takes {:.0f} ns and "
                       "{:.0f} ns",
                       of, near.mean_ns(), far.mean_ns(), longest_parts(far.spent), near.beyond_unit_ns(),
                       far.beyond_unit_ns());
}

// ", after 0.5 us of the message to the driver and 17.4 us of waiting for a turn"
std::string before_that(const migration_result& m) {
    const auto mean = [&](step s) { return us(m.steps[static_cast<std::size_t>(s)]) / static_cast<double>(m.ended()); };
    std::string text;
    if (mean(step::notify) >= 0.05) text = fmt::format("{:.1f} us of the message to the driver", mean(step::notify));
    if (mean(step::queue) >= 0.05)
        text += fmt::format("{}{:.1f} us of waiting for a turn", text.empty() ? "" : " and ", mean(step::queue));
    return text.empty() ? "" : ", after " + text;
}

// Why the policy moved nothing.
std::string why_none_moved(const run_result& r) {
    using host::migration::policy_kind;
    const auto& m = r.migration;
    if (r.accesses.remote == 0) return "no request went to a page in another GPU's memory";
    std::string why;
    const auto times = [&why](std::uint64_t n, const char* what) {
        if (n > 0) why += fmt::format("{}{} {}", why.empty() ? "" : ", ", core::times(n), what);
    };
    times(m.outside_window, "none of migration.when.windows was open");
    times(m.queue_full, "there was no room in migration.queue");
    times(m.no_frame, "no frame was free at the receiver");
    times(m.pinned, "a page was kept from going back and forth");
    times(m.claimed, "a copy by the driver had the page");
    if (!why.empty()) return why;
    if (m.policy == policy_kind::access_count)
        return fmt::format("no GPU reached for a page of another one {} (access_counters.threshold)",
                           core::times(m.threshold));
    if (m.policy == policy_kind::first_touch) return "each page was first touched by the GPU that has it";
    return m.policy == policy_kind::never ? "migration.when.policy is never" : "the run ended before a move did";
}

std::string moves(const comparison& c, const compared_run& run) {
    const auto& m = run.result.migration;
    if (m.ended() == 0)
        return fmt::format("{}, {}: no page moved: {}", c.workload, name_of(run.kind), why_none_moved(run.result));
    std::string what = m.moved > 0 ? core::counted(m.moved, "page") + " moved" : "";
    if (m.duplicated > 0) what += (what.empty() ? "" : ", ") + core::counted(m.duplicated, "was copied", "were copied");
    std::vector<double> steps;
    for (std::size_t i = static_cast<std::size_t>(step::close); i < m.steps.size(); ++i)
        steps.push_back(m.steps[i].seconds());
    std::string text = fmt::format(
        "{}, {}: {}, {:.1f} us{} ({}){}", c.workload, name_of(run.kind), what, us(m.mean_closed()),
        m.ended() == 1 ? "" : " each",
        most_of(steps, 3,
                [](std::size_t i) { return step_name(static_cast<step>(i + static_cast<std::size_t>(step::close))); }),
        before_that(m));
    if (const auto* const dca = c.find(memory_policy::dca); dca != nullptr && dca->result.complete())
        text += fmt::format("; {:.0f} % of the requests are remote, {:.0f} % with dca",
                            run.result.accesses.remote_share() * 100, dca->result.accesses.remote_share() * 100);
    return text;
}

// "420.3 ms": of requests that overlap, so it may be longer than the run.
std::string sum_text(core::sim_time sum) {
    return us(sum) < 1000 ? fmt::format("{:.1f} us", us(sum)) : fmt::format("{:.1f} ms", us(sum) * 1e-3);
}

// Where the time of all requests goes, if some waited for moving pages. The kind that waited longest comes first.
std::string waits(const comparison& c, const compared_run& run) {
    const auto& r = run.result;
    std::vector<std::pair<const char*, const request_times*>> kinds{
        {"load", &r.loads_of(reach::held)}, {"store", &r.held_stores}, {"atomic operation", &r.held_atomics}};
    std::erase_if(kinds, [](const auto& k) { return k.second->count == 0; });
    if (kinds.empty()) return {};
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const auto& a, const auto& b) { return a.second->waited() > b.second->waited(); });
    auto all = r.lives.all(false).spent;
    const auto remote = r.lives.all(true).spent;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += remote[i];
    std::string text = fmt::format("{}, {}: where all requests spend their time: {}", c.workload, name_of(run.kind),
                                   longest_parts(all));
    for (const auto& [name, held] : kinds)
        text += fmt::format("; {} waited for a moving page, {} in sum, and took {:.1f} us {} unit and back",
                            core::counted(held->count, name), sum_text(held->waited()), held->beyond_unit_ns() * 1e-3,
                            held->count == 1 ? "from its" : "each from their");
    return text;
}

// Moves that the policy wanted but the machine could not make.
std::string stayed(const comparison& c, const compared_run& run) {
    const auto& m = run.result.migration;
    std::string why;
    if (m.no_frame > 0)
        why = fmt::format("{} no frame was free at the receiver (a larger gpu.dram.size has more)",
                          core::times(m.no_frame));
    if (m.queue_full > 0)
        why += fmt::format("{}{} there was no room in migration.queue", why.empty() ? "" : ", ",
                           core::times(m.queue_full));
    if (why.empty()) return {};
    return fmt::format("{}, {}: a page that should have moved stayed, and was reached across: {}", c.workload,
                       name_of(run.kind), why);
}

// Says whether the uses of a page after its move are worth the move.
std::string worth(const comparison& c, const compared_run& run) {
    const auto* const dca = c.find(memory_policy::dca);
    const auto& m = run.result.migration;
    if (dca == nullptr || !dca->result.complete() || m.moved == 0) return {};
    const auto even = break_even_of(dca->result, run.result);
    const auto uses = uses_of(run.result);
    const auto need = static_cast<std::uint64_t>(even.more());
    const auto paid = uses.uses.end() - std::lower_bound(uses.uses.begin(), uses.uses.end(), need);
    const auto percent = [&](auto n) { return 100.0 * static_cast<double>(n) / static_cast<double>(uses.uses.size()); };
    const double over_dca = dca->result.end.seconds() / run.result.end.seconds();
    const std::string sum =
        over_dca > 1.02   ? fmt::format("moving pages is faster, {:.2f} times as fast as reaching across", over_dca)
        : over_dca < 0.98 ? fmt::format("reaching across is faster, {:.2f} times as fast as moving pages", 1 / over_dca)
                          : "moving pages and reaching across take the same time within 2 %";
    return fmt::format(
        "{}, {}: {}. A move holds its page's requests up for {:.1f} us, {}and costs the bytes of {:.0f}; {:.0f} % of "
        "the moved pages were used at least {} before they moved on (the median is {}); {:.0f} % went back to where "
        "they had been{}",
        c.workload, name_of(run.kind), sum, us(m.mean_held()),
        even.by_time ? fmt::format("the time that {:.0f} remote loads lose, ", *even.by_time) : "", even.by_bytes,
        percent(paid), core::times(need), uses.median(), percent(uses.went_back),
        m.pinned > 0 ? fmt::format(", {} one was kept from that", core::times(m.pinned)) : "");
}

}  // namespace

std::vector<std::string> headline_of(const comparison& c, bool explained) {
    std::vector<std::string> lines{speeds(c, explained), time_of_a_load(c)};
    if (const auto& only = c.runs.front(); c.runs.size() == 1 && only.result.complete())
        lines.front() = fmt::format("{}: {} with {}", c.workload, core::to_text(only.result.end), name_of(only.kind));
    for (const auto& run : c.runs) {
        if (!moves_pages(run.kind) || !run.result.complete()) continue;
        lines.push_back(moves(c, run));
        lines.push_back(waits(c, run));
        lines.push_back(stayed(c, run));
        lines.push_back(worth(c, run));
    }
    std::erase_if(lines, [](const std::string& l) { return l.empty(); });
    return lines;
}

}  // namespace contraflow::remote_memory
