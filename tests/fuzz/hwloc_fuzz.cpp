// SPDX-License-Identifier: Apache-2.0
// Any bytes as an lstopo export give a tree as sound as a configuration's, or one clear error.
#include <sstream>
#include <string>

#include "config/config.h"
#include "fuzz_target.h"
#include "machines/hwloc_import.h"
#include "machines/tree_config.h"

namespace {

void import_export(const std::string& input) {
    using namespace contraflow;
    config::diagnostics diag;
    auto imported = machines::import_export({"fuzz.xml", input}, {input.size() % 2 == 0}, diag);
    std::ostringstream said;
    diag.print(said);
    fuzz::must(imported.has_value() != diag.failed(), "a tree with an error, or neither", said.str());
    if (!imported) return;
    machines::tree_spec wanted;
    wanted.tree = std::move(imported->tree);
    const machines::locator nowhere = [](std::string_view) { return config::location{}; };
    fuzz::must(machines::build_tree(wanted, nowhere, diag).has_value(), "an imported tree that is refused");
}

}  // namespace

CF_FUZZ(hwloc, import_export)
