// SPDX-License-Identifier: Apache-2.0
#include "core/simulation.h"

#include <cstdlib>
#include <exception>
#include <vector>

#include <sysc/kernel/sc_simcontext.h>

#include "core/main_stack.h"

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

// There may be nothing to start or scheduled, and the kernel would then warn.
struct no_warning_of_rest {
    no_warning_of_rest()
        : actions(
              sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING)) {}
    ~no_warning_of_rest() { sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, actions); }
    no_warning_of_rest(const no_warning_of_rest&) = delete;
    no_warning_of_rest& operator=(const no_warning_of_rest&) = delete;

    const sc_core::sc_actions actions;
};

}  // namespace

simulation::simulation(time_source asked) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = fresh_context();
    // No component uses this name.
    scheduler_ = std::make_unique<scheduler>("(scheduler)", asked);
}

simulation::~simulation() = default;

template <class Start> void simulation::unless_failed(Start start) {
    if (!scheduler_->failure()) start();
    tell_sanitizer_of_main_stack();
    if (scheduler_->failure()) std::rethrow_exception(scheduler_->failure());
}

void simulation::run() {
    scheduler_->starts(sim_time::never());
    const no_warning_of_rest quiet;
    unless_failed([] { sc_core::sc_start(); });
}

void simulation::start_until(sim_time end, sc_core::sc_starvation_policy policy) {
    if (end <= scheduler_->now()) return;
    scheduler_->starts(end);
    const sim_time kernel{sc_core::sc_time_stamp().value()};  // the scheduler may have run ahead of it
    unless_failed([&] { sc_core::sc_start(sc_core::sc_time::from_value((end - kernel).ps), policy); });
}

void simulation::run_until(sim_time end) { start_until(end, sc_core::SC_EXIT_ON_STARVATION); }
void simulation::run_to(sim_time end) { start_until(end, sc_core::SC_RUN_TO_TIME); }

void simulation::begin() {
    const no_warning_of_rest quiet;
    scheduler_->starts(scheduler_->now());
    unless_failed([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
}

sim_time simulation::next_activity() const {
    if (!sc_core::sc_pending_activity()) return sim_time::never();
    return {(sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity()).value()};
}

void simulation::stop() { scheduler_->pause(); }

}  // namespace contraflow::core
