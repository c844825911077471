// SPDX-License-Identifier: Apache-2.0
#include "observe/histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace contraflow::observe {

histogram::histogram(statistics& group, std::string path, std::string unit, std::string text)
    : statistic(group, std::move(path), std::move(unit), std::move(text)) {}

double histogram::mean() const {
    if (count_ == 0) return 0;
    const double sum = std::ldexp(static_cast<double>(sum_high_), 64) + static_cast<double>(sum_);
    return sum / static_cast<double>(count_);
}

double histogram::middle_of(std::size_t bucket) {
    if (bucket < (1u << exact_bits)) return static_cast<double>(bucket);
    const auto shift = static_cast<unsigned>((bucket >> steps_log2) - 1);
    const auto low = static_cast<std::uint64_t>(bucket - (static_cast<std::size_t>(shift) << steps_log2)) << shift;
    return static_cast<double>(low) + static_cast<double>((std::uint64_t{1} << shift) - 1) / 2;
}

double histogram::percentile(double share) const {
    if (count_ == 0) return 0;
    const double wanted = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_));
    const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
    if (rank == count_) return static_cast<double>(max_);
    std::uint64_t below = 0;
    std::size_t bucket = 0;
    while ((below += (*counts_)[bucket]) < rank) ++bucket;
    return std::min(middle_of(bucket), static_cast<double>(max_));
}

void histogram::append_rows(core::sim_time, std::vector<stat_row>& rows) const {
    rows.push_back(row("count", "samples", static_cast<double>(count_)));
    rows.push_back(row("mean", mean()));
    rows.push_back(row("p50", percentile(0.50)));
    rows.push_back(row("p95", percentile(0.95)));
    rows.push_back(row("p99", percentile(0.99)));
    rows.push_back(row("max", static_cast<double>(max_)));
}

void histogram::reset(core::sim_time) {
    counts_.reset();
    count_ = sum_ = sum_high_ = max_ = 0;
}

}  // namespace contraflow::observe
