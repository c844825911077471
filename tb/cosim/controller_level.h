// SPDX-License-Identifier: Apache-2.0
// The level of the links' lane controllers: the TLM model, the RTL in its place, or both in lockstep.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/fields.h"
#include "cosim/lane_rtl.h"
#include "link/lanes/lane_spec.h"

namespace contraflow::cosim {

enum class controller_level : std::uint8_t { tlm, rtl, lockstep };

// "TLM", "RTL", "RTL and TLM in lockstep": for reports.
constexpr std::string_view title_of(controller_level l) {
    return l == controller_level::tlm ? "TLM" : l == controller_level::rtl ? "RTL" : "RTL and TLM in lockstep";
}

// The settings of the specification that this level does not support, if any.
std::optional<config::problem> problem_of(controller_level l, const link::lane_spec& s);

}  // namespace contraflow::cosim

template <> struct contraflow::config::enum_names<contraflow::cosim::controller_level> {
    using e = contraflow::cosim::controller_level;
    static constexpr std::array names{std::pair{e::tlm, "tlm"}, std::pair{e::rtl, "rtl"},
                                      std::pair{e::lockstep, "lockstep"}};
};
