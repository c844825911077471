// SPDX-License-Identifier: Apache-2.0
// The PCIe tree of a real machine, as a configuration's `tree`: of this machine, or of any from its lstopo export.
// hwloc reports what it can see; what it can't is said in `remarks` and takes a declared default, or is an error.
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "pcie_tree/machine_tree.h"

namespace contraflow::pcie_tree {

// None, and one error, if there is no tree to be had.
std::optional<imported_tree> import_this_machine(const import_options& options, config::diagnostics& diag);
std::optional<imported_tree> import_export(const config::source& xml, const import_options& options,
                                           config::diagnostics& diag);

// "auto", or the path of an lstopo export.
std::optional<imported_tree> import_topology(const std::string& what, const import_options& options,
                                             config::diagnostics& diag);

// The same, put in the place of a configuration's tree, with the remarks as warnings. False if there is none.
bool import_into(config::loaded<experiment>& configuration, const std::string& what, const import_options& options,
                 config::diagnostics& diag);

}  // namespace contraflow::pcie_tree
