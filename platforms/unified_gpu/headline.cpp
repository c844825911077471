// SPDX-License-Identifier: Apache-2.0
// The question of the platform, answered with the numbers of these runs.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "unified_gpu/comparison.h"

namespace contraflow::unified_gpu {
namespace {

using host::migration::step;
using host::migration::step_name;

// "4 GPUs: dca 3.1 times as fast as one_gpu, migrate 2.2 times"
std::string speeds(const comparison& c) {
    std::string text;
    for (const auto& run : c.runs)
        if (&run != &c.reference() && c.speed_up(run) > 0)
            text += fmt::format("{}{} {:.2f} times", text.empty() ? "" : ", ", name_of(run.policy), c.speed_up(run));
    return text.empty() ? "" : fmt::format("{}: as fast as {}: {}", c.workload, name_of(c.reference().policy), text);
}

std::string cost_of_reaching_across(const comparison& c) {
    const auto* const dca = c.find(memory_policy::dca);
    if (dca == nullptr || !dca->result.complete()) return {};
    const auto& far = dca->result.loads_of(reach::remote);
    const auto& near = dca->result.loads_of(reach::local);
    if (far.count == 0) return fmt::format("{}: with dca no load went to another GPU's memory", c.workload);
    const double more = far.mean_ns() - near.mean_ns();
    using memory::stage;
    const auto share = [&](std::initializer_list<stage> stages) {
        double ps = 0;
        for (const stage s : stages) ps += static_cast<double>(far.spent[static_cast<std::size_t>(s)]);
        return ps * 1e-1 / static_cast<double>(far.count) / far.mean_ns();
    };
    return fmt::format("{}: a load takes {:.0f} ns from the own GPU's memory and {:.0f} ns from another one's, {:.0f} ns "
                       "more: waiting for links {:.0f} %, on links {:.0f} %, memory {:.0f} %, translation {:.0f} %",
                       c.workload, near.mean_ns(), far.mean_ns(), more,
                       share({stage::link_queue, stage::response_link_queue}), share({stage::link, stage::response_link}),
                       share({stage::remote_l2, stage::remote_dram}),
                       share({stage::l1_tlb, stage::l2_tlb, stage::gmmu, stage::iommu, stage::page_walk}));
}

// The steps that take most of a move.
std::string dearest_steps(const migration_result& m) {
    std::vector<std::size_t> order(m.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return m.steps[a] > m.steps[b]; });
    std::string text;
    for (std::size_t i = 0; i < 3; ++i)
        text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", step_name(static_cast<step>(order[i])),
                            100 * m.steps[order[i]].seconds() / m.total.seconds());
    return text;
}

std::string moves(const comparison& c, const compared_run& run) {
    const auto& m = run.result.migration;
    if (m.ended() == 0) return fmt::format("{}: with {} no page moved", c.workload, name_of(run.policy));
    std::string text = fmt::format("{}: with {} {} pages move and {} are copied, {:.1f} us each ({})", c.workload,
                                   name_of(run.policy), m.moved, m.duplicated, m.mean().seconds() * 1e6,
                                   dearest_steps(m));
    if (const auto* const dca = c.find(memory_policy::dca); dca != nullptr && dca->result.complete())
        text += fmt::format("; of the requests {:.0f} % go to other GPUs' memory, and {:.0f} % with dca",
                            run.result.accesses.remote_share() * 100, dca->result.accesses.remote_share() * 100);
    return text;
}

// Whether what a page is used for where it came to is worth its move.
std::string worth(const comparison& c, const compared_run& run) {
    const auto* const dca = c.find(memory_policy::dca);
    const auto& m = run.result.migration;
    if (dca == nullptr || !dca->result.complete() || m.moved == 0) return {};
    const auto even = break_even_of(dca->result, run.result);
    const auto uses = uses_of(run.result);
    const double need = std::max(even.by_time, even.by_bytes);
    const auto paid =
        uses.uses.end() - std::lower_bound(uses.uses.begin(), uses.uses.end(), static_cast<std::uint64_t>(need));
    const double over_dca = dca->result.end.seconds() / run.result.end.seconds();
    const double back = 100.0 * static_cast<double>(uses.went_back) / static_cast<double>(uses.uses.size());
    const std::string sum = over_dca > 1.02   ? "moving beats reaching across"
                            : over_dca < 0.98 ? "reaching across beats moving"
                                              : "moving and reaching across take the same time";
    return fmt::format("{}, {}: a move costs the time of {:.0f} remote loads and the bytes of {:.0f}; {:.0f} % of the "
                       "moved pages are used so often before they move on, half of them {} times or less; {:.0f} % went "
                       "back to where they had been{}: {} ({:.2f} times as fast)",
                       c.workload, name_of(run.policy), even.by_time, even.by_bytes,
                       100.0 * static_cast<double>(paid) / static_cast<double>(uses.uses.size()), uses.median(), back,
                       m.pinned > 0 ? fmt::format(", {} times a page was kept from that", m.pinned) : "", sum, over_dca);
}

}  // namespace

std::vector<std::string> headline_of(const comparison& c) {
    std::vector<std::string> lines{speeds(c), cost_of_reaching_across(c)};
    for (const auto& run : c.runs) {
        if (!moves_pages(run.policy) || !run.result.complete()) continue;
        lines.push_back(moves(c, run));
        lines.push_back(worth(c, run));
    }
    std::erase_if(lines, [](const std::string& l) { return l.empty(); });
    return lines;
}

}  // namespace contraflow::unified_gpu
