// SPDX-License-Identifier: Apache-2.0
// A Verilated cf_lane_reversal or cf_lane_core of any size behind pins_if. Include it only where it is instantiated,
// because Verilator's headers conflict with <systemc>. Inputs change while the clock is low.
#pragma once

#include <utility>

#include "cosim/pins.h"

namespace contraflow::cosim {

template <class Rtl, class Base = pins_if> class verilated_pins : public Base {
public:
    // The first evaluation sees no edges: it comes before the reset, and the reset is one.
    template <class... Arguments>
    explicit verilated_pins(Arguments&&... arguments) : rtl_(std::forward<Arguments>(arguments)...) {
        rtl_.clk_i = 0;
        rtl_.rst_ni = 1;
    }
    ~verilated_pins() override { rtl_.final(); }

    void edge() override {
        rtl_.clk_i = 1;
        rtl_.eval();
        show_registers();
    }
    void drive(const inputs& in) override {
        set(in);
        rtl_.clk_i = 0;
        rtl_.eval();
        show_all();
    }
    const outputs& out() const override { return out_; }

protected:
    void set(const inputs& in) {
        rtl_.rst_ni = in.rst_n;
        rtl_.psel_i = in.psel;
        rtl_.penable_i = in.penable;
        rtl_.pwrite_i = in.pwrite;
        rtl_.paddr_i = in.paddr;
        rtl_.pwdata_i = in.pwdata;
        rtl_.launch_i = in.launch;
        put(rtl_.lane_fault_i, in.fault);
        put(rtl_.a_valid_i, in.a_valid);
        put(rtl_.b_valid_i, in.b_valid);
        if constexpr (is_core) {
            rtl_.window_end_i = in.window_end;
            rtl_.totals_i = in.totals;
            put(rtl_.busy_ab_i, in.busy_ab);
            put(rtl_.busy_ba_i, in.busy_ba);
            put(rtl_.capacity_ab_i, in.capacity_ab);
            put(rtl_.capacity_ba_i, in.capacity_ba);
        }
    }

    Rtl rtl_;
    outputs out_;

private:
    static constexpr bool is_core = requires(Rtl & r) { r.window_end_i; };

    template <class Pin> static void put(Pin& pin, std::uint64_t value) { pin = static_cast<Pin>(value); }

    void show_registers() {
        out_.a_serve = rtl_.a_serve_o;
        out_.b_serve = rtl_.b_serve_o;
        out_.a_drive = rtl_.a_drive_o;
        out_.b_drive = rtl_.b_drive_o;
        out_.running = rtl_.running_o;
        out_.lanes_ab = rtl_.lanes_ab_o;
        out_.lanes_ba = rtl_.lanes_ba_o;
        out_.turning = rtl_.turning_o;
        out_.failed = rtl_.failed_o;
        out_.pending = rtl_.pending_o;
        out_.under_way = rtl_.under_way_o;
        out_.pready = rtl_.pready_o;
    }
    // Shows also the outputs that depend on the cycle's inputs.
    void show_all() {
        show_registers();
        out_.prdata = rtl_.prdata_o;
        out_.pslverr = rtl_.pslverr_o;
        out_.irq = rtl_.irq_o;
        out_.idle = rtl_.idle_o;
        out_.decision = rtl_.decision_o;
        if constexpr (is_core) {
            out_.sample_time = rtl_.sample_time_o;
        } else {
            out_.window_end = rtl_.window_end_o;
            out_.totals = rtl_.totals_o;
            out_.busy_ab = rtl_.busy_ab_o;
            out_.busy_ba = rtl_.busy_ba_o;
            out_.capacity_ab = rtl_.capacity_ab_o;
            out_.capacity_ba = rtl_.capacity_ba_o;
        }
    }
};

}  // namespace contraflow::cosim
