// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/machine_run.h"

#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "host/migration/move_trace.h"
#include "host/system/unified_machine.h"
#include "link/link_waves.h"
#include "net/network.h"
#include "observe/waves/signal_outputs.h"
#include "remote_memory/run_summary.h"

namespace contraflow::remote_memory {
namespace {

// Puts requests and moves into a trace.
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

// The machine, and the runner of a program for one GPU on it.
struct system_of_gpus final : host::unified_machine {
    system_of_gpus(core::scheduler& events, observe::statistics& statistics, const host::unified_machine::spec& spec,
                   const host::program_runner::spec& program, core::sim_time series_window)
        : unified_machine(events, statistics, spec, series_window),
          runner(driver(), program) {}
    host::program_runner runner;
};

class unified_bench final : public study::program_bench<system_of_gpus> {
public:
    unified_bench(const host::unified_machine::spec& spec, const workloads::selection& w, const run_options& o,
                  run_result& result)
        : program_bench(w, o.seen, spec, o.program, o.seen.series_window),
          seen_(o.seen),
          result_(result),
          requests_(spec.gpus.gpu.sockets, o.seen.series_window, pages_),
          policy_(spec.migration.when.policy),
          threshold_(spec.gpus.counters.threshold),
          signals_(o.seen.trace, o.seen.waves, o.seen.window) {
        result_.gpus = spec.gpus.gpu.sockets;
        result_.line = spec.gpus.gpu.l1.line.count;
    }

    std::uint64_t done() override { return study::requests_of(machine.gpus().profile()); }

    void ready() override {
        pages_.begin(machine.driver().memory(), machine.runner.process());
        if (seen_.trace != nullptr) {
            shown_ = std::make_unique<shown_events>(*seen_.trace, seen_.window);
            requests_.set_trace(&shown_->requests);
            pages_.set_next(&shown_->moves);
        }
        show_links();
        machine.gpus().profile().set_observer(&requests_);
        for (unsigned to = 0; to < result_.gpus; ++to)
            if (auto* const rdma = machine.gpus().gpu(to + 1).rdma(); rdma != nullptr)
                rdma->set_arrival_observer([this, to](unsigned from, std::uint32_t bytes) {
                    requests_.data_arrived(from, to, simulation.events().now(), bytes);
                });
        if (machine.migrator() != nullptr) machine.migrator()->set_observer(&requests_);
    }
    // After the program has ended, waiting pages go on moving, and links go on to the end of their window.
    void sum_up(core::sim_time end) override {
        machine.settle();
        auto& r = result_;
        r.network = directions_of(machine, end);
        r.addresses = addresses_of(machine);
        r.accesses = accesses_of(machine);
        for (std::size_t i = 0; i < reaches; ++i) {
            r.loads[i] = requests_.loads(static_cast<reach>(i));
            r.requests[i] = requests_.count(static_cast<reach>(i));
        }
        r.held_stores = requests_.held_stores();
        r.held_atomics = requests_.held_atomics();
        r.lives = study::stages_of(machine.gpus().profile());
        r.traffic = requests_.traffic();
        r.path = requests_.path();
        r.path_end = requests_.path_end();
        r.levels = levels_of(machine);
        r.walks = walks_of(machine);
        r.migration = migrations_of(machine);
        r.migration.policy = policy_;
        r.migration.threshold = threshold_;
        r.page_size = pages_.page_size();
        pages_.end(end);
        r.pages = pages_.take_pages();
        r.moves = pages_.take_moves();
        r.kernels = study::kernels_of(machine.runner.launches());
    }
    void stopped(core::sim_time) override {
        if (shown_ != nullptr) result_.traced = shown_->requests.shown();
    }
    // Includes errors that the program has not seen yet.
    void rethrow(bool finished) override {
        machine.driver().rethrow();
        if (finished) return;
        if (const auto error = machine.driver().error_so_far()) std::rethrow_exception(error);
    }

private:
    gpu::gpu_system_if& target() override { return machine.runner; }
    void start_program(gpu::host_task program, std::function<void()> ended) override {
        machine.runner.start(std::move(program), std::move(ended));
    }
    std::string nearest_text(const gpu::access_fault& f) override {
        return nearest_array(machine.driver().memory(), f);
    }

    // Queues, credits and lanes of links as counters of the trace, and in waves.
    void show_links() {
        auto* const sink = signals_.sink();
        if (sink == nullptr || machine.gpus().network() == nullptr) return;
        for (const auto& l : machine.gpus().network()->links())
            links_.push_back(std::make_unique<link::link_waves>(*l, *sink));
        for (const auto& w : links_) w->start(simulation.events().now());
    }

    const study::observation seen_;
    run_result& result_;
    page_watch pages_;
    request_watch requests_;
    const host::migration::policy_kind policy_;
    const std::uint64_t threshold_;
    std::unique_ptr<shown_events> shown_;
    observe::signal_outputs signals_;
    std::vector<std::unique_ptr<link::link_waves>> links_;
};

}  // namespace

run_result run_machine(const host::unified_machine::spec& machine, const workloads::selection& workload,
                       const run_options& options) {
    run_result r;
    runner::run(std::make_unique<unified_bench>(machine, workload, options, r), options.limits, r);
    return r;
}

}  // namespace contraflow::remote_memory
