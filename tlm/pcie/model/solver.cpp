// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace contraflow::pcie::model {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
// The factor of a communication that a rule stops altogether: its logarithm must stay finite.
constexpr double without_end = 1e9;

}  // namespace

congestion_solver::congestion_solver(const path_table& paths) : paths_(paths), net_(paths.net()) {
    const std::size_t ports = net_.ports();
    used_.assign((ports + 63) / 64, 0);
    head_.resize(ports);
    groups_on_.resize(ports);
    conflict_.resize(ports);
    bound_.resize(ports);
    narrow_.resize(ports);
    passing_.resize(ports);
    increment_.resize(ports);
    stamp_.assign(ports + 1, 0);
    slot_.resize(ports + 1);
}

std::span<const double> congestion_solver::solve(std::span<const path_id> active) {
    enter(active);
    const port_index first_down = net_.first_down_port();
    for_each_used_port([&](port_index p) {
        if (passes_alone(p)) return;
        p < first_down ? share_up(p) : share_down(p);
    });
    std::copy(rho_.begin(), rho_.end(), final_.begin());
    if ((any_conflict_ || any_narrow_) && block()) redistribute();
    if (!net_.uniform()) keep_within_rates();
    return final_;
}

void congestion_solver::enter(std::span<const path_id> active) {
    const std::size_t n = active.size();
    active_.assign(active.begin(), active.end());
    source_.resize(n);
    rho_.resize(n);
    final_.resize(n);
    blocked_.assign(n, {});
    clipped_.assign(n, no_port);
    group_.resize(n);
    stride_ = paths_.longest();
    if (const std::size_t uses = n * stride_; next_.size() < uses) {
        next_.resize(uses);
        flow_.resize(uses);
        port_.resize(uses);
        before_.resize(uses);
        after_.resize(uses);
        lowered_.resize(uses);
        group_of_.resize(uses);
    }
    std::fill(used_.begin(), used_.end(), 0);
    any_conflict_ = false;
    any_narrow_ = false;

    // Backwards, so that a port's list has its communications in order.
    for (std::size_t i = n; i-- > 0;) {
        const path_facts& facts = paths_[active[i]];
        source_[i] = rho_[i] = facts.source_capacity;
        auto u = static_cast<use>(i * stride_);
        auto before = static_cast<port_index>(net_.ports());
        for (const port_index p : paths_.ports(active[i])) {
            std::uint64_t& word = used_[p >> 6];
            const std::uint64_t bit = std::uint64_t{1} << (p & 63);
            next_[u] = (word & bit) != 0 ? head_[p] : no_use;
            word |= bit;
            head_[p] = u;
            flow_[u] = static_cast<std::uint32_t>(i);
            port_[u] = p;
            before_[u] = before;
            before = p;
            ++u;
        }
    }
}

// The common case: between equal links a single communication passes unchanged, except out of a root complex.
bool congestion_solver::passes_alone(port_index p) {
    const use u = head_[p];
    if (next_[u] != no_use || !net_.uniform() || net_.of_root_complex(p)) return false;
    groups_on_[p] = 1;
    conflict_[p] = 0;
    after_[u] = rho_[flow_of(u)];
    lowered_[u] = 0;
    return true;
}

unsigned congestion_solver::count_groups(port_index p) {
    ++now_;
    unsigned count = 0;
    for (use u = head_[p]; u != no_use; u = next_[u]) {
        const port_index before = before_[u];
        if (stamp_[before] != now_) {
            stamp_[before] = now_;
            slot_[before] = count;
            group_[count++] = {};
        }
        group& g = group_[slot_[before]];
        const std::size_t i = flow_of(u);
        group_of_[u] = slot_[before];
        g.offered += rho_[i];
        g.crosses_root_complex = g.crosses_root_complex || paths_[active_[i]].crosses_root_complex;
    }
    groups_on_[p] = count;
    conflict_[p] = count >= 2;
    any_conflict_ = any_conflict_ || count >= 2;
    return count;
}

void congestion_solver::scale(port_index p, double by) {
    for (use u = head_[p]; u != no_use; u = next_[u]) {
        const std::size_t i = flow_of(u);
        const double before = rho_[i];
        if (by < 1.0) rho_[i] *= by;
        after_[u] = rho_[i];
        lowered_[u] = before - rho_[i] > tolerance * source_[i];
    }
}

// Unequal links: where one input meets a narrower link, the communications that are held up slow those behind them by
// the same factor.
void congestion_solver::note_narrow(port_index p, unsigned groups, double share) {
    const bool narrow = !net_.uniform() && groups == 1 && share < 1.0 - tolerance;
    narrow_[p] = narrow ? share : 1.0;
    any_narrow_ = any_narrow_ || narrow;
}

void congestion_solver::share_up(port_index p) {
    const unsigned n = count_groups(p);
    double sum = 0.0;
    for (unsigned g = 0; g < n; ++g) sum += group_[g].offered;
    const double capacity = net_.capacity(p);
    const bool overloaded = sum > capacity * (1.0 + tolerance);
    scale(p, overloaded ? capacity / sum : 1.0);
    note_narrow(p, n, capacity / sum);
}

