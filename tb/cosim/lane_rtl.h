// SPDX-License-Identifier: Apache-2.0
// The RTL of rtl/lane_reversal in the sizes built here: the whole block, and its controller core alone, for 8 and 16
// lanes per direction. A link with another number uses the next larger size, with lanes absent from its first launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/tree/problem.h"
#include "cosim/pins.h"
#include "link/lanes/direction.h"
#include "link/lanes/lane_reversal_registers.h"
#include "link/lanes/lane_spec.h"

namespace contraflow::wave {
class wave_file;
}

namespace contraflow::cosim {

// Cycles from a window's last one to its decision; no window and no sync latency may be shorter.
inline constexpr std::uint64_t decision_cycles = link::lane_reversal_registers::sync_latency_cycles.least;
// Cycles until what is put on lanes is in the totals that the block shows.
inline constexpr std::size_t monitor_cycles = 2;

// The settings of the specification that this RTL does not support, if any.
std::optional<config::problem> problem_of(const link::lane_spec& s);
// Lanes per direction of the size that a specification uses; 0 if there is none.
unsigned rtl_lanes_for(const link::lane_spec& s);

// The core with checkpoints as in a simulator: it can run ahead and go back.
class lane_core_if : public pins_if {
public:
    virtual void save(std::vector<std::uint8_t>& to) = 0;
    virtual void restore(const std::vector<std::uint8_t>& from) = 0;
};
using lane_core_factory = std::function<std::unique_ptr<lane_core_if>(unsigned lanes_per_direction)>;
std::unique_ptr<lane_core_if> make_lane_core(unsigned lanes_per_direction);

// With a wave file, all its signals are added under that name; the file must not be open yet.
std::unique_ptr<pins_if> make_lane_block(unsigned lanes_per_direction, const std::string& name, wave::wave_file* waves);

// Writes a register of the block or core, which must accept the value; two cycles.
void write_register(pins_if& rtl, std::uint32_t address, std::uint32_t value);

// Resets the block or core and writes its registers. Returns the absent lanes: give them as faults from the first
// launch on. `lanes`: the lanes that exist, the first ones of each direction.
std::uint32_t start(pins_if& rtl, const link::lane_spec& s, const link::by_direction<unsigned>& lanes);

}  // namespace contraflow::cosim
