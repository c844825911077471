// SPDX-License-Identifier: Apache-2.0
// A counter whose number is kept in its component: the most frequent numbers of a component lie side by side there, in
// few of the host's cache lines.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "observe/registry.h"

namespace contraflow::observe {

class counter_view final : public statistic {
public:
    counter_view(statistics& group, std::string path, std::string unit, std::string text, const std::uint64_t& number)
        : statistic(group, std::move(path), std::move(unit), std::move(text)),
          number_(number) {}

    std::uint64_t value() const { return number_ - at_reset_; }

    void append_rows(core::sim_time, std::vector<stat_row>& rows) const override {
        rows.push_back(row("count", static_cast<double>(value())));
    }
    void reset(core::sim_time) override { at_reset_ = number_; }

private:
    const std::uint64_t& number_;
    std::uint64_t at_reset_ = 0;
};

}  // namespace contraflow::observe
