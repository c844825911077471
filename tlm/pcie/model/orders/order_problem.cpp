// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/order_problem.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace contraflow::pcie::model {

namespace {

// By send: how many equal ones stand before it.
std::vector<std::uint64_t> twins_before(const source_sends& source) {
    std::vector<std::uint64_t> before;
    for (auto at = source.sends.begin(); at != source.sends.end(); ++at)
        before.push_back(static_cast<std::uint64_t>(std::count(source.sends.begin(), at, *at)));
    return before;
}

}  // namespace

std::optional<std::uint64_t> count_orders(const order_problem& problem) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t count = 1;
    for (const source_sends& source : problem) {
        // The k-th send may stand in k places; of its m equals before it and itself, one order of m + 1 counts.
        const auto before = twins_before(source);
        for (std::uint64_t k = 1; k <= before.size(); ++k) {
            const std::uint64_t equals = before[k - 1] + 1;
            const std::uint64_t common = std::gcd(count, equals);
            const std::uint64_t factor = k / (equals / common);
            if (count / common > most / factor) return std::nullopt;
            count = count / common * factor;
        }
    }
    return count;
}

double approximate_orders(const order_problem& problem) {
    double count = 1.0;
    for (const source_sends& source : problem) {
        const auto before = twins_before(source);
        for (std::size_t k = 1; k <= before.size(); ++k)
            count *= static_cast<double>(k) / static_cast<double>(before[k - 1] + 1);
    }
    return count;
}

std::uint64_t different_sends(const source_sends& source) {
    const auto before = twins_before(source);
    return static_cast<std::uint64_t>(std::count(before.begin(), before.end(), 0U));
}

bool has_ranks(const order_problem& problem) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t ranks = 1;
    for (const source_sends& source : problem) {
        const std::uint64_t different = different_sends(source);
        for (std::uint64_t left = source.sends.size(); left > 1; --left) {
            const std::uint64_t choices = choices_of(left, different);
            if (ranks > most / choices) return false;
            ranks *= choices;
        }
    }
    return true;
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

// The first of each kind among the sends that are left, in their order.
std::vector<std::uint32_t> choices_among(const source_sends& source, const std::vector<std::uint32_t>& left) {
    std::vector<std::uint32_t> first;
    for (const std::uint32_t send : left)
        if (std::none_of(first.begin(), first.end(),
                         [&](std::uint32_t other) { return source.sends[other] == source.sends[send]; }))
            first.push_back(send);
    return first;
}

}  // namespace

std::uint64_t rank_of(const order_problem& problem, const send_order& order) {
    auto left = all_sends(problem);
    std::uint64_t rank = 0;
    for (std::size_t round = 0; round < rounds_of(problem); ++round)
        for (std::size_t s = 0; s < problem.size(); ++s) {
            if (left[s].empty()) continue;
            const auto choices = choices_among(problem[s], left[s]);
            const auto at = std::find_if(choices.begin(), choices.end(), [&](std::uint32_t c) {
                return problem[s].sends[c] == problem[s].sends[order[s][round]];
            });
            rank = rank * choices_of(left[s].size(), different_sends(problem[s])) +
                   static_cast<std::uint64_t>(at - choices.begin());
            std::erase(left[s], *at);
        }
    return rank;
}

send_order order_at(const order_problem& problem, std::uint64_t rank) {
    std::vector<std::vector<std::uint64_t>> digits(problem.size());
    for (std::size_t round = rounds_of(problem); round-- > 0;)
        for (std::size_t s = problem.size(); s-- > 0;) {
            if (problem[s].sends.size() <= round) continue;
            const std::uint64_t choices = choices_of(problem[s].sends.size() - round, different_sends(problem[s]));
            digits[s].push_back(rank % choices);
            rank /= choices;
        }
    auto left = all_sends(problem);
    send_order order(problem.size());
    for (std::size_t s = 0; s < problem.size(); ++s)
        for (std::size_t round = digits[s].size(); round-- > 0;) {
            const std::uint32_t send = choices_among(problem[s], left[s]).at(digits[s][round]);
            order[s].push_back(send);
            std::erase(left[s], send);
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
