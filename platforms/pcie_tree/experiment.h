// SPDX-License-Identifier: Apache-2.0
// A configuration of pcie_tree: the tree, the transfers, and the level of evaluation.
#pragma once

#include <cstdint>

#include "config/fields.h"
#include "machines/tree_spec.h"
#include "pcie_study/study_spec.h"
#include "transfers/transfer_spec.h"

namespace contraflow::pcie_tree {

struct experiment : machines::tree_spec, transfers::transfer_spec, pcie_study::study_spec {
    std::uint64_t seed = 0;

    static void describe(config::fields<experiment>& f) {
        f("level", &experiment::level).text("closed-form model, TLM, or both with the difference tabulated");
        tree_spec::describe(f);
        f("model", &experiment::model).text("constants of the closed-form model");
        transfer_spec::describe(f);
        f("search", &experiment::search).text("the best order of each source's sends");
        f("tlm", &experiment::tlm).text("parameters of the TLM model");
        f("bottleneck", &experiment::bottleneck)
            .text("name what limits the sends, and run them again with twice of it: up to two or three runs more");
        f("window", &experiment::window).text("window of --trace and --wave, of the TLM model");
        f("seed", &experiment::seed)
            .text("seed of everything random; 0: pattern, search and tlm.faults have their own");
    }
};

}  // namespace contraflow::pcie_tree
