// SPDX-License-Identifier: Apache-2.0
// How often something happened, or an amount. Counting is one addition.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "observe/registry.h"

namespace contraflow::observe {

class counter final : public statistic {
public:
    counter(statistics& group, std::string path, std::string unit, std::string text)
        : statistic(group, std::move(path), std::move(unit), std::move(text)) {}

    counter& operator+=(std::uint64_t amount) {
        value_ += amount;
        return *this;
    }
    counter& operator++() {
        ++value_;
        return *this;
    }
    std::uint64_t value() const { return value_; }

    void append_rows(core::sim_time, std::vector<stat_row>& rows) const override {
        rows.push_back(row("count", static_cast<double>(value_)));
    }
    void reset(core::sim_time) override { value_ = 0; }

private:
    std::uint64_t value_ = 0;
};

}  // namespace contraflow::observe
