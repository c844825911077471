// SPDX-License-Identifier: Apache-2.0
// The level of a NIC's receive datapath: firmware on its core, the TLM model, RTL, or two of them compared.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "nic/receive/datapath_factory.h"
#include "nic_levels/firmware_datapath.h"
#include "nic_levels/receive_lockstep.h"
#include "nic_levels/rtl_datapath.h"

namespace contraflow::nic_levels {

enum class receive_level : std::uint8_t { firmware, tlm, rtl, lockstep };
enum class lockstep_level : std::uint8_t { firmware, tlm, rtl };

// What looks up a page that the TLBs of the RTL do not have: its walker, or firmware on the NIC's core, which then also
// serves commands of the driver and get requests.
enum class miss_path : std::uint8_t { hardware, firmware };

struct lockstep_sides {
    lockstep_level acts = lockstep_level::firmware, compared = lockstep_level::tlm;

    static void describe(config::fields<lockstep_sides>& f);
};

struct chosen_level {
    chosen_level(receive_level l, const lockstep_sides& of_lockstep = {}, miss_path of_rtl = miss_path::hardware)
        : level(l),
          sides(of_lockstep),
          miss(of_rtl) {}

    receive_level level;
    lockstep_sides sides;
    miss_path miss;  // of RTL
};

// What is wrong with keys `level`, `lockstep` and `miss` together, if anything: lockstep of a level with itself
// compares nothing, and what is set for a level that is not chosen would be ignored. `given` tells whether a user has
// set a key.
std::optional<config::problem> problem_of_choice(const chosen_level& l,
                                                 const std::function<bool(std::string_view)>& given);

// "firmware", "TLM", "RTL", "firmware and TLM in lockstep": for reports.
std::string title_of(const chosen_level& l);
bool has_core(const chosen_level& l);
bool has_rtl(const chosen_level& l);

// The settings of the specification that this level does not support, if any.
std::optional<config::problem> problem_of(const chosen_level& l, const nic::receive_spec& s);

// The options are for the core; levels without one ignore them. In lockstep the first difference between levels is
// written to `difference`. Where waves are wanted, RTL is recorded in `recordings`; null: only its ports are shown. All
// three must outlive the factory and its datapaths.
nic::datapath_factory receive_factory(const chosen_level& l, const core_options& options, level_difference& difference,
                                      rtl_recordings* recordings = nullptr);

// The firmware that is built with the project.
iss::elf_file built_in_firmware();

}  // namespace contraflow::nic_levels

template <> struct contraflow::config::enum_names<contraflow::nic_levels::receive_level> {
    using e = contraflow::nic_levels::receive_level;
    static constexpr std::array names{std::pair{e::firmware, "firmware"}, std::pair{e::tlm, "tlm"},
                                      std::pair{e::rtl, "rtl"}, std::pair{e::lockstep, "lockstep"}};
};
template <> struct contraflow::config::enum_names<contraflow::nic_levels::miss_path> {
    using e = contraflow::nic_levels::miss_path;
    static constexpr std::array names{std::pair{e::hardware, "hardware"}, std::pair{e::firmware, "firmware"}};
};
template <> struct contraflow::config::enum_names<contraflow::nic_levels::lockstep_level> {
    using e = contraflow::nic_levels::lockstep_level;
    static constexpr std::array names{std::pair{e::firmware, "firmware"}, std::pair{e::tlm, "tlm"},
                                      std::pair{e::rtl, "rtl"}};
};
