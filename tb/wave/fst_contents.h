// SPDX-License-Identifier: Apache-2.0
// The contents of an FST file by name: its signals, and the names that the RTL gives to values of some of them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "observe/waves/gtkw.h"

namespace contraflow::wave {

struct fst_signal {
    std::string name;  // scopes and name, with dots
    unsigned bits = 1;
    int value_names = -1;  // index in fst_contents::value_names; -1: none
};

// The type, and the bits and name of each value.
struct fst_value_names {
    std::string type;
    std::vector<std::pair<std::string, std::string>> names;
};

// The file with those names for a viewer: "waves-lane_e.txt" for cf_lane_pkg::lane_e.
std::string value_names_file(const fst_value_names& n);

struct fst_contents {
    std::vector<fst_signal> signals;
    std::vector<fst_value_names> value_names;
    const fst_signal* find(const std::string& name) const;
};

// Adds signals of a scope, which ends with its dot. One that the file lacks is a std::logic_error.
void add_signals(observe::gtkw_group& to, const fst_contents& contents, const std::string& scope,
                 const std::vector<const char*>& names, observe::radix shown_as);

// None if it is not such a file.
std::optional<fst_contents> read_fst_contents(const std::string& fst_path);

// The same as a value change dump; false if a file cannot be read or written.
bool write_as_vcd(const std::string& fst_path, const std::string& vcd_path);

}  // namespace contraflow::wave
