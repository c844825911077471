// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/hwloc_import.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <hwloc.h>

#include "pcie_tree/export_check.h"
#include "pcie_tree/input_file.h"

namespace contraflow::pcie_tree {
namespace {

constexpr std::size_t largest_export = std::size_t{64} << 20;

struct destroy {
    void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
using machine_ptr = std::unique_ptr<hwloc_topology, destroy>;

machine_ptr new_machine() {
    // hwloc writes its own complaints to stderr; what matters of them is said here, in one line.
    ::setenv("HWLOC_HIDE_ERRORS", "2", 0);
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return nullptr;
    machine_ptr machine(raw);
    // Everything: a filtered tree would hide a switch's structure. What is no GPU or NIC is left out later, and counted.
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
    return machine;
}

std::optional<imported_tree> tree_of(const machine_ptr& machine, const config::location& at, const import_options& options,
                                     config::diagnostics& diag) {
    std::string failure;
    auto imported = read_tree(machine.get(), options, failure);
    if (failure.empty()) return imported;
    diag.error(at, "no PCIe tree: " + failure);
    return std::nullopt;
}

}  // namespace

std::optional<imported_tree> import_this_machine(const import_options& options, config::diagnostics& diag) {
    const config::location here{"this machine", 0, 0};
    const auto machine = new_machine();
    if (!machine || hwloc_topology_load(machine.get()) != 0) {
        diag.error(here, fmt::format("hwloc cannot read it: {}", std::strerror(errno)));
        return std::nullopt;
    }
    return tree_of(machine, here, options, diag);
}

std::optional<imported_tree> import_export(const config::source& xml, const import_options& options, config::diagnostics& diag) {
    const config::location whole{xml.name, 0, 0};
    const auto check = check_export(xml.text);
    if (check.problem) {
        diag.add_source(xml.name, xml.text);
        diag.error({xml.name, check.problem->line, check.problem->column}, check.problem->message, check.problem->hint);
        return std::nullopt;
    }
    const auto machine = new_machine();
    const bool loaded = machine && hwloc_topology_set_xmlbuffer(machine.get(), xml.text.c_str(), static_cast<int>(xml.text.size() + 1)) == 0 &&
                        hwloc_topology_load(machine.get()) == 0;
    if (!loaded) {
        diag.error(whole, fmt::format("hwloc {} does not accept it as a machine", library_version()),
                   check.written_by.empty() ? "lstopo FILE.xml writes what is read here"
                                            : fmt::format("it says hwloc {} wrote it; write it again with lstopo", check.written_by));
        return std::nullopt;
    }
    auto imported = tree_of(machine, whole, options, diag);
    if (imported && newer_than_library(check.written_by))
        imported->remarks.push_back(fmt::format("hwloc {} wrote the export, newer than the {} that reads it here: what only the newer one knows is not seen",
                                                check.written_by, library_version()));
    return imported;
}

std::optional<imported_tree> import_topology(const std::string& what, const import_options& options, config::diagnostics& diag) {
    if (what == "auto") return import_this_machine(options, diag);
    const auto xml = read_input(what, largest_export, "'auto', or an XML file written by lstopo", {}, diag);
    if (!xml) return std::nullopt;
    return import_export(*xml, options, diag);
}

bool import_into(config::loaded<experiment>& configuration, const std::string& what, const import_options& options,
                 config::diagnostics& diag) {
    auto imported = import_topology(what, options, diag);
    if (!imported) return false;
    configuration.value.tree = std::move(imported->tree);
    configuration.mark_computed("tree");
    for (auto& remark : imported->remarks) diag.warning({what == "auto" ? "this machine" : what, 0, 0}, std::move(remark));
    return true;
}

}  // namespace contraflow::pcie_tree
