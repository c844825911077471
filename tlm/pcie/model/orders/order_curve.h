// SPDX-License-Identifier: Apache-2.0
// The times of many orders, from the fastest to the slowest, for charts and tables. In seconds.
#pragma once

#include <cstdint>
#include <vector>

namespace contraflow::pcie::model {

// Two times are equal within this tolerance.
inline constexpr double equal_within = 1e-9;

class order_curve {
public:
    struct value {
        double time_s = 0.0;
        std::uint64_t orders = 0;
    };
    struct bin {
        double from_s = 0.0;
        double to_s = 0.0;
        std::uint64_t orders = 0;
    };

    order_curve() = default;
    // The input may be unsorted; times within 1e-9 of the smallest of them count as one.
    explicit order_curve(std::vector<value> times);

    const std::vector<value>& values() const { return values_; }  // ascending, distinct
    std::uint64_t orders() const { return orders_; }
    double fastest() const { return values_.front().time_s; }
    double slowest() const { return values_.back().time_s; }
    double median() const;                                  // for an even number: the mean of the middle two
    double at(std::uint64_t place) const;                   // 0: the fastest
    std::uint64_t within(double share) const;               // orders up to (1 + share) of the fastest
    std::vector<double> sampled(std::size_t points) const;  // evenly spaced points of the sorted curve
    std::vector<bin> histogram(std::size_t bins) const;     // bins of equal width, fastest to slowest

private:
    std::vector<value> values_;
    std::vector<std::uint64_t> up_to_;  // for each value: the number of orders up to and including it
    std::uint64_t orders_ = 0;
};

// Sorts, and counts equal times once.
void merge_equal(std::vector<order_curve::value>& times);

}  // namespace contraflow::pcie::model
