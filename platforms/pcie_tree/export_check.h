// SPDX-License-Identifier: Apache-2.0
// What an lstopo export must be before hwloc is given it: well-formed XML of the few forms hwloc writes, of a version
// the library reads. hwloc says only that it failed; this says where and why, and keeps damaged files away from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace contraflow::pcie_tree {

struct export_problem {
    unsigned line = 0, column = 0;
    std::string message;
    std::string hint;
};

struct export_check {
    std::optional<export_problem> problem;
    std::string written_by;     // hwloc's version, if the export tells: "2.9.0"
};

export_check check_export(std::string_view xml);

// "2.11.1" against the library's own version: whether the writer is newer.
bool newer_than_library(std::string_view version);
// "2.9.0": of the library that is linked.
std::string library_version();

}  // namespace contraflow::pcie_tree
