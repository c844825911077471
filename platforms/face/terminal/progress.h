// SPDX-License-Identifier: Apache-2.0
// The progress line of a long run on a terminal: "sim 12.3us  2.1M TLP/s  81,204 of 200,000  est 1m12s".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/units.h"

namespace contraflow::face {

class progress_line {
public:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds first_after{2000};
    static constexpr std::chrono::milliseconds interval{200};

    // `write` gets each change of the terminal's text; an empty one switches the line off. `columns` is the terminal's.
    progress_line(std::function<void(std::string_view)> write, std::size_t columns, clock::time_point start);
    // To standard error if that is a terminal, else off.
    static progress_line for_terminal(bool wanted);

    bool enabled() const { return static_cast<bool>(write_); }
    // A different unit or total, or less done than before, begins a new phase: rate and estimate start again.
    void update(clock::time_point wall, core::sim_time now, std::uint64_t done, std::uint64_t total,
                std::string_view unit);
    void erase();

private:
    std::string text(double seconds, core::sim_time now) const;

    std::function<void(std::string_view)> write_;
    std::size_t columns_;
    clock::time_point next_;
    clock::time_point phase_start_;
    std::uint64_t phase_first_ = 0;  // done when the phase began
    std::uint64_t done_ = 0, total_ = 0;
    std::string unit_;
    bool shown_ = false;
};

}  // namespace contraflow::face
