// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/pcie_tree_platform.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "face/command_line/errors.h"
#include "pcie_study/exchange_run.h"
#include "pcie_study/results_form.h"
#include "pcie_tree/start.h"
#include "pcie_tree/tlm_check.h"
#include "transfers/communications.h"

namespace contraflow::pcie_tree {

void pcie_tree_platform::options(CLI::App& app) {
    app_ = &app;
    app.add_option("--topology", topology_, "'auto' (this machine), or an lstopo export, in place of `tree`")
        ->option_text("auto|FILE.xml");
    app.add_flag("--all-devices", import_.all_devices, "with --topology: storage and other devices too");
    app.add_option("--cases", cases_file_, "evaluate a JSON file of cases into DIR/cases.json")
        ->option_text("FILE.json");
}

void pcie_tree_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diagnostics) {
    const bool only_printed = face::is_given(*app_, "--print-config");
    if (!cases_file_.empty()) {
        if (!topology_.empty()) throw face::usage_error("--cases and --topology: each case has a tree of its own");
        cases_ = pcie_study::read_cases(cases_file_, diagnostics);
        for (const char* key : {"tree", "communications", "pattern", "trace"})
            if (loaded.origin(key) != "default")
                remarks_.push_back(fmt::format(
                    "--cases: `{}` of the configuration has no effect: each case has its own tree and communications",
                    key));
        if (only_printed)
            for (const auto& remark : remarks_) diagnostics.warning({}, remark);
        return;
    }
    auto& spec = loaded.value;
    if (spec.seed != 0) spec.pattern.seed = spec.search.seed = spec.tlm.faults.seed = spec.seed;
    // A run shows what the import left out in its report, and --print-config, which has none, at once.
    auto* const keep = only_printed ? nullptr : &remarks_;
    if (!topology_.empty() && !machines::import_into(loaded, topology_, import_, diagnostics, keep)) return;
    const machines::locator where = [&](std::string_view path) { return loaded.where(path); };
    tree_ = machines::build_tree(spec, where, diagnostics);
    if (!tree_) return;
    if (const auto& w = spec.window; w.to <= w.from)
        loaded.report(
            {fmt::format("the window ends before it begins: from {} to {}", core::to_text(w.from), core::to_text(w.to)),
             {{"window.from", "less than " + core::to_text(w.to)},
              {"window.to", "more than " + core::to_text(w.from)}}},
            diagnostics);
    check_tlm(spec, tree_->topology, where, diagnostics);
    // An imported machine is a configuration to keep and edit: it need not send anything yet.
    const bool nothing_yet =
        spec.communications.empty() && spec.pattern.kind == transfers::pattern_kind::none && !spec.trace;
    if (nothing_yet && only_printed) return;
    communications_ = transfers::resolve_communications(spec, *tree_, where, diagnostics);
    // Without a run there is no report that would tell them.
    if (!communications_)
        for (const auto& remark : remarks_) diagnostics.warning({}, remark);
}

nlohmann::ordered_json pcie_tree_platform::results_form(const config::loaded<experiment>& loaded) const {
    if (cases_ || !communications_) return nullptr;
    return pcie_study::results_form(loaded.value, tree_->topology, *communications_);
}

int pcie_tree_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    for (const auto& remark : remarks_) context.warn_of_input(remark);
    if (cases_ && (context.waves() != nullptr || context.trace() != nullptr))
        throw face::usage_error("--cases are evaluated in closed form, which has neither waves nor a trace");
    if (cases_) return pcie_study::run_cases(*cases_, loaded.value, context);
    return pcie_study::run_exchange(loaded.value, tree_->topology, *communications_, context);
}

int start(int argc, char** argv) {
    pcie_tree_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::pcie_tree
