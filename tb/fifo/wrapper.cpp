// SPDX-License-Identifier: Apache-2.0
// The Verilated queue behind fifo_block, compiled once for each build of it.
#include "fifo/fifo_block.h"
#include "lib/build_context.h"
#include "lib/suite_if.h"

namespace contraflow::fifo {
namespace {

class verilated_fifo final : lib::build_context, public fifo_block {
public:
    explicit verilated_fifo(std::uint32_t variant) : rtl_(context(), "fifo") {
        rtl_.clk_i = 0;
        rtl_.rst_ni = 1;
        begin(rtl_, variant);
    }
    ~verilated_fifo() override { rtl_.final(); }

    void edge() override {
        half_cycle();
        rtl_.clk_i = 1;
        rtl_.eval();
    }
    void drive(const inputs& in) override {
        half_cycle();
        rtl_.clk_i = 0;
        rtl_.rst_ni = in.rst_n;
        rtl_.in_valid_i = in.in_valid;
        put(rtl_.in_data_i, in.in_data);
        rtl_.out_ready_i = in.out_ready;
        rtl_.eval();
        out_ = {rtl_.in_ready_o != 0, rtl_.out_valid_o != 0, rtl_.out_data_o};
    }

    void clear_coverage() override { build_context::clear_coverage(); }
    void write_coverage(const std::string& file) override { build_context::write_coverage(file); }

private:
    template <class Pin> static void put(Pin& pin, std::uint64_t value) { pin = static_cast<Pin>(value); }

    CF_MODEL rtl_;
};

}  // namespace

std::unique_ptr<fifo_block> make_block(std::uint32_t variant) { return std::make_unique<verilated_fifo>(variant); }
parameters parameters_of_build() { return {CF_WIDTH, CF_DEPTH}; }

}  // namespace contraflow::fifo

namespace contraflow::lib {

const char* set_name() { return CF_SET_NAME; }

}  // namespace contraflow::lib
