// SPDX-License-Identifier: Apache-2.0
// Survey propagation on a random formula: each clause warns its variables of how likely it depends on them, each
// variable gathers its warnings; when these have settled, variables that lean far enough to one side are fixed.
// Source: Braunstein, Mezard, Zecchina: Survey Propagation: An Algorithm for Satisfiability, 2005, equations 18 to 22
// and 26 to 29; kernels for clauses and literals as in the LonestarGPU suite.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "workloads/graph/formula.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/placement.h"
#include "workloads/support/segment_walk.h"
#include "workloads/support/usual_block.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

constexpr double strongest = 1 - 0x1p-20;  // warning: dividing by 1 - warning still works
constexpr std::uint32_t is_free = 0, is_true = 1, is_false = 2;

class survey_propagation_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t variables = 1000;
        double ratio = 4.2;
        unsigned rounds = 2;
        unsigned sweeps = 2;
        double settled = 0.01;
        double leaning = 0.6;
        bool spread = false;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("variables", &spec::variables).in(3, 1 << 24).text("variables of the formula");
            f("ratio", &spec::ratio)
                .in(1, 16)
                .text("clauses a variable; above about 4.27 most formulas have no answer");
            f("rounds", &spec::rounds).in(1, 1000).text("rounds of sweeping and fixing");
            f("sweeps", &spec::sweeps).in(1, 1000).text("sweeps of a round, at most");
            f("settled", &spec::settled).in(0, 1).text("a round ends when no warning changes by more");
            f("leaning", &spec::leaning).in(0, 1).text("a variable that leans more to one side is fixed");
            f("spread", &spec::spread).text("data of literals is spread over all sockets instead of the first");
            f("seed", &spec::seed).text("seed of the formula and the first warnings");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.variables = 60'000;
        return s;
    }
    explicit survey_propagation_workload(const spec& s)
        : spec_(s),
          formula_(random_formula(s.variables, static_cast<std::uint32_t>(s.variables * s.ratio), s.seed)),
          clauses_(static_cast<std::uint32_t>(formula_.clauses.size())) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    kernel gather(wave w);
    kernel warn(wave w);
    kernel fix(wave w);
    std::vector<double> first_warnings() const;

    const spec spec_;
    const formula formula_;
    const std::uint32_t clauses_;
    array<double> warning_;                               // literal by literal: the inbox of each
    array<std::uint32_t> inbox_;                          // the beginning of each inbox
    std::array<array<std::uint32_t>, 3> literal_, slot_;  // by clause: its literals, its place in their inboxes
    std::array<array<double>, 3> sent_;                   // by clause: the warnings it has sent
    array<double> unwarned_;                              // by literal: product of 1 - warning
    array<std::uint32_t> fixed_;                          // by variable
    array<std::uint64_t> change_;                         // the greatest of this sweep, as a real number's bits
};

void survey_propagation_workload::prepare(device_memory& memory) {
    std::vector<std::uint32_t> inbox(2 * std::size_t{spec_.variables} + 1);
    for (const auto& c : formula_.clauses)
        for (const std::uint32_t literal : c) ++inbox[literal + 1];
    std::partial_sum(inbox.begin(), inbox.end(), inbox.begin());
    warning_ = memory.allocate<double>(3 * std::size_t{clauses_});
    inbox_ = memory.upload(inbox);
    std::vector<std::uint32_t> next(inbox);
    std::array<std::vector<std::uint32_t>, 3> literal, slot;
    std::array<std::vector<double>, 3> sent;
    const auto first = first_warnings();
    for (const auto& c : formula_.clauses) {
        for (unsigned k = 0; k < 3; ++k) {
            literal[k].push_back(c[k]);
            slot[k].push_back(next[c[k]]);
            sent[k].push_back(first[next[c[k]]++]);
        }
    }
    for (unsigned k = 0; k < 3; ++k) {
        literal_[k] = memory.upload(literal[k]);
        slot_[k] = memory.upload(slot[k]);
        sent_[k] = memory.upload(sent[k]);
    }
    unwarned_ = memory.allocate<double>(2 * std::size_t{spec_.variables});
    fixed_ = memory.allocate<std::uint32_t>(spec_.variables);
    change_ = memory.allocate<std::uint64_t>(1);
}

