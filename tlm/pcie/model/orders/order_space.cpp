// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/order_space.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "pcie/model/factors.h"

namespace contraflow::pcie::model {

order_space::order_space(const network& net, order_problem problem) : problem_(std::move(problem)), paths_(net) {
    if (problem_.empty()) throw std::invalid_argument("no source sends anything");
    if (problem_.size() > most_sources)
        throw std::invalid_argument(
            fmt::format("{} sources: the search knows up to {}", problem_.size(), most_sources));
    std::set<node_id> seen;
    for (const source_sends& source : problem_) {
        if (source.from >= net.tree().size()) throw std::invalid_argument("a source that is not a node");
        const std::string& name = net.tree()[source.from].name;
        if (!seen.insert(source.from).second)
            throw std::invalid_argument(fmt::format("two lists of sends of '{}'", name));
        if (source.sends.size() > most_sends)
            throw std::invalid_argument(
                fmt::format("'{}' has {} sends: the search knows up to {}", name, source.sends.size(), most_sends));
        auto& sends = sends_.emplace_back();
        for (const send_to& to : source.sends) {
            if (to.size.count == 0) throw std::invalid_argument(fmt::format("'{}' sends 0 bytes", name));
            sends.push_back({find_path(paths_, source.from, to.to),
                             static_cast<double>(to.size.count) / net.reference().bytes_per_s});
        }
    }
    for (const source_sends& source : problem_) {
        auto& before = twins_before_.emplace_back(source.sends.size(), 0);
        for (std::size_t i = 0; i < source.sends.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (source.sends[i] == source.sends[j]) before[i] |= std::uint64_t{1} << j;
        has_twins_.push_back(std::any_of(before.begin(), before.end(), [](std::uint64_t b) { return b != 0; }) ? 1 : 0);
    }
    symmetries_ = find_symmetries(net, problem_);

    radix_.assign(problem_.size(), 0);
    for (std::size_t s = problem_.size(); s-- > 0 && has_codes_;) {
        radix_[s] = codes_;
        const std::uint64_t values = sends_[s].size() + 1;
        has_codes_ = codes_ <= std::numeric_limits<std::uint64_t>::max() / values;
        if (has_codes_) codes_ *= values;
    }
    if (!has_codes_) radix_.assign(problem_.size(), 0);

    // By rounds, as in rank_of. With more than 2^63 orders, ranks wrap around and are not used.
    std::size_t rounds = 0;
    for (const auto& sends : sends_) {
        rank_weight_.emplace_back(sends.size() + 1, 0);
        rounds = std::max(rounds, sends.size());
    }
    std::vector<std::uint64_t> different;
    for (const source_sends& source : problem_) different.push_back(different_sends(source));
    std::uint64_t after = 1;
    for (std::size_t round = rounds; round-- > 0;)
        for (std::size_t s = problem_.size(); s-- > 0;) {
            if (sends_[s].size() <= round) continue;
            const std::size_t left = sends_[s].size() - round;
            rank_weight_[s][left] = after;
            after *= choices_of(left, different[s]);
        }
}

}  // namespace contraflow::pcie::model
