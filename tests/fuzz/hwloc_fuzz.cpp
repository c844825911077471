// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as an lstopo export give a tree as sound as a configuration's, or one clear error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "config/config.h"
#include "machines/hwloc_import.h"
#include "machines/tree_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace contraflow;
    config::diagnostics diag;
    const config::source xml{"fuzz.xml", std::string(reinterpret_cast<const char*>(data), size)};
    auto imported = machines::import_export(xml, {size % 2 == 0}, diag);
    std::ostringstream said;
    diag.print(said);
    if (imported.has_value() == diag.failed()) std::abort();
    if (!imported) return 0;
    machines::tree_spec wanted;
    wanted.tree = std::move(imported->tree);
    const machines::locator nowhere = [](std::string_view) { return config::location{}; };
    if (!machines::build_tree(wanted, nowhere, diag)) std::abort();
    return 0;
}
