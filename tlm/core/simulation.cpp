// SPDX-License-Identifier: Apache-2.0
#include "core/simulation.h"

#include <cstdlib>
#include <vector>

#include <sysc/kernel/sc_simcontext.h>

namespace contraflow::core {
namespace {

// SystemC 2.3.4 cannot destroy a context whose processes have run, so contexts are kept until the process ends.
sc_core::sc_simcontext* fresh_context() {
    static std::vector<std::unique_ptr<sc_core::sc_simcontext>>& kept =
        *new std::vector<std::unique_ptr<sc_core::sc_simcontext>>;
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    kept.push_back(std::make_unique<sc_core::sc_simcontext>());
    return kept.back().get();
}

}  // namespace

simulation::simulation() {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = fresh_context();
    // A name that no component takes.
    scheduler_ = std::make_unique<scheduler>("(scheduler)");
}

simulation::~simulation() = default;

void simulation::run() { sc_core::sc_start(); }

void simulation::run_until(sim_time end) {
    const sim_time now = scheduler_->now();
    if (end > now) sc_core::sc_start(sc_core::sc_time::from_value((end - now).ps), sc_core::SC_EXIT_ON_STARVATION);
}

void simulation::stop() { sc_core::sc_pause(); }

}  // namespace contraflow::core
