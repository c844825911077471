// SPDX-License-Identifier: Apache-2.0
// Any bytes as a CSV trace give communications between endpoints of the tree, or clear errors.
#include <sstream>
#include <string>
#include <vector>

#include "fuzz_target.h"
#include "transfers/trace_csv.h"

namespace {

void read_rows(const std::string& input) {
    using namespace contraflow;
    static const auto tree = [] {
        config::diagnostics diag;
        machines::tree_spec spec;
        spec.tree.name = "rc";
        spec.tree.kind = pcie::node_kind::root_complex;
        for (const char* name : {"gpu0", "gpu1", "gpu2"}) spec.tree.children.emplace_back().name = name;
        const machines::locator nowhere = [](std::string_view) { return config::location{}; };
        auto built = machines::build_tree(spec, nowhere, diag);
        std::ostringstream said;
        diag.print(said);
        fuzz::must(built.has_value(), "no tree", said.str());
        return std::move(*built);
    }();
    config::diagnostics diag;
    std::vector<pcie::model::communication> sends;
    const bool ok =
        transfers::read_trace({"fuzz.csv", input}, machines::endpoint_directory(tree.topology), sends, diag);
    std::ostringstream said;
    diag.print(said);
    fuzz::must(ok != diag.failed(), "rows with an error, or neither", said.str());
    if (!ok) return;
    for (const auto& s : sends) {
        fuzz::must(s.from != s.to && s.from < tree.topology.size() && s.to < tree.topology.size(), "a send to nobody",
                   input);
        fuzz::must(s.start_s >= 0 && s.start_s < 1e12, "a start at no time", input);
    }
}

}  // namespace

CF_FUZZ(csv, read_rows)
