// SPDX-License-Identifier: Apache-2.0
// A formula over other statistics, evaluated when the rows are written; 0 if its denominator is 0.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "observe/registry.h"

namespace contraflow::observe {

class ratio final : public statistic {
public:
    ratio(statistics& group, std::string path, std::string unit, std::string text, std::function<double()> numerator,
          std::function<double()> denominator)
        : statistic(group, std::move(path), std::move(unit), std::move(text)),
          numerator_(std::move(numerator)),
          denominator_(std::move(denominator)) {}

    double value() const {
        const double below = denominator_();
        return below == 0 ? 0 : numerator_() / below;
    }

    void append_rows(core::sim_time, std::vector<stat_row>& rows) const override {
        rows.push_back(row("ratio", value()));
    }
    void reset(core::sim_time) override {}  // its operands are reset themselves

private:
    const std::function<double()> numerator_;
    const std::function<double()> denominator_;
};

}  // namespace contraflow::observe
