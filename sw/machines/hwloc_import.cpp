// SPDX-License-Identifier: Apache-2.0
#include "machines/hwloc_import.h"

#include <utility>

#include <fmt/format.h>

#include "machines/export_reader.h"
#include "machines/hwloc_machine.h"
#include "machines/input_file.h"

namespace contraflow::machines {
namespace {

constexpr std::size_t largest_export = std::size_t{64} << 20;

std::optional<imported_tree> tree_of(const machine_objects& machine, const config::location& at,
                                     const import_options& options, config::diagnostics& diag) {
    std::string failure;
    auto imported = build_machine_tree(machine, options, failure);
    if (failure.empty()) return imported;
    diag.error(at, "no PCIe tree: " + failure);
    return std::nullopt;
}

}  // namespace

std::optional<imported_tree> import_this_machine(const import_options& options, config::diagnostics& diag) {
    const config::location here{"this machine", 0, 0};
    std::string failure;
    const auto machine = read_this_machine(failure);
    if (machine) return tree_of(*machine, here, options, diag);
    diag.error(here, fmt::format("hwloc cannot read it: {}", failure));
    return std::nullopt;
}

std::optional<imported_tree> import_export(const config::source& xml, const import_options& options,
                                           config::diagnostics& diag) {
    const auto machine = read_export(xml, diag);
    if (!machine) return std::nullopt;
    auto imported = tree_of(machine->objects, {xml.name, 0, 0}, options, diag);
    if (imported && newer_than_library(machine->written_by))
        imported->remarks.push_back(
            fmt::format("hwloc {} wrote the export, newer than the {} known here: what only the "
                        "newer one says is not seen",
                        printable(machine->written_by), library_version()));
    return imported;
}

std::optional<imported_tree> import_topology(const std::string& what, const import_options& options,
                                             config::diagnostics& diag) {
    if (what == "auto") return import_this_machine(options, diag);
    const auto xml = read_input("topology", what, largest_export, "'auto', or an XML file written by lstopo", {}, diag);
    if (!xml) return std::nullopt;
    return import_export(*xml, options, diag);
}

}  // namespace contraflow::machines
