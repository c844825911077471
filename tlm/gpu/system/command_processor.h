// SPDX-License-Identifier: Apache-2.0
// A GPU's interface to the driver: it runs kernels, several at a time, moves bytes with the DMA engine, and stops,
// empties and restarts the parts of the GPU while a page moves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/timer.h"
#include "gpu/dispatch/cta_dispatcher.h"
#include "gpu/system/command_port.h"
#include "gpu/system/dma_engine.h"
#include "gpu/system/gpu_socket.h"
#include "gpu/translation/shootdown_if.h"

namespace contraflow::gpu {

class command_processor final : public core::waiter_if,
                                public core::controllable_if,
                                public cta_sink_if,
                                private kernel_boundary_if,
                                private command_port::owner_if {
public:
    struct spec {
        unsigned kernels = 8;
        dma_engine::spec dma;
        static void describe(config::fields<spec>& f);
    };
    // `machine` is also told of every kernel's begin and end.
    command_processor(const memory::resources& shared, std::string path, const spec& s,
                      const cta_dispatcher::spec& dispatcher, core::sim_time cycle, kernel_boundary_if& machine);

    // Called once, when the GPU has been built. Its units have this object as their sink.
    void attach(gpu_socket& gpu);
    // Commands of the driver and copies of the host's memory go by PCIe; `number`: of the GPU there, from 0.
    void connect_host(pcie::function& function, pcie_host& host, unsigned number);
    void add_target(shootdown_target_if& target) { targets_.push_back(&target); }

    void check_room(const kernel_launch& k) const { dispatcher_.check_room(k); }
    void submit(grid_part& p) override { dispatcher_.submit(p); }
    void submit(copy_part& p) override { dma_.submit(p); }

    // Units and DMA engine send nothing new; calls back when all their requests have been answered. They continue when
    // there have been as many restarts as drains.
    void drain(core::callback done);
    void restart();
    // The second level writes those lines back, by physical address, and the other caches invalidate them. Calls back
    // when memory has all bytes. Flushes run one after another.
    void flush(memory::line_filter which, core::callback done);
    // All caches but the second level invalidate those lines.
    void invalidate_copies(memory::line_filter which);
    // Calls back when every holder of translations has invalidated these. Shootdowns run one after another.
    void shoot_down(const shootdown& what, core::callback done);

    const std::string& path() const { return path_; }
    cta_dispatcher& dispatcher() { return dispatcher_; }
    dma_engine& dma() { return dma_; }
    bool idle() const;
    std::uint64_t moved() const { return dispatcher_.ctas_finished() + dma_.moved(); }
    std::uint64_t outstanding() const { return idle() ? 0 : 1; }
    // Pause, drain and enable act on units and DMA engine. A reset comes after that of the GPU's hardware: all work
    // ends with an error, and drains, flushes and shootdowns in progress are not acknowledged.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

    void cta_finished(compute_unit& unit, const kernel_launch& k) override { dispatcher_.cta_finished(unit, k); }
    void cta_failed(const kernel_launch& k, std::exception_ptr error) override {
        dispatcher_.cta_failed(k, std::move(error));
    }
    void unit_enabled(compute_unit& unit) override { dispatcher_.unit_enabled(unit); }
    void unit_quiet(compute_unit&) override { look_for_quiet(); }

private:
    struct flush_order {
        memory::line_filter which;
        core::callback done;
    };
    struct shootdown_order {
        shootdown what;
        core::callback done;
    };

    bool kernel_begins(const kernel_launch& k) override;
    bool kernel_ends(const kernel_launch&) override { return true; }

    bool quiet() const;
    void look_for_quiet();
    void drained();
    void begin_flush();
    void bank_flushed();
    void flushed();
    void begin_shootdown();
    void target_done();
    void shot_down();
    void control_parts(core::control_verb verb);

    core::scheduler& events_;
    const std::string path_;
    const core::sim_time cycle_;
    gpu_socket* gpu_ = nullptr;
    cta_dispatcher dispatcher_;
    dma_engine dma_;
    std::unique_ptr<command_port> commands_;  // null: the driver calls submit()
    std::vector<shootdown_target_if*> targets_;

    unsigned stops_ = 0;  // drains without their restart
    bool stopped_by_user_ = false;
    core::sim_time stopped_since_{};
    std::vector<core::callback> drains_;  // not yet answered
    std::vector<flush_order> flushes_;    // the first is in progress, as in the next member
    std::vector<shootdown_order> shootdowns_;
    unsigned banks_missing_ = 0;
    unsigned targets_missing_ = 0;
    core::sim_time flush_since_{}, shootdown_since_{};
    core::cancellable_calls<command_processor> calls_;

    observe::counter drains_done_;
    observe::counter flushes_done_;
    observe::counter shootdowns_done_;
};

}  // namespace contraflow::gpu
