// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/machine_run.h"

#include <exception>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "core/simulation.h"
#include "gpu/compute_unit/access_fault.h"
#include "gpu/dispatch/cta_too_large.h"
#include "host/migration/move_trace.h"
#include "host/system/unified_machine.h"
#include "traces/recorder.h"
#include "unified_gpu/run_summary.h"

namespace contraflow::unified_gpu {
namespace {

// What a run takes place in.
struct bench {
    bench(const machine_spec& spec, const run_options& o)
        : machine(simulation.events(), statistics, spec.built(), o.series_window),
          runner(machine.driver(), o.program),
          requests(machine.gpus().map(), o.series_window, pages) {
        if (o.record != nullptr) recorder = std::make_unique<traces::recorder>(runner, runner.memory(), *o.record);
    }
    gpu::gpu_system_if& gpus() { return recorder ? static_cast<gpu::gpu_system_if&>(*recorder) : runner; }

    core::simulation simulation;
    observe::statistics statistics;
    host::unified_machine machine;
    host::program_runner runner;
    page_watch pages;
    request_watch requests;
    std::unique_ptr<traces::recorder> recorder;
    std::unique_ptr<workloads::workload_if> program;  // outlives the kernels, not the machine: they refer to it
    std::string wrong;                                // what of its result is
};

// Requests and moves that a trace shows.
struct shown_events {
    shown_events(observe::trace& t, const gpu::trace_window& w) : requests(t, w, 1), moves(t) {}
    gpu::request_trace requests;
    host::migration::move_trace moves;
};

std::string nearest_array(const host::address_space& memory, const gpu::access_fault& f) {
    const auto* const r = memory.nearest(f.process(), f.address());
    if (r == nullptr) return fmt::format("; process {} has none", f.process());
    return fmt::format("; the nearest array of process {} is {:#x} to {:#x}", f.process(), r->begin,
                       r->begin + r->bytes - 1);
}

// What the program threw, or the machine, even if the program has not heard of it yet: a fault, unless the machine is
// too small from the start.
void take_fault(host::driver& d, run_result& r) {
    try {
        d.rethrow();
        if (r.verdict != observe::watchdog::verdict::finished)
            if (const auto error = d.error_so_far()) std::rethrow_exception(error);
    } catch (const std::bad_alloc&) { throw; } catch (const gpu::cta_too_large&) {
        throw;
    } catch (const gpu::access_fault& f) {
        r.fault = f.what();
        r.fault_at = f.when();
        if (f.why() == gpu::access_fault::reason::unmapped) r.fault += nearest_array(d.memory(), f);
    } catch (const std::exception& e) {
        r.fault = e.what();
        r.fault_at = r.end;
    }
}

void take_watched(bench& b, run_result& r) {
    r.accesses = accesses_of(b.machine);
    for (std::size_t i = 0; i < reaches; ++i) {
        r.loads[i] = b.requests.loads(static_cast<reach>(i));
        r.requests[i] = b.requests.count(static_cast<reach>(i));
    }
    r.traffic = b.requests.traffic();
    r.path = b.requests.path();
    r.path_end = b.requests.path_end();
    r.levels = levels_of(b.machine);
    r.walks = walks_of(b.machine);
    r.migration = migrations_of(b.machine);
    r.page_size = b.pages.page_size();
    b.pages.end(r.end);
    r.pages = b.pages.take_pages();
    r.moves = b.pages.take_moves();
    for (const auto& l : b.runner.launches())
        if (l.ended) r.kernels.push_back({l.launch.name(), l.begun, l.ended_at});
}

}  // namespace

run_result run_machine(const machine_spec& spec, const workloads::selection& workload, const run_options& options) {
    auto on = std::make_unique<bench>(spec, options);
    auto& simulation = on->simulation;
    auto& machine = on->machine;
    run_result r;
    r.gpus = spec.gpus;
    r.line = spec.gpu.l1.line.count;
    const auto carried_out = [&](const char* what, std::function<void()> work) {
        if (!options.carry_out)
            work();
        else if (!options.carry_out(std::move(work))) {
            r.verdict = observe::watchdog::verdict::stopped;
            r.stopped_while = what;
            static_cast<void>(on.release());  // the work may go on with it
        }
        return on != nullptr;
    };
    if (!carried_out("its data was made", [&b = *on, workload] {
            b.program = workload.create();
            b.program->prepare(b.gpus().memory());
        }))
        return r;

    on->pages.begin(machine.driver().memory(), on->runner.process());
    std::unique_ptr<shown_events> shown;
    if (options.trace != nullptr) {
        shown = std::make_unique<shown_events>(*options.trace, options.shown);
        on->requests.set_trace(&shown->requests);
        on->pages.set_next(&shown->moves);
    }
    machine.gpus().profile().set_observer(&on->requests);
    if (machine.migrator() != nullptr) machine.migrator()->set_observer(&on->requests);

    observe::watchdog dog(simulation, options.watchdog);
    dog.watch(machine);
    dog.set_progress([&] { return machine.moved() + (machine.computing() ? simulation.events().now().ps : 0); });
    dog.set_outstanding([&] { return machine.outstanding(); });

    // Pages that wait for their turn go on moving after the program has ended, and links to the end of their window:
    // what there is by then is what counts.
    bool ended = false;
    const auto sum_up = [&] {
        r.end = simulation.events().now();
        machine.settle();
        r.network = directions_of(machine, r.end);
        r.addresses = addresses_of(machine);
        take_watched(*on, r);
        r.statistics = on->statistics.rows(r.end);
    };
    on->runner.start(on->program->run(on->gpus()), [&] {
        ended = true;
        sum_up();
    });
    r.verdict = dog.run(options.limit, [&] {
        if (options.progress) options.progress(simulation.events().now(), accesses_of(machine).all());
        return !options.keep_going || options.keep_going();
    });
    r.standstill = dog.hang();
    if (r.stuck()) r.wait_chain = dog.wait_chain();
    if (!ended) sum_up();
    take_fault(machine.driver(), r);
    if (shown != nullptr) r.traced = shown->requests.shown();
    r.callbacks = simulation.events().executed();
    if (!r.complete()) return r;

    if (on->recorder) on->recorder->finish();
    observe::conservation checks;
    machine.check(checks);
    r.conservation = checks.checks();
    if (carried_out("its result was checked", [&b = *on] { b.wrong = b.program->verify(b.runner.memory()); }))
        r.wrong = on->wrong;
    return r;
}

}  // namespace contraflow::unified_gpu
