// SPDX-License-Identifier: Apache-2.0
// Any bytes as the configuration of each program: it is refused with an error, or printed as one that the program
// takes again. Files beside it are looked for in the program's folder.
#include <sstream>
#include <string>

#include <CLI/App.hpp>

#include "face/command_line/errors.h"
#include "fuzz_target.h"
#include "gpu_shmem/gpu_shmem_platform.h"
#include "lane_replay/lane_replay_platform.h"
#include "litmus/litmus_platform.h"
#include "nic_replay/nic_replay_platform.h"
#include "numa_gpu/numa_gpu_platform.h"
#include "pcie_tree/pcie_tree_platform.h"
#include "torus_nic/torus_nic_platform.h"
#include "unified_gpu/unified_gpu_platform.h"

namespace {

using namespace contraflow;

// What the program prints of the configuration; empty if it refuses it.
template <class Spec> std::string accepted_by(face::platform<Spec>& program, const std::string& input) {
    CLI::App app;
    for (const char* const option : {"--print-config", "--out", "--wave"}) app.add_flag(option);
    program.options(app);
    const std::string file = std::string(CF_PLATFORMS "/") + std::string(program.name()) + "/fuzz.yaml";
    config::diagnostics diag;
    auto loaded = config::load<Spec>(config::source{file, input}, {}, diag);
    try {
        if (!diag.failed()) program.prepare(loaded, diag);
    } catch (const face::usage_error& refused) {
        fuzz::must(*refused.what() != '\0', "a refusal without a word", input);
        return {};
    }
    std::ostringstream said;
    diag.print(said);
    const bool wants_words = diag.failed() || !diag.warnings().empty();
    fuzz::must(wants_words == !said.str().empty(), "an error without a word, or a word without one", said.str());
    return diag.failed() ? std::string() : config::print(loaded);
}

template <class Program> void give(const std::string& input) {
    Program once, again;
    const std::string printed = accepted_by(once, input);
    if (printed.empty()) return;
    fuzz::must(!accepted_by(again, printed).empty(), "what was printed is refused", printed);
}

void give_to_all(const std::string& input) {
    give<gpu_shmem::gpu_shmem_platform>(input);
    give<lane_replay::lane_replay_platform>(input);
    give<litmus::litmus_platform>(input);
    give<nic_replay::nic_replay_platform>(input);
    give<numa_gpu::numa_gpu_platform>(input);
    give<pcie_tree::pcie_tree_platform>(input);
    give<torus_nic::torus_nic_platform>(input);
    give<unified_gpu::unified_gpu_platform>(input);
}

}  // namespace

CF_FUZZ(platform, give_to_all)
