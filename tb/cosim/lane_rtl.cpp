// SPDX-License-Identifier: Apache-2.0
#include "cosim/lane_rtl.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "Vlane_core_16.h"
#include "Vlane_core_8.h"
#include "Vlane_reversal_16.h"
#include "Vlane_reversal_8.h"
#include "cosim/verilated_core.h"
#include "link/lanes/lane_reversal_registers.h"
#include "wave/verilated_waves.h"

namespace contraflow::cosim {
namespace {

namespace regs = link::lane_reversal_registers;

constexpr std::array<unsigned, 2> built{8, 16};  // lanes per direction, as in CMakeLists.txt

std::optional<config::problem> too_long(const char* key, core::cycles value, const regs::field& f) {
    const std::uint64_t most = (std::uint64_t{1} << f.width) - 1;
    if (value.count <= most) return std::nullopt;
    return config::problem{fmt::format("{} is {}, and the RTL's register {} holds {} at most", key,
                                       core::to_text(value), f.name, core::to_text(core::cycles{most})),
                           {{key, "at most " + core::to_text(core::cycles{most})}}};
}

std::optional<config::problem> too_short(const char* key, core::cycles value) {
    if (value.count >= decision_cycles) return std::nullopt;
    const std::string least = core::to_text(core::cycles{decision_cycles});
    return config::problem{fmt::format("{} is {}, and the RTL takes {} to decide", key, core::to_text(value), least),
                           {{key, "at least " + least}}};
}

template <class Rtl> class traceable_block final : wave::block_context, public verilated_pins<Rtl> {
public:
    traceable_block(const std::string& name, wave::wave_file* waves)
        : block_context(waves),
          verilated_pins<Rtl>(context(), name.c_str()),
          traced_(waves != nullptr) {
        if (waves != nullptr) this->rtl_.trace(&wave::trace_of(*waves), 99);
        this->rtl_.eval();
    }
    ~traceable_block() override { enter(); }

    void edge() override {
        verilated_pins<Rtl>::edge();
        if (!traced_) return;
        // The first half of a cycle shows the outputs of registers, without inputs.
        inputs none;
        none.rst_n = this->rtl_.rst_ni != 0;
        none.fault = this->rtl_.lane_fault_i;
        this->set(none);
        this->rtl_.eval();
    }

private:
    const bool traced_;
};

}  // namespace

unsigned rtl_lanes_for(const link::lane_spec& s) {
    const auto* const at =
        std::find_if(built.begin(), built.end(), [&](unsigned n) { return n >= s.lanes_per_direction; });
    return at == built.end() ? 0 : *at;
}

std::optional<config::problem> problem_of(const link::lane_spec& s) {
    if (s.policy != "static" && s.policy != "published" && s.policy != "guarded")
        return config::problem{fmt::format("the RTL has no policy {}", s.policy),
                               {{"policy", "static, published or guarded"}}};
    if (rtl_lanes_for(s) == 0)
        return config::problem{fmt::format("{} lanes a direction, and the RTL is built for {} at most",
                                           s.lanes_per_direction, built.back()),
                               {{"lanes_per_direction", fmt::format("at most {}", built.back())}}};
    for (const auto& problem : {too_long("sample_time", s.sample_time, regs::sample_time_cycles),
                                too_long("switch_time", s.switch_time, regs::switch_time_cycles),
                                too_long("drain", s.drain, regs::drain_cycles),
                                too_long("sync_latency", s.sync_latency, regs::sync_latency_cycles),
                                too_short("sample_time", s.sample_time), too_short("sync_latency", s.sync_latency)})
        if (problem) return problem;
    return std::nullopt;
}

std::unique_ptr<lane_core_if> make_lane_core(unsigned lanes_per_direction) {
    switch (lanes_per_direction) {
    case 8: return std::make_unique<verilated_core<Vlane_core_8>>();
    case 16: return std::make_unique<verilated_core<Vlane_core_16>>();
    default: throw std::logic_error(fmt::format("no RTL is built for {} lanes a direction", lanes_per_direction));
    }
}

std::unique_ptr<pins_if> make_lane_block(unsigned lanes_per_direction, const std::string& name,
                                         wave::wave_file* waves) {
    switch (lanes_per_direction) {
    case 8: return std::make_unique<traceable_block<Vlane_reversal_8>>(name, waves);
    case 16: return std::make_unique<traceable_block<Vlane_reversal_16>>(name, waves);
    default: throw std::logic_error(fmt::format("no RTL is built for {} lanes a direction", lanes_per_direction));
    }
}

void write_register(pins_if& rtl, std::uint32_t address, std::uint32_t value) {
    inputs in;
    in.rst_n = in.psel = in.pwrite = true;
    in.paddr = static_cast<std::uint8_t>(address);
    in.pwdata = value;
    rtl.drive(in);
    rtl.edge();
    in.penable = true;
    rtl.drive(in);
    if (!rtl.out().pready || rtl.out().pslverr)
        throw std::logic_error(fmt::format("lane RTL: register {:#x} refuses {}", address, value));
    rtl.edge();
}

std::uint32_t start(pins_if& rtl, const link::lane_spec& s, const link::by_direction<unsigned>& lanes) {
    rtl.drive({});
    write_register(rtl, regs::ctrl.offset,
                   regs::ctrl_enable.in_place(s.policy == "static" ? 0 : 1) |
                       regs::ctrl_guarded.in_place(s.policy == "guarded" ? 1 : 0));
    write_register(rtl, regs::sample_time.offset, static_cast<std::uint32_t>(s.sample_time.count));
    write_register(rtl, regs::switch_time.offset, static_cast<std::uint32_t>(s.switch_time.count));
    write_register(rtl, regs::drain.offset, static_cast<std::uint32_t>(s.drain.count));
    write_register(rtl, regs::sync_latency.offset, static_cast<std::uint32_t>(s.sync_latency.count));
    write_register(rtl, regs::threshold.offset, s.saturation);
    write_register(rtl, regs::min_lanes.offset, s.min_lanes);
    // The last write takes effect at the next edge.
    inputs in;
    in.rst_n = true;
    rtl.drive(in);
    rtl.edge();
    rtl.drive(in);
    // The lower half of the lanes serves A to B. Each half keeps its first ones.
    const unsigned n = rtl_lanes_for(s);
    const auto half = [n](unsigned kept) { return ((1u << n) - 1) & ~((1u << kept) - 1); };
    return half(lanes.ab) | half(lanes.ba) << n;
}

}  // namespace contraflow::cosim
