// SPDX-License-Identifier: Apache-2.0
// An item to carry that knows its number and where it has been.
#pragma once

#include <cstdint>

#include "core/transfer.h"

namespace contraflow::testing {

struct token final : core::transfer {
    explicit token(std::uint64_t n) : number(n) {}
    void crossed(const char*, bool, core::sim_time, core::sim_time) override { ++links; }
    void passed(const char*, core::sim_time) override { ++nodes; }
    std::uint64_t number;
    unsigned links = 0, nodes = 0;
};

}  // namespace contraflow::testing
