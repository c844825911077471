// SPDX-License-Identifier: Apache-2.0
// The Verilated block behind pins_if. Compiled once for each build of it: CF_MODEL is its class, CF_MODEL_HEADER the
// header, CF_LANES the lanes of a direction; CF_RESET_* what registers hold after reset, where that
// is not the default.
#include "check/verilated_block.h"

#include CF_MODEL_HEADER
#ifdef CF_SELECT
#include CF_MODEL_ROOT_HEADER
#endif

#include <verilated.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif

namespace contraflow::check {
namespace {

class verilated_block final : public block_if {
public:
    // The first evaluation sees no edges: it comes before the reset, and the reset is one.
    explicit verilated_block([[maybe_unused]] std::uint32_t variant) {
        context_.assertOn(true);
#ifdef CF_SELECT
        // A variable inside, written once, so that what hangs on it is computed once and not in every cycle.
        block_.rootp->CF_SELECT = variant;
#endif
        block_.clk_i = 0;
        block_.rst_ni = 1;
        block_.eval();
    }
    ~verilated_block() override { block_.final(); }

    void edge() override {
        block_.clk_i = 1;
        context_.timeInc(1);
        block_.eval();
        out_.a_serve = block_.a_serve_o;
        out_.b_serve = block_.b_serve_o;
        out_.turning = block_.turning_o;
        out_.pready = block_.pready_o;
    }

    void drive(const inputs& in) override {
        block_.clk_i = 0;
        block_.rst_ni = in.rst_n;
        block_.psel_i = in.psel;
        block_.penable_i = in.penable;
        block_.pwrite_i = in.pwrite;
        block_.paddr_i = in.paddr;
        block_.pwdata_i = in.pwdata;
        block_.launch_i = in.launch;
        block_.lane_fault_i = in.fault;
        block_.a_valid_i = in.a_valid;
        block_.b_valid_i = in.b_valid;
        context_.timeInc(1);
        block_.eval();
        sample();
    }

    const outputs& out() const override { return out_; }

    void clear_coverage() override {
#if VM_COVERAGE
        context_.coveragep()->zero();
#endif
    }
    void write_coverage([[maybe_unused]] const std::string& file) override {
#if VM_COVERAGE
        context_.coveragep()->write(file.c_str());
#endif
    }

private:
    void sample() {
        out_.prdata = block_.prdata_o;
        out_.pready = block_.pready_o;
        out_.pslverr = block_.pslverr_o;
        out_.irq = block_.irq_o;
        out_.a_serve = block_.a_serve_o;
        out_.b_serve = block_.b_serve_o;
        out_.a_drive = block_.a_drive_o;
        out_.b_drive = block_.b_drive_o;
        out_.running = block_.running_o;
        out_.lanes_ab = block_.lanes_ab_o;
        out_.lanes_ba = block_.lanes_ba_o;
        out_.turning = block_.turning_o;
        out_.failed = block_.failed_o;
        out_.window_end = block_.window_end_o;
        out_.decision = block_.decision_o;
        out_.pending = block_.pending_o;
        out_.busy_ab = block_.busy_ab_o;
        out_.busy_ba = block_.busy_ba_o;
        out_.capacity_ab = block_.capacity_ab_o;
        out_.capacity_ba = block_.capacity_ba_o;
    }

    VerilatedContext context_;
    CF_MODEL block_{&context_, "block"};
    outputs out_;
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
