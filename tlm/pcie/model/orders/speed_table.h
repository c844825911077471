// SPDX-License-Identifier: Apache-2.0
// The speed of each source's active message (messages per second), for each set of active sends, computed once. If
// there are few sets, all are computed beforehand and shared by the threads; otherwise each thread caches those it
// needs.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pcie/model/orders/order_space.h"
#include "pcie/model/orders/order_state.h"
#include "pcie/model/solver.h"

namespace contraflow::pcie::model {

// Row `code` holds `slots` speeds; empty if there are more than `most_codes` codes.
class shared_speeds {
public:
    shared_speeds(const order_space& space, std::size_t slots, std::uint64_t most_codes, unsigned jobs);
    const double* data() const { return speeds_.empty() ? nullptr : speeds_.data(); }

private:
    std::vector<double> speeds_;
};

// The speeds of one set; slots without an active send get 0.
void compute_speeds(const order_space& space, congestion_solver& solver, const std::uint8_t* active, double* speeds,
                    std::size_t slots);

// One object per thread.
template <std::size_t Slots> class speed_table {
public:
    speed_table(const order_space& space, const shared_speeds& shared)
        : space_(space),
          shared_(shared.data()),
          solver_(space.paths()) {}

    const double* of(const order_state<Slots>& state) {
        if (shared_ != nullptr) return shared_ + state.code * Slots;
        if (!space_.has_codes()) {
            compute_speeds(space_, solver_, state.active.data(), own_.data(), Slots);
            return own_.data();
        }
        if (met_.size() >= most_met) met_.clear();
        const auto [at, is_new] = met_.try_emplace(state.code);
        if (is_new) compute_speeds(space_, solver_, state.active.data(), at->second.data(), Slots);
        return at->second.data();
    }

private:
    static constexpr std::size_t most_met = (std::size_t{1} << 24) / (Slots * sizeof(double));  // 16 MiB
    const order_space& space_;
    const double* shared_;
    congestion_solver solver_;
    std::array<double, Slots> own_{};
    std::unordered_map<std::uint64_t, std::array<double, Slots>> met_;
};

}  // namespace contraflow::pcie::model
