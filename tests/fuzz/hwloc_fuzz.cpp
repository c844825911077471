// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as an lstopo export give a tree that is sound as a configuration's, or one clear error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "config/config.h"
#include "pcie_tree/hwloc_import.h"
#include "pcie_tree/tree_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace contraflow;
    config::diagnostics diag;
    const config::source xml{"fuzz.xml", std::string(reinterpret_cast<const char*>(data), size)};
    auto imported = pcie_tree::import_export(xml, {size % 2 == 0}, diag);
    std::ostringstream said;
    diag.print(said);
    if (imported.has_value() == diag.failed()) std::abort();
    if (!imported) return 0;
    pcie_tree::experiment experiment;
    experiment.tree = std::move(imported->tree);
    const pcie_tree::locator nowhere = [](std::string_view) { return config::location{}; };
    if (!pcie_tree::build_tree(experiment, nowhere, diag)) std::abort();
    return 0;
}
