// SPDX-License-Identifier: Apache-2.0
#include "cosim/verilated_lanes.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <verilated_syms.h>

#include "Vlane_reversal_16.h"
#include "Vlane_reversal_2.h"
#include "Vlane_reversal_4.h"
#include "Vlane_reversal_8.h"
#include "wave/verilated_waves.h"

namespace contraflow::cosim {
namespace {

unsigned bytes_of(const VerilatedVar& v) {
    switch (v.vltype()) {
    case VLVT_UINT8: return 1;
    case VLVT_UINT16: return 2;
    case VLVT_UINT32: return 4;
    case VLVT_UINT64: return 8;
    default: return 0;
    }
}

// The scopes of the block's registers have its instance's name before them.
class register_finder {
public:
    register_finder(const VerilatedContext& context, const std::string& name) : prefix_(name + ".cf_lane_reversal.") {
        // The map is of the context's own, which outlives the model; only its accessor lacks a const.
        for (const auto& [scope_name, scope] : *const_cast<VerilatedContext&>(context).scopeNameMap()) {
            const std::string path = scope_name;
            if (!path.starts_with(prefix_) || scope->varsp() == nullptr) continue;
            for (const auto& [var_name, var] : *scope->varsp())
                if (const unsigned bytes = bytes_of(var); bytes != 0)
                    all_.push_back({path.substr(prefix_.size()) + '.' + var_name, {var.datap(), bytes}});
        }
        std::sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    // Taken out: what is left is `others`.
    rtl_register take(const std::string& path) {
        const auto at = std::find_if(all_.begin(), all_.end(), [&](const auto& r) { return r.first == path; });
        if (at == all_.end()) throw std::logic_error(fmt::format("{}{}: the RTL has no such register", prefix_, path));
        const rtl_register found = at->second;
        all_.erase(at);
        return found;
    }
    std::vector<rtl_register> others() const {
        std::vector<rtl_register> left;
        for (const auto& [path, r] : all_) left.push_back(r);
        return left;
    }

private:
    const std::string prefix_;
    std::vector<std::pair<std::string, rtl_register>> all_;
};

template <class Rtl> class model_of final : public lane_block::model {
public:
    model_of(unsigned lanes, const std::string& name, wave::wave_file* waves)
        : own_(waves == nullptr ? std::make_unique<VerilatedContext>() : nullptr),
          rtl_(own_ ? own_.get() : &wave::context_of(*waves), name.c_str()) {
        lanes_per_direction = lanes;
        find_registers(own_ ? *own_ : wave::context_of(*waves), name);
        if (waves != nullptr) rtl_.trace(&wave::trace_of(*waves), 99);
    }
    ~model_of() override {
        // Verilated scopes take leave of the thread's context, which is that of the block that was used last.
        Verilated::threadContextp(rtl_.contextp());
        rtl_.final();
    }

    void eval() override { rtl_.eval(); }
    void clock(bool high) override { rtl_.clk_i = high ? 1 : 0; }
    void reset(bool on) override { rtl_.rst_ni = on ? 0 : 1; }
    void events(bool launch, std::uint32_t failing) override {
        rtl_.launch_i = launch ? 1 : 0;
        set(rtl_.lane_fault_i, failing);
    }
    void valid(std::uint32_t on_a, std::uint32_t on_b) override {
        set(rtl_.a_valid_i, on_a);
        set(rtl_.b_valid_i, on_b);
    }
    void bus(bool select, bool enable, std::uint32_t address, std::uint32_t data) override {
        rtl_.psel_i = select ? 1 : 0;
        rtl_.penable_i = enable ? 1 : 0;
        rtl_.pwrite_i = select ? 1 : 0;
        set(rtl_.paddr_i, address);
        rtl_.pwdata_i = data;
    }
    bool bus_error() const override { return rtl_.pready_o == 0 || rtl_.pslverr_o != 0; }

    void show_registers(lane_view& v) const override {
        v.lanes = {rtl_.lanes_ab_o, rtl_.lanes_ba_o};
        v.turning = rtl_.turning_o;
        v.failed = rtl_.failed_o;
        v.pending = decision(rtl_.pending_o);
        v.a_serve = rtl_.a_serve_o;
        v.b_serve = rtl_.b_serve_o;
        v.a_drive = rtl_.a_drive_o;
        v.b_drive = rtl_.b_drive_o;
    }
    void show_all(lane_view& v) const override {
        show_registers(v);
        v.window_end = rtl_.window_end_o != 0;
        v.decision = decision(rtl_.decision_o);
        v.busy = {rtl_.busy_ab_o, rtl_.busy_ba_o};
        v.capacity = {rtl_.capacity_ab_o, rtl_.capacity_ba_o};
    }

private:
    template <class Pin> static void set(Pin& pin, std::uint32_t value) { pin = static_cast<Pin>(value); }
    static link::lane_decision decision(std::uint32_t code) {
        return code == 1   ? link::lane_decision::to_ab
               : code == 2 ? link::lane_decision::to_ba
                           : link::lane_decision::none;
    }
    const std::unique_ptr<VerilatedContext> own_;
    Rtl rtl_;
};

}  // namespace

void lane_block::model::find_registers(const VerilatedContext& context, const std::string& name) {
    register_finder all(context, name);
    cycle = all.take("u_monitor.cycle_q");
    busy = {all.take("u_monitor.busy_ab_q"), all.take("u_monitor.busy_ba_q")};
    capacity = {all.take("u_monitor.capacity_ab_q"), all.take("u_monitor.capacity_ba_q")};
    wait = all.take("u_decision.wait_q");
    for (unsigned i = 0; i < 2 * lanes_per_direction; ++i) {
        const std::string path = fmt::format("gen_lane[{}].u_turn.", i);
        lane l;
        l.timer = all.take(path + "timer_q");
        l.state = all.take(path + "state_q");
        l.to_ba = all.take(path + "to_ba_q");
        lanes.push_back(l);
    }
    sample_time = all.take("u_registers.u_settings.sample_time_q");
    switch_time = all.take("u_registers.u_settings.switch_time_q");
    turns = all.take("u_registers.u_events.turns_q");
    windows = all.take("u_registers.u_events.windows_q");
    leave = all.take("u_map.leave_o");
    back = all.take("u_map.back_o");
    others = all.others();
    for (const lane& l : lanes) {
        others.push_back(l.state);
        others.push_back(l.to_ba);
    }
    others.push_back(sample_time);
    others.push_back(switch_time);
    others.push_back(turns);
    others.push_back(windows);
}

std::unique_ptr<lane_block::model> make_lane_model(unsigned lanes_per_direction, const std::string& name,
                                                   wave::wave_file* waves) {
    switch (lanes_per_direction) {
    case 2: return std::make_unique<model_of<Vlane_reversal_2>>(2, name, waves);
    case 4: return std::make_unique<model_of<Vlane_reversal_4>>(4, name, waves);
    case 8: return std::make_unique<model_of<Vlane_reversal_8>>(8, name, waves);
    case 16: return std::make_unique<model_of<Vlane_reversal_16>>(16, name, waves);
    default: return nullptr;
    }
}

}  // namespace contraflow::cosim
