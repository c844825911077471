// SPDX-License-Identifier: Apache-2.0
// Two levels of one block differ: a defect in one of them, which ends the run.
#pragma once

#include <stdexcept>
#include <string>

namespace contraflow::cosim {

class level_difference : public std::runtime_error {
public:
    // `where`: the link's name. The last text describes the difference and names both levels.
    level_difference(std::string where, std::uint64_t cycle, const std::string& what)
        : std::runtime_error(what),
          where_(std::move(where)),
          cycle_(cycle) {}
    const std::string& where() const { return where_; }
    std::uint64_t cycle() const { return cycle_; }

private:
    std::string where_;
    std::uint64_t cycle_;
};

}  // namespace contraflow::cosim
