// SPDX-License-Identifier: Apache-2.0
#include "firmware_report/difference_waves.h"

#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "nic_rx/rx_waves.h"
#include "wave/wave_output.h"

namespace contraflow::firmware_report {
namespace {

constexpr core::sim_time before = core::sim_time::from_us(5);

}  // namespace

void keep_around_event(const nic_levels::chosen_level& level, face::run_context& context) {
    const std::string event = context.wave_event();
    if (event.empty()) return;
    if (event == nic_levels::level_difference::event && level.level != nic_levels::receive_level::lockstep)
        throw face::usage_error(
            fmt::format("--wave-around {}: only level lockstep compares two levels, and level is {}", event,
                        config::name_of(level.level)));
    context.waves()->keep_around(event, before, core::sim_time::from_us(1));
}

difference_waves::difference_waves(const nic_levels::chosen_level& level, face::run_context& context)
    : context_(context),
      own_(level.level == nic_levels::receive_level::lockstep && context.out() && context.waves() == nullptr) {
    if (own_)
        recorded_.keep_around(nic_levels::level_difference::event, before, nic_levels::level_difference::watched_after);
}

void difference_waves::keep(const nic_levels::rtl_recordings& rtl, core::sim_time end) {
    std::vector<std::unique_ptr<nic_rx::rx_waves>> sources;
    for (const auto& r : rtl) sources.push_back(std::make_unique<nic_rx::rx_waves>(r, end));
    if (!own_)
        for (auto& s : sources) context_.add_wave_source(std::move(s));
    if (!own_ || !recorded_.event_at()) return;
    std::vector<wave::wave_source_if*> all;
    for (const auto& s : sources) all.push_back(s.get());
    constexpr const char* stem = "difference";
    try {
        wave::write_wave_output({*context_.out(), stem, wave::format::fst, recorded_.event_at()}, recorded_, all);
    } catch (const std::runtime_error& e) { throw face::output_error(e.what()); }
    context_.report().headline.push_back(fmt::format(
        "Waves of both levels from {} before the difference to {} after it, in the run directory: gtkwave {}.gtkw",
        core::to_text(before), core::to_text(nic_levels::level_difference::watched_after), stem));
}

}  // namespace contraflow::firmware_report
