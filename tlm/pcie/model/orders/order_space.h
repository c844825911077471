// SPDX-License-Identifier: Apache-2.0
// A problem of orders prepared for millions of simulations: every send has a path and a time at full rate, every set of
// active sends has a code. Shared by all threads and immutable.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "pcie/model/network.h"
#include "pcie/model/orders/order_problem.h"
#include "pcie/model/orders/order_symmetry.h"
#include "pcie/model/path_table.h"

namespace contraflow::pcie::model {

class order_space {
public:
    static constexpr std::size_t most_sources = 64;
    static constexpr std::size_t most_sends = 63;  // per source
    static constexpr std::uint8_t idle = 0xff;

    struct send {
        path_id path = 0;
        double alone_s = 0.0;  // at the network's reference bandwidth
    };

    // Throws std::invalid_argument: too many sources or sends, a source twice, a send of 0 bytes, no path.
    order_space(const network& net, order_problem problem);
    order_space(const order_space&) = delete;
    order_space& operator=(const order_space&) = delete;

    const network& net() const { return paths_.net(); }
    const path_table& paths() const { return paths_; }
    const order_problem& problem() const { return problem_; }
    std::size_t sources() const { return problem_.size(); }
    const std::vector<send>& sends(std::size_t source) const { return sends_[source]; }
    const std::vector<order_symmetry>& symmetries() const { return symmetries_; }

    // The set of active sends as a number: the sum over the sources of radix * (active send + 1). If it does not fit
    // into 64 bits, there are no codes.
    bool has_codes() const { return has_codes_; }
    std::uint64_t codes() const { return codes_; }  // all are below this
    std::uint64_t radix(std::size_t source) const { return radix_[source]; }
    // The equal sends of the same source that stand before this one, as bits: it is not chosen while one of them is
    // left.
    std::uint64_t twins_before(std::size_t source, std::size_t send) const { return twins_before_[source][send]; }
    bool has_twins(std::size_t source) const { return has_twins_[source] != 0; }
    // The sends among which to choose, of those left.
    std::uint64_t choices(std::size_t source, std::uint64_t todo) const {
        if (!has_twins(source)) return todo;
        std::uint64_t first = 0;
        for (std::uint64_t rest = todo; rest != 0; rest &= rest - 1) {
            const auto send = static_cast<std::size_t>(std::countr_zero(rest));
            if ((todo & twins_before_[source][send]) == 0) first |= std::uint64_t{1} << send;
        }
        return first;
    }
    // The first of the sends that equal this one.
    std::uint8_t first_twin(std::size_t source, std::uint8_t send) const {
        const std::uint64_t before = twins_before_[source][send];
        return before == 0 ? send : static_cast<std::uint8_t>(std::countr_zero(before));
    }
    // The contribution to an order's rank of choosing number `digit` among the `left` remaining sends.
    std::uint64_t rank_weight(std::size_t source, std::size_t left) const { return rank_weight_[source][left]; }

private:
    order_problem problem_;
    path_table paths_;
    std::vector<std::vector<send>> sends_;
    std::vector<order_symmetry> symmetries_;
    std::vector<std::uint64_t> radix_;
    std::uint64_t codes_ = 1;
    bool has_codes_ = true;
    std::vector<std::vector<std::uint64_t>> twins_before_;
    std::vector<char> has_twins_;
    std::vector<std::vector<std::uint64_t>> rank_weight_;
};

}  // namespace contraflow::pcie::model
