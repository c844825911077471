// SPDX-License-Identifier: Apache-2.0
// The Verilated block behind pins_if. Compiled once for each build of it: CF_MODEL is its class, CF_MODEL_HEADER the
// header, CF_LANES the lanes of a direction; CF_RESET_* what registers hold after reset, where that
// is not the default.
#include "check/bench/verilated_block.h"

#include CF_MODEL_HEADER
#ifdef CF_SELECT
#include CF_MODEL_ROOT_HEADER
#endif

#include <verilated.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif

#include "cosim/verilated_pins.h"

namespace contraflow::check {
namespace {

// Destroyed after the block that belongs to it.
struct block_context {
    VerilatedContext context;
};

class verilated_block final : block_context, public cosim::verilated_pins<CF_MODEL, block_if> {
public:
    explicit verilated_block([[maybe_unused]] std::uint32_t variant) : verilated_pins(&context, "block") {
        context.assertOn(true);
#ifdef CF_SELECT
        // An internal variable. It is written once, so that the logic behind it is not computed in every cycle.
        rtl_.rootp->CF_SELECT = variant;
#endif
        rtl_.eval();
    }

    void edge() override {
        context.timeInc(1);
        verilated_pins::edge();
    }
    void drive(const inputs& in) override {
        context.timeInc(1);
        verilated_pins::drive(in);
    }

    void clear_coverage() override {
#if VM_COVERAGE
        context.coveragep()->zero();
#endif
    }
    void write_coverage([[maybe_unused]] const std::string& file) override {
#if VM_COVERAGE
        context.coveragep()->write(file.c_str());
#endif
    }
};

}  // namespace

block_parameters block_parameters_of_build() {
    block_parameters p;
    p.lanes_per_direction = CF_LANES;
#ifdef CF_TIME_WIDTH
    p.time_width = CF_TIME_WIDTH;
#endif
#ifdef CF_PATH_WIDTH
    p.path_width = CF_PATH_WIDTH;
#endif
#ifdef CF_RESET_SAMPLE_TIME
    p.reset.sample_time = CF_RESET_SAMPLE_TIME;
#endif
#ifdef CF_RESET_SWITCH_TIME
    p.reset.switch_time = CF_RESET_SWITCH_TIME;
#endif
#ifdef CF_RESET_DRAIN
    p.reset.drain = CF_RESET_DRAIN;
#endif
#ifdef CF_RESET_MIN_LANES
    p.reset.min_lanes = CF_RESET_MIN_LANES;
#endif
    return p;
}

const char* set_name() { return CF_SET_NAME; }

std::unique_ptr<block_if> make_block(std::uint32_t variant) { return std::make_unique<verilated_block>(variant); }

}  // namespace contraflow::check
