// SPDX-License-Identifier: Apache-2.0
// The PCIe tree of a real machine, as a configuration's `tree`: this machine's, or another one's from its lstopo
// export.
// A value that hwloc does not report is named in `remarks` and takes a declared default, or is an error.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/config.h"
#include "machines/machine_tree.h"

namespace contraflow::machines {

// None, and one error, if the machine gives no tree.
std::optional<imported_tree> import_this_machine(const import_options& options, config::diagnostics& diag);
std::optional<imported_tree> import_export(const config::source& xml, const import_options& options,
                                           config::diagnostics& diag);

// "auto", or the path of an lstopo export.
std::optional<imported_tree> import_topology(const std::string& what, const import_options& options,
                                             config::diagnostics& diag);

// Replaces a configuration's tree by the same, with the remarks as warnings, or into `keep` for a report that shows
// them. False if there is no tree.
template <std::derived_from<tree_spec> Experiment>
bool import_into(config::loaded<Experiment>& configuration, const std::string& what, const import_options& options,
                 config::diagnostics& diag, std::vector<std::string>* keep = nullptr) {
    auto imported = import_topology(what, options, diag);
    if (!imported) return false;
    configuration.value.tree = std::move(imported->tree);
    configuration.mark_computed("tree");
    if (!imported->needs_socket_link.empty() && !configuration.value.socket_link)
        imported->remarks.push_back(std::move(imported->needs_socket_link));
    for (auto& remark : imported->remarks)
        if (keep != nullptr)
            keep->push_back(fmt::format("{}: {}", what == "auto" ? "this machine" : what, remark));
        else
            diag.warning({what == "auto" ? "this machine" : what, 0, 0}, std::move(remark));
    return true;
}

}  // namespace contraflow::machines
