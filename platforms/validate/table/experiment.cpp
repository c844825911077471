// SPDX-License-Identifier: Apache-2.0
#include "validate/table/experiment.h"

#include <algorithm>
#include <cmath>

namespace contraflow::validate {
namespace {

// Relative; absolute where nothing is expected.
double error_of(double expected, double measured) {
    const double apart = measured - expected;
    return expected == 0 ? apart : apart / std::abs(expected);
}

}  // namespace

std::string group_of(const experiment& e) { return e.id.substr(0, e.id.find('.')); }

bool holds(const experiment& e, const answer& a) {
    if (a.expected.empty() || a.expected.size() != a.measured.size()) return false;
    for (std::size_t i = 0; i < a.expected.size(); ++i) {
        const double error = error_of(a.expected[i], a.measured[i]);
        const bool low_enough = error <= e.tolerance, high_enough = error >= -e.tolerance;  // false for a NaN
        if (e.holds_if != relation::at_least && !low_enough) return false;
        if (e.holds_if != relation::at_most && !high_enough) return false;
        if (!std::isfinite(error)) return false;
    }
    return true;
}

double largest_error(const answer& a) {
    double largest = 0;
    for (std::size_t i = 0; i < std::min(a.expected.size(), a.measured.size()); ++i) {
        const double error = error_of(a.expected[i], a.measured[i]);
        if (!std::isfinite(error)) return error;
        if (std::abs(error) > std::abs(largest)) largest = error;
    }
    return largest;
}

}  // namespace contraflow::validate