std::vector<double> survey_propagation_workload::first_warnings() const {
    std::vector<double> first(3 * std::size_t{clauses_});
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = std::min(input_real(spec_.seed, i), strongest);
    return first;
}

host_task survey_propagation_workload::run(gpu_system_if& gpu) {
    const std::uint32_t literals = blocks_for(2 * std::uint64_t{spec_.variables}, usual_block);
    if (!spec_.spread) {
        co_await place_at_first_socket(gpu, warning_);
        co_await place_at_first_socket(gpu, unwarned_);
        co_await place_at_first_socket(gpu, fixed_);
    }
    gpu.memory().write(warning_, first_warnings());
    for (unsigned round = 0; round < spec_.rounds; ++round) {
        for (unsigned sweep = 0; sweep < spec_.sweeps; ++sweep) {
            co_await gpu.launch({"gather", literals, usual_block, this, &survey_propagation_workload::gather});
            gpu.memory().write(change_, 0, std::uint64_t{0});
            co_await gpu.launch(
                {"warn", blocks_for(clauses_, usual_block), usual_block, this, &survey_propagation_workload::warn});
            if (std::bit_cast<double>(gpu.memory().read(change_, 0)) <= spec_.settled) break;
        }
        co_await gpu.launch({"gather", literals, usual_block, this, &survey_propagation_workload::gather});
        co_await gpu.launch(
            {"fix", blocks_for(spec_.variables, usual_block), usual_block, this, &survey_propagation_workload::fix});
    }
}

kernel survey_propagation_workload::gather(wave w) {
    const auto literal = per_thread<std::uint32_t>(w.global_ids());
    const mask in = literal < 2 * spec_.variables;
    const auto [begin, end, fixed] =
        co_await w.all(w.load(inbox_, literal, in), w.load(inbox_, literal + 1, in), w.load(fixed_, literal / 2, in));
    per_thread<double> product(1.0);
    segment_walk walk(w, begin, end, in && fixed == is_free);
    while (walk.next()) {
        const auto warning = co_await w.load(warning_, walk.item(), walk.here());
        walk.fold_into_owners(warning, product, [](double p, double each) { return p * (1 - each); });
    }
    // If a variable is fixed, the warning of its true literal is certain, and the other literal has none.
    product.assign(fixed == is_true && literal % 2 == 0u, 0.0);
    product.assign(fixed == is_false && literal % 2 == 1u, 0.0);
    co_await w.store(unwarned_, literal, product, in);
}

// The probability that each literal can't satisfy this clause. The warning to one is the product over the others.
kernel survey_propagation_workload::warn(wave w) {
    const auto clause = w.global_ids();
    const mask in = clause < clauses_;
    std::array<per_thread<double>, 3> before, fails;
    std::array<per_thread<std::uint32_t>, 3> slot;
    for (unsigned k = 0; k < 3; ++k) {
        const auto [literal, place, warning] =
            co_await w.all(w.load(literal_[k], clause, in), w.load(slot_[k], clause, in), w.load(sent_[k], clause, in));
        slot[k] = place;
        const auto [same, against] =
            co_await w.all(w.load(unwarned_, literal, in), w.load(unwarned_, literal ^ 1u, in));
        before[k] = warning;
        const auto others = same / (1.0 - warning);
        const auto sum = others + against - others * against;
        fails[k] = select(sum > 0.0, others * (1.0 - against) / sum, 0.0);
        w.work(40);  // two divisions among them
    }
    per_thread<double> change;
    for (unsigned k = 0; k < 3; ++k) {
        const auto now = min(fails[(k + 1) % 3] * fails[(k + 2) % 3], strongest);
        change = max(change, abs(now - before[k]));
        co_await w.all(w.store(warning_, slot[k], now, in), w.store(sent_[k], clause, now, in));
    }
    w.work(20);
    const double greatest = max_of(change, in);
    if (in.any()) co_await w.atomic_max(change_, 0, std::bit_cast<std::uint64_t>(greatest), mask::thread(0));
}