void congestion_solver::share_down(port_index p) {
    const unsigned n = count_groups(p);
    double sum = 0.0;
    for (unsigned g = 0; g < n; ++g) sum += group_[g].offered;
    const double capacity = net_.capacity(p);
    const double slack = capacity * tolerance;
    const double tau = net_.tau() * capacity;
    const bool overloaded = sum > capacity + slack;
    if (n == 1) {
        if (net_.of_root_complex(p) && sum > capacity - tau + slack)
            scale(p, (capacity - tau) / sum);
        else
            scale(p, overloaded && !net_.uniform() ? capacity / sum : 1.0);
        note_narrow(p, n, capacity / sum);
        return;
    }
    note_narrow(p, n, 1.0);
    if (!overloaded) {
        scale(p, 1.0);
        return;
    }
    bool any_crosses = false;
    for (unsigned g = 0; g < n; ++g) any_crosses = any_crosses || group_[g].crosses_root_complex;
    for (unsigned g = 0; g < n; ++g) {
        double grant = capacity / n;
        if (any_crosses) grant = group_[g].crosses_root_complex ? std::max(grant - tau, 0.0) : grant + tau;
        group_[g].granted = std::min(grant, group_[g].offered);
    }
    for (use u = head_[p]; u != no_use; u = next_[u]) {
        const std::size_t i = flow_of(u);
        const group& g = group_[group_of_[u]];
        const double before = rho_[i];
        if (g.granted < g.offered) rho_[i] = before * g.granted / g.offered;
        after_[u] = rho_[i];
        lowered_[u] = before - rho_[i] > tolerance * source_[i];
    }
}

bool congestion_solver::block() {
    for_each_used_port([&](port_index p) {
        bound_[p] = {unbounded, nobody, no_port};
        passing_[p] = {1.0, nobody, no_port};
    });
    const std::size_t n = active_.size();
    for (std::size_t i = 0; i < n; ++i) {
        front later{unbounded, static_cast<std::uint32_t>(i), no_port};
        front passing{1.0, static_cast<std::uint32_t>(i), no_port};
        for (std::size_t u = i * stride_ + paths_[active_[i]].length; u-- > i * stride_;) {
            const port_index p = port_[u];
            if (later.bound < bound_[p].bound) bound_[p] = later;
            if (conflict_[p])
                if (const double value = after_[u] / source_[i]; value <= later.bound) {
                    later.bound = value;
                    later.held_at = p;
                }
            if (!any_narrow_) continue;
            if (passing.bound < passing_[p].bound) passing_[p] = passing;
            if (narrow_[p] < 1.0) {
                passing.bound *= narrow_[p];
                passing.held_at = p;
            }
        }
    }
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) {
        double least = rho_[i] - tolerance * source_[i];
        for (std::size_t u = i * stride_; u < i * stride_ + paths_[active_[i]].length; ++u) {
            const port_index p = port_[u];
            if (const double bound = bound_[p].bound * source_[i]; bound < least) {
                least = final_[i] = bound;
                blocked_[i] = {p, bound_[p]};
            }
            if (!any_narrow_) continue;
            if (const double bound = passing_[p].bound * after_[u]; bound < least) {
                least = final_[i] = bound;
                blocked_[i] = {p, passing_[p]};
            }
        }
        any = any || blocked_[i].at != no_port;
    }
    return any;
}

double congestion_solver::increment(port_index p) const {
    double left = 0.0;
    unsigned takers = 0;
    for (use u = head_[p]; u != no_use; u = next_[u]) {
        const std::size_t i = flow_of(u);
        if (blocked_[i].at != no_port)
            left += after_[u] - std::min(after_[u], final_[i]);
        else
            ++takers;
    }
    return takers == 0 ? 0.0 : left / takers;
}

void congestion_solver::redistribute() {
    for_each_used_port([&](port_index p) { increment_[p] = increment(p); });
    for (std::size_t i = 0; i < active_.size(); ++i) {
        if (blocked_[i].at != no_port) continue;
        const path_facts& facts = paths_[active_[i]];
        double rate = facts.capacity;
        for (std::size_t u = i * stride_; u < i * stride_ + facts.length; ++u) {
            const port_index p = port_[u];
            if (groups_on_[p] >= 2 || lowered_[u]) rate = std::min(rate, after_[u] + increment_[p]);
        }
        final_[i] = rate;
    }
}

void congestion_solver::keep_within_rates() {
    for_each_used_port([&](port_index p) {
        double sum = 0.0;
        for (use u = head_[p]; u != no_use; u = next_[u]) sum += final_[flow_of(u)];
        if (sum <= net_.capacity(p)) return;
        const double by = net_.capacity(p) / sum;
        for (use u = head_[p]; u != no_use; u = next_[u]) {
            final_[flow_of(u)] *= by;
            if (by < 1.0 - tolerance) clipped_[flow_of(u)] = p;
        }
    });
}

