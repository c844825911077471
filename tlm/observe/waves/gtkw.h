// SPDX-License-Identifier: Apache-2.0
// The .gtkw with which GTKWave shows the signals of a dump in groups, from one moment to another.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace contraflow::observe {

enum class radix { binary, decimal, hexadecimal };

struct gtkw_signal {
    std::string name;  // name in the dump, without its range
    unsigned bits = 1;
    radix shown_as = radix::decimal;  // for more than one bit
    std::string names{};              // names of its values: see gtkw_view; empty: none
};

struct gtkw_group {
    std::string name;
    std::vector<gtkw_signal> signals;
    bool closed = false;
};

struct gtkw_view {
    std::string dump;  // file name of the dump, in the same folder as the .gtkw
    core::sim_time from{}, to{};
    std::optional<core::sim_time> marker{};
    std::vector<gtkw_group> groups{};
    // Whether the dump itself has the names of values. If not, a signal's `names` are written to a file next to the
    // .gtkw, with a line for each value in binary and its name.
    bool names_in_dump = false;
};

void write_gtkw(std::ostream& out, const gtkw_view& view);

// A group for each scope, in the order in which a dump lists them.
std::vector<gtkw_group> groups_by_scope(const std::vector<gtkw_signal>& signals);

}  // namespace contraflow::observe
