// SPDX-License-Identifier: Apache-2.0
// The Verilated block behind pins_if, compiled once for each build of it.
#include "lane_reversal/bench/verilated_block.h"

#include "cosim/verilated_pins.h"
#include "lib/build_context.h"
#include "lib/suite_if.h"

namespace contraflow::lane_reversal {
namespace {

class verilated_block final : lib::build_context, public cosim::verilated_pins<CF_MODEL, block_if> {
public:
    explicit verilated_block(std::uint32_t variant) : verilated_pins(context(), "block") { begin(rtl_, variant); }

    void edge() override {
        half_cycle();
        verilated_pins::edge();
    }
    void drive(const inputs& in) override {
        half_cycle();
        verilated_pins::drive(in);
    }

    void clear_coverage() override { build_context::clear_coverage(); }
    void write_coverage(const std::string& file) override { build_context::write_coverage(file); }
};

}  // namespace

block_parameters block_parameters_of_build() {
    block_parameters p;
    p.lanes_per_direction = CF_LANES_PER_DIRECTION;
    p.time_width = CF_TIME_WIDTH;
    p.path_width = CF_PATH_WIDTH;
    p.reset.sample_time = CF_SAMPLE_TIME;
    p.reset.switch_time = CF_SWITCH_TIME;
    p.reset.drain = CF_DRAIN;
    p.reset.sync_latency = CF_SYNC_LATENCY;
    p.reset.threshold = CF_THRESHOLD;
    p.reset.min_lanes = CF_MIN_LANES;
    return p;
}

std::unique_ptr<block_if> make_block(std::uint32_t variant) { return std::make_unique<verilated_block>(variant); }

}  // namespace contraflow::lane_reversal

namespace contraflow::lib {

const char* set_name() { return CF_SET_NAME; }

}  // namespace contraflow::lib
