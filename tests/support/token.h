// SPDX-License-Identifier: Apache-2.0
// A carried item with a number, which notes its path.
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
