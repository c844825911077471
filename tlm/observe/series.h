// SPDX-License-Identifier: Apache-2.0
// Amounts (bytes, TLPs) by window of simulated time. Memory is fixed: when the windows are used up, neighbours are
// merged and the window doubles, so a long run has coarser data, never more.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "observe/registry.h"

namespace contraflow::observe {

class series final : public statistic {
public:
    static constexpr std::size_t max_windows = 4096;

    struct point {
        core::sim_time begin{};
        double amount = 0;
    };

    // A window of 0 is an error in the program: std::logic_error.
    series(statistics& group, std::string path, std::string unit, std::string text, core::sim_time window);

    void add(core::sim_time now, double amount) {
        if (now < begin_ || now >= end_) select(now);
        amounts_[current_] += amount;
    }
    core::sim_time window() const { return window_; }
    // From time 0 to the last window in which something was added.
    std::vector<point> points() const;

    // "total" and "peak_rate" (the fullest window's amount per second).
    void append_rows(core::sim_time end, std::vector<stat_row>& rows) const override;
    // Windows keep their width; points begin at 0 again and are empty up to now.
    void reset(core::sim_time now) override;

private:
    void select(core::sim_time now);
    void merge_neighbours();

    core::sim_time window_;
    core::sim_time begin_{};  // begin of the current window; none before the first add
    core::sim_time end_{};
    std::size_t current_ = 0;
    std::size_t used_ = 0;  // windows up to the last one selected
    std::vector<double> amounts_;
};

}  // namespace contraflow::observe
