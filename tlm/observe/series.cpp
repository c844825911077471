// SPDX-License-Identifier: Apache-2.0
#include "observe/series.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::observe {

series::series(statistics& group, std::string path, std::string unit, std::string text, core::sim_time window)
    : statistic(group, std::move(path), std::move(unit), std::move(text)),
      window_(window),
      amounts_(max_windows) {
    if (window.ps == 0) throw std::logic_error(fmt::format("statistics: '{}' has a window of 0", this->path()));
}

void series::select(core::sim_time now) {
    while (now.ps / window_.ps >= max_windows) merge_neighbours();
    current_ = static_cast<std::size_t>(now.ps / window_.ps);
    begin_ = window_ * current_;
    end_ = begin_ + window_;
    used_ = std::max(used_, current_ + 1);
}

void series::merge_neighbours() {
    for (std::size_t i = 0; i < max_windows / 2; ++i) amounts_[i] = amounts_[2 * i] + amounts_[2 * i + 1];
    std::fill(amounts_.begin() + max_windows / 2, amounts_.end(), 0.0);
    used_ = (used_ + 1) / 2;
    window_ = window_ * 2;
}

std::vector<series::point> series::points() const {
    std::vector<point> result;
    result.reserve(used_);
    for (std::size_t i = 0; i < used_; ++i) result.push_back({window_ * i, amounts_[i]});
    return result;
}

void series::append_rows(core::sim_time, std::vector<stat_row>& rows) const {
    const double peak = *std::max_element(amounts_.begin(), amounts_.end());
    rows.push_back(row("total", std::accumulate(amounts_.begin(), amounts_.end(), 0.0)));
    rows.push_back(row("peak_rate", unit() + "/s", peak / window_.seconds()));
}

void series::reset(core::sim_time) {
    std::fill(amounts_.begin(), amounts_.end(), 0.0);
    begin_ = end_ = {};
    current_ = used_ = 0;
}

}  // namespace contraflow::observe
