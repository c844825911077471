// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/order_problem.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace contraflow::pcie::model {

std::optional<std::uint64_t> count_orders(const order_problem& problem) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t count = 1;
    for (const source_sends& source : problem)
        for (std::uint64_t k = 2; k <= source.sends.size(); ++k) {
            if (count > most / k) return std::nullopt;
            count *= k;
        }
    return count;
}

double approximate_orders(const order_problem& problem) {
    double count = 1.0;
    for (const source_sends& source : problem)
        for (std::size_t k = 2; k <= source.sends.size(); ++k) count *= static_cast<double>(k);
    return count;
}

namespace {

std::size_t rounds_of(const order_problem& problem) {
    std::size_t most = 0;
    for (const source_sends& source : problem) most = std::max(most, source.sends.size());
    return most;
}

std::vector<std::vector<std::uint32_t>> all_sends(const order_problem& problem) {
    std::vector<std::vector<std::uint32_t>> all;
    for (const source_sends& source : problem) {
        all.emplace_back(source.sends.size());
        std::iota(all.back().begin(), all.back().end(), 0U);
    }
    return all;
}

}  // namespace

std::uint64_t rank_of(const order_problem& problem, const send_order& order) {
    auto left = all_sends(problem);
    std::uint64_t rank = 0;
    for (std::size_t round = 0; round < rounds_of(problem); ++round)
        for (std::size_t s = 0; s < problem.size(); ++s) {
            if (left[s].empty()) continue;
            const auto at = std::find(left[s].begin(), left[s].end(), order[s][round]);
            rank = rank * left[s].size() + static_cast<std::uint64_t>(at - left[s].begin());
            left[s].erase(at);
        }
    return rank;
}

send_order order_at(const order_problem& problem, std::uint64_t rank) {
    std::vector<std::vector<std::uint64_t>> digits(problem.size());
    for (std::size_t round = rounds_of(problem); round-- > 0;)
        for (std::size_t s = problem.size(); s-- > 0;) {
            if (problem[s].sends.size() <= round) continue;
            const std::uint64_t choices = problem[s].sends.size() - round;
            digits[s].push_back(rank % choices);
            rank /= choices;
        }
    auto left = all_sends(problem);
    send_order order(problem.size());
    for (std::size_t s = 0; s < problem.size(); ++s)
        for (std::size_t round = digits[s].size(); round-- > 0;) {
            const auto at = left[s].begin() + static_cast<std::ptrdiff_t>(digits[s][round]);
            order[s].push_back(*at);
            left[s].erase(at);
        }
    return order;
}

std::vector<communication> in_order(const topology& tree, const order_problem& problem, const send_order& order) {
    std::vector<communication> list;
    for (std::size_t s = 0; s < problem.size(); ++s)
        for (const std::uint32_t send : order[s]) {
            const send_to& to = problem[s].sends[send];
            list.push_back(
                {tree[problem[s].from].name + "->" + tree[to.to].name, problem[s].from, to.to, to.size, 0.0});
        }
    return list;
}

}  // namespace contraflow::pcie::model
