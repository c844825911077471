// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/order_curve.h"

#include <algorithm>
#include <cmath>

namespace contraflow::pcie::model {

void merge_equal(std::vector<order_curve::value>& times) {
    std::sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (kept > 0 && times[kept - 1].time_s == times[i].time_s)
            times[kept - 1].orders += times[i].orders;
        else
            times[kept++] = times[i];
    }
    times.resize(kept);
}

order_curve::order_curve(std::vector<value> times) {
    merge_equal(times);
    for (const value& v : times) {
        if (values_.empty() || v.time_s > values_.back().time_s * (1.0 + equal_within)) {
            values_.push_back(v);
            up_to_.push_back(orders_);
        } else {
            values_.back().orders += v.orders;
        }
        orders_ += v.orders;
        up_to_.back() = orders_;
    }
}

double order_curve::at(std::uint64_t place) const {
    const auto it = std::upper_bound(up_to_.begin(), up_to_.end(), place);
    return values_[static_cast<std::size_t>(it - up_to_.begin())].time_s;
}

double order_curve::median() const { return 0.5 * (at((orders_ - 1) / 2) + at(orders_ / 2)); }

std::uint64_t order_curve::within(double share) const {
    std::uint64_t count = 0;
    for (const value& v : values_) {
        if (v.time_s > fastest() * (1.0 + share + equal_within)) break;
        count += v.orders;
    }
    return count;
}

std::vector<double> order_curve::sampled(std::size_t points) const {
    std::vector<double> curve;
    if (orders_ == 0) return curve;
    const double last = static_cast<double>(orders_ - 1);
    for (std::size_t i = 0; i < points; ++i) {
        const double share = points == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(points - 1);
        curve.push_back(at(static_cast<std::uint64_t>(std::llround(share * last))));
    }
    return curve;
}

std::vector<order_curve::bin> order_curve::histogram(std::size_t bins) const {
    std::vector<bin> result;
    if (orders_ == 0 || bins == 0) return result;
    const double width = (slowest() - fastest()) / static_cast<double>(bins);
    for (std::size_t i = 0; i < bins; ++i)
        result.push_back(
            {fastest() + width * static_cast<double>(i), fastest() + width * static_cast<double>(i + 1), 0});
    result.back().to_s = slowest();
    for (const value& v : values_) {
        const double place = width > 0.0 ? std::floor((v.time_s - fastest()) / width) : 0.0;
        result[std::min(bins - 1, static_cast<std::size_t>(place))].orders += v.orders;
    }
    return result;
}

}  // namespace contraflow::pcie::model
