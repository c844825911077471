// SPDX-License-Identifier: Apache-2.0
#include "firmware_report/difference_waves.h"

#include <stdexcept>

#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "wave/wave_output.h"

namespace contraflow::firmware_report {

difference_waves::difference_waves(const nic_levels::chosen_level& level, face::run_context& context)
    : context_(context),
      own_(level.level == nic_levels::receive_level::lockstep && context.out() && context.waves() == nullptr) {
    if (own_)
        recorded_.keep_around(nic_levels::level_difference::event, before, nic_levels::level_difference::watched_after);
}

void difference_waves::keep() {
    if (!own_ || !recorded_.event_at()) return;
    constexpr const char* stem = "difference";
    try {
        wave::write_wave_output({*context_.out(), stem, wave::format::fst, recorded_.event_at()}, recorded_, {});
    } catch (const std::runtime_error& e) { throw face::output_error(e.what()); }
    context_.report().headline.push_back(
        fmt::format("Waves of both levels from {} before it to {} after it, in the run directory: gtkwave {}.gtkw",
                    core::to_text(before), core::to_text(nic_levels::level_difference::watched_after), stem));
}

}  // namespace contraflow::firmware_report
