// SPDX-License-Identifier: Apache-2.0
#include "validate/table/row.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace contraflow::validate {

band band::exactly(std::vector<double> wanted) {
    band b;
    for (const double w : wanted) {
        b.low_.push_back(w - 1e-9 * std::abs(w));
        b.high_.push_back(w + 1e-9 * std::abs(w));
    }
    const bool all_the_same = std::adjacent_find(wanted.begin(), wanted.end(), std::not_equal_to<>()) == wanted.end();
    if (all_the_same) wanted.resize(1);
    b.text_ = fmt::format("exactly {:.5g}", fmt::join(wanted, ", "));
    return b;
}

band band::rounding_to(std::vector<double> wanted, unsigned decimals) {
    band b;
    b.text_.clear();
    const double half = 0.5 * std::pow(10.0, -static_cast<double>(decimals));
    for (const double w : wanted) {
        b.low_.push_back(w - half);
        b.high_.push_back(w + half);
        b.text_ += fmt::format("{}{:.{}f}", b.text_.empty() ? "" : ", ", w, decimals);
    }
    return b;
}

band band::between(double low, double high) {
    band b;
    b.low_ = {low};
    b.high_ = {high};
    b.text_ = fmt::format("{:.2f} to {:.2f}", low, high);
    return b;
}

band band::all_between(const std::vector<std::pair<double, double>>& ranges) {
    band b;
    b.text_.clear();
    for (const auto& [low, high] : ranges) {
        b.low_.push_back(low);
        b.high_.push_back(high);
        b.text_ += b.text_.empty() ? "" : ", ";
        b.text_ += low == high        ? fmt::format("{}", low)
                   : std::isinf(high) ? fmt::format("at least {}", low)
                                      : fmt::format("{} to {}", low, high);
    }
    return b;
}

band band::at_least(double low) {
    band b;
    b.low_ = {low};
    b.high_ = {std::numeric_limits<double>::infinity()};
    b.text_ = fmt::format("at least {}", low);
    return b;
}

bool band::holds(const std::vector<double>& values) const {
    if (values.size() != low_.size()) return false;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!has(i, values[i])) return false;
    return true;
}

bool band::excludes(const std::vector<double>& published) const {
    if (published.size() != low_.size()) return false;
    for (std::size_t i = 0; i < published.size(); ++i)
        if (!std::isnan(published[i]) && !has(i, published[i])) return true;
    return false;
}

std::string group_of(const std::string& id) {
    const bool is_member = id.size() > 1 && id.back() >= 'a' && id.back() <= 'z';
    return is_member ? id.substr(0, id.size() - 1) : id;
}

}  // namespace contraflow::validate
