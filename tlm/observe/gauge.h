// SPDX-License-Identifier: Apache-2.0
// Something that has a value at every moment (entries in a queue, credits, lanes): its time-weighted mean, its maximum
// and its present value. 0 until first set.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "observe/registry.h"

namespace contraflow::observe {

class gauge final : public statistic {
public:
    gauge(statistics& group, std::string path, std::string unit, std::string text)
        : statistic(group, std::move(path), std::move(unit), std::move(text)) {}

    void set(core::sim_time now, double value) {
        area_ += value_ * static_cast<double>((now - changed_).ps);
        changed_ = now;
        value_ = value;
        if (value > max_) max_ = value;
    }
    double last() const { return value_; }
    double max() const { return max_; }
    double mean(core::sim_time end) const {
        if (end <= start_) return value_;
        const double area = area_ + value_ * static_cast<double>(end > changed_ ? (end - changed_).ps : 0);
        return area / static_cast<double>((end - start_).ps);
    }

    void append_rows(core::sim_time end, std::vector<stat_row>& rows) const override {
        rows.push_back(row("mean", mean(end)));
        rows.push_back(row("max", max_));
        rows.push_back(row("last", value_));
    }
    void reset(core::sim_time now) override {
        start_ = changed_ = now;
        area_ = 0;
        max_ = value_;
    }

private:
    core::sim_time start_{};
    core::sim_time changed_{};
    double area_ = 0;  // value x ps
    double value_ = 0;
    double max_ = 0;
};

}  // namespace contraflow::observe