double congestion_solver::load(port_index p) const {
    if ((used_[p >> 6] >> (p & 63) & 1) == 0) return 0.0;
    double sum = 0.0;
    for (use u = head_[p]; u != no_use; u = next_[u]) sum += final_[flow_of(u)];
    return sum / net_.capacity(p);
}

// ---- why a communication is slow, from the intermediate results of the rules

std::string_view to_text(reason why) {
    static constexpr std::array<std::string_view, reasons> texts{
        "none", "source", "upstream share", "downstream share", "root complex", "head of line"};
    return texts[static_cast<std::size_t>(why)];
}

// How much longer it takes at a port because of the loss at the root complex; what sharing costs there is left out.
double congestion_solver::root_complex_times(std::size_t i, use u) const {
    const port_index p = port_[u];
    if (!lowered_[u] || !paths_[active_[i]].crosses_root_complex || p < net_.first_down_port()) return 1.0;
    double group = 0.0;
    double all = 0.0;
    for (use v = head_[p]; v != no_use; v = next_[v]) {
        const bool at_source = v == flow_of(v) * stride_;
        const double offered = at_source ? source_[flow_of(v)] : after_[v - 1];
        all += offered;
        if (before_[v] == before_[u]) group += offered;
    }
    const double capacity = net_.capacity(p);
    if (groups_on_[p] == 1)
        return net_.of_root_complex(p) ? std::max(1.0, std::min(all, capacity) / (capacity * (1.0 - net_.tau()))) : 1.0;
    const double without = std::min(group, capacity / groups_on_[p]);
    const double granted = std::min(group, std::max(capacity / groups_on_[p] - net_.tau() * capacity, 0.0));
    return std::clamp(without / granted, 1.0, without_end);
}

// Among the ports that limit it: the one that leaves it least; among equals the one that lowered it.
hold congestion_solver::narrowest(std::size_t i) const {
    const path_facts& facts = paths_[active_[i]];
    use worst = no_use;
    double least = 0.0;
    for (std::size_t u = i * stride_; u < i * stride_ + facts.length; ++u) {
        if (groups_on_[port_[u]] < 2 && !lowered_[u]) continue;
        const double rate = after_[u] + increment(port_[u]);
        const double slack = tolerance * source_[i];
        if (worst == no_use || rate < least - slack || (rate <= least + slack && lowered_[u] && !lowered_[worst])) {
            worst = static_cast<use>(u);
            least = rate;
        }
    }
    if (worst == no_use) return {};
    return {root_complex_times(i, worst) > 1.0 + tolerance ? reason::root_complex : share_at(port_[worst]),
            net_.port(port_[worst]),
            nobody,
            {}};
}

// Each port that lowered it, and what blocked it, with the logarithm of its factor as the weight. A narrower link on
// the path is no loss by itself; and what rule D gave back is taken from all in proportion.
std::vector<loss> congestion_solver::losses(std::size_t i) const {
    const path_facts& facts = paths_[active_[i]];
    std::vector<loss> causes;
    if (final_[i] >= facts.capacity * (1.0 - tolerance)) return causes;
    double sum = 0.0;
    const auto add = [&](const hold& cause, double weight) {
        if (weight <= tolerance) return;
        causes.push_back({cause, 1.0, weight});
        sum += weight;
    };
    double before = source_[i];
    double alone = source_[i];
    for (std::size_t u = i * stride_; u < i * stride_ + facts.length; ++u) {
        const port_index p = port_[u];
        const double expected = alone / std::min(alone, net_.capacity(p));
        const double root_complex = root_complex_times(i, static_cast<use>(u));
        const double lowered = after_[u] < before / without_end ? without_end : before / after_[u];
        add({share_at(p), net_.port(p), nobody, {}}, std::log(lowered / root_complex / expected));
        add({reason::root_complex, net_.port(p), nobody, {}}, std::log(root_complex));
        alone = std::min(alone, net_.capacity(p));
        before = after_[u];
    }
    const double all = std::log(std::min(facts.capacity / final_[i], without_end));
    if (const blockage& b = blocked_[i]; b.at != no_port)
        add({reason::head_of_line, net_.port(b.at), b.behind.by, net_.port(b.behind.held_at)},
            std::log(std::min(rho_[i] / final_[i], without_end)));
    else if (clipped_[i] != no_port)
        add({share_at(clipped_[i]), net_.port(clipped_[i]), nobody, {}}, all - sum);
    if (causes.empty()) add(narrowest(i), all);
    // Rounded, so that equal causes stay in the order of the path.
    std::stable_sort(causes.begin(), causes.end(), [](const loss& a, const loss& b) {
        return std::llround(a.share / tolerance) > std::llround(b.share / tolerance);
    });
    for (loss& c : causes) {
        c.share /= sum;
        c.times = std::exp(all * c.share);
    }
    return causes;
}

}  // namespace contraflow::pcie::model
