// SPDX-License-Identifier: Apache-2.0
// A Verilated cf_lane_core of any size, with checkpoints by checkpoint.h. Only for sources that instantiate it.
#pragma once

#include <cstdint>
#include <vector>

#include "cosim/checkpoint.h"
#include "cosim/lane_rtl.h"
#include "cosim/verilated_pins.h"

namespace contraflow::cosim {

struct core_context {
    VerilatedContext context;
};

template <class Rtl> class verilated_core final : core_context, public verilated_pins<Rtl, lane_core_if> {
public:
    verilated_core() : verilated_pins<Rtl, lane_core_if>(&context, "core") { this->rtl_.eval(); }

    void save(std::vector<std::uint8_t>& to) override {
        thread_local saved_bytes bytes;
        bytes.begin();
        bytes << this->rtl_;
        bytes.copy_to(to);
    }
    void restore(const std::vector<std::uint8_t>& from) override {
        thread_local restored_bytes bytes;
        bytes.begin(from);
        bytes >> this->rtl_;
    }
};

}  // namespace contraflow::cosim