kernel survey_propagation_workload::fix(wave w) {
    const auto v = w.global_ids();
    const mask in = v < spec_.variables;
    const auto [no_for, no_against, fixed] =
        co_await w.all(w.load(unwarned_, v * 2, in), w.load(unwarned_, v * 2 + 1, in), w.load(fixed_, v, in));
    const auto yes = (1.0 - no_for) * no_against, no = (1.0 - no_against) * no_for;
    const auto sum = yes + no + no_for * no_against;
    const auto lean = select(sum > 0.0, (yes - no) / sum, 0.0);
    w.work(20);
    const mask leans = in && fixed == is_free && abs(lean) > spec_.leaning;
    co_await w.store(fixed_, v, select(lean > 0.0, per_thread<std::uint32_t>(is_true), is_false), leans);
}

std::string survey_propagation_workload::verify(device_memory& memory) {
    std::vector<std::vector<std::uint32_t>> places(2 * std::size_t{spec_.variables});  // clause and position in it
    for (std::uint32_t c = 0; c < clauses_; ++c)
        for (unsigned k = 0; k < 3; ++k) places[formula_.clauses[c][k]].push_back(3 * c + k);
    std::vector<double> warning(3 * std::size_t{clauses_});  // by clause here, by literal on the device
    const auto first = first_warnings();
    std::size_t next = 0;
    for (const auto& of_literal : places)
        for (const std::uint32_t p : of_literal) warning[p] = first[next++];

    std::vector<std::uint32_t> fixed(spec_.variables, is_free);
    // The product over all warnings of a literal but one.
    const auto unwarned = [&](std::uint32_t literal, std::uint32_t but) {
        if (fixed[literal / 2] != is_free) return (fixed[literal / 2] == is_true) == (literal % 2 == 0) ? 0.0 : 1.0;
        double product = 1;
        for (const std::uint32_t p : places[literal]) product *= p == but ? 1 : 1 - warning[p];
        return product;
    };
    constexpr std::uint32_t none = 0xffffffffu;
    for (unsigned round = 0; round < spec_.rounds; ++round) {
        double change = 2;
        for (unsigned sweep = 0; sweep < spec_.sweeps && change > spec_.settled; ++sweep) {
            std::vector<double> fails(warning.size()), now(warning.size());
            for (std::uint32_t p = 0; p < warning.size(); ++p) {
                const std::uint32_t literal = formula_.clauses[p / 3][p % 3];
                const double same = unwarned(literal, p), against = unwarned(literal ^ 1, none);
                const double sum = same * (1 - against) + (1 - same) * against + same * against;
                fails[p] = sum > 0 ? same * (1 - against) / sum : 0;
            }
            change = 0;
            for (std::uint32_t p = 0; p < warning.size(); ++p) {
                const std::uint32_t c = p / 3 * 3;
                now[p] = std::min(fails[c + (p + 1) % 3] * fails[c + (p + 2) % 3], strongest);
                change = std::max(change, std::abs(now[p] - warning[p]));
            }
            warning = now;
        }
        for (std::uint32_t v = 0; v < spec_.variables; ++v) {
            const double no_for = unwarned(2 * v, none), no_against = unwarned(2 * v + 1, none);
            const double yes = (1 - no_for) * no_against, no = (1 - no_against) * no_for;
            const double lean = (yes - no) / (yes + no + no_for * no_against);
            if (fixed[v] == is_free && std::abs(lean) > spec_.leaning) fixed[v] = lean > 0 ? is_true : is_false;
        }
    }
    std::vector<double> by_literal;
    for (const auto& of_literal : places)
        for (const std::uint32_t p : of_literal) by_literal.push_back(warning[p]);
    // The kernel divides by 1 - warning, which is at least 2^-20, to remove the clause's own factor: that can amplify
    // roundings of 2^-53 by 2^20. Rounds and sweeps are few.
    const auto wrong = difference("warning", memory.read(warning_), by_literal, 1e-9, 1);
    return wrong.empty() ? difference("fixed", memory.read(fixed_), fixed) : wrong;
}

}  // namespace

workload_entry survey_propagation() {
    return entry_of<survey_propagation_workload>("survey_propagation",
                                                 "clauses warn the variables of a random formula, all into one socket",
                                                 "SP of LonestarGPU");
}

}  // namespace contraflow::workloads
