// SPDX-License-Identifier: Apache-2.0
// Runs kernels one after the other: deals a grid's CTAs out to the sockets, and within a socket to its units as they
// have room, breadth first. Contiguous: CTAs in the order of their numbers are cut into one run a socket, equal but
// for one CTA; round-robin: CTA i goes to socket i mod sockets.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/scheduler.h"
#include "core/waiting.h"
#include "gpu/compute_unit.h"
#include "gpu/gpu_system_if.h"
#include "gpu/kernel_boundary_if.h"

namespace contraflow::gpu {

enum class cta_order { contiguous, round_robin };

class cta_dispatcher final : public core::waiter_if, public cta_sink_if {
public:
    struct spec {
        cta_order order = cta_order::contiguous;
        core::cycles launch_cost{2000};
        core::cycles cta_interval{1};
        static void describe(config::fields<spec>& f);
    };
    cta_dispatcher(core::scheduler& events, observe::statistics& statistics, std::string path, const spec& s,
                   core::sim_time cycle, unsigned sockets);

    // Every socket has at least one unit before the first launch; units are filled in this order.
    void add_unit(unsigned socket, compute_unit& unit);
    // In this order.
    void add_boundary(kernel_boundary_if& boundary) { boundaries_.push_back(&boundary); }
    void boundary_done();

    // Runs when those before it have ended. Throws cta_too_large if a CTA of it fits in no unit.
    void submit(launch_state& l);
    bool idle() const { return queue_.empty(); }

    void cta_finished(compute_unit& unit) override;
    void cta_failed(std::exception_ptr error) override;
    void unit_enabled(compute_unit& unit) override;
    // Ends all launches with that error, when their units have been reset; host programs go on within the call.
    void reset(std::exception_ptr why);

    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;
    std::uint64_t ctas_finished() const { return finished_total_; }

private:
    struct socket {
        std::vector<compute_unit*> units;
        std::uint64_t next = 0;  // CTA to be dealt out
        std::uint64_t end = 0;
        core::sim_time next_start{};
    };
    enum class phase { idle, launching, beginning, running, ending };

    void launch_next();
    void begin();
    void start_grid();
    void deal(const kernel_launch& k);
    bool start_one(socket& s, compute_unit& unit);
    void end();
    void finish();
    bool pass_boundaries(bool (kernel_boundary_if::*which)(const kernel_launch&));
    template <void (cta_dispatcher::*Do)()> void schedule(core::sim_time delay) {
        events_.after(
            delay,
            [](void* dispatcher, std::uint64_t epoch) {
                auto* const self = static_cast<cta_dispatcher*>(dispatcher);
                if (self->epoch_ == epoch) (self->*Do)();
            },
            this, epoch_);
    }
    unsigned socket_of(const compute_unit& unit) const { return unit.configuration().socket; }

    core::scheduler& events_;
    const std::string path_;
    const spec spec_;
    const core::sim_time cycle_;
    std::vector<socket> sockets_;
    std::vector<kernel_boundary_if*> boundaries_;

    std::deque<launch_state*> queue_;  // the first one runs
    phase phase_ = phase::idle;
    core::sim_time phase_since_{};
    unsigned boundaries_missing_ = 0;
    std::uint64_t unfinished_ = 0;
    std::uint64_t started_total_ = 0;
    std::uint64_t finished_total_ = 0;
    std::uint64_t epoch_ = 0;  // callbacks from before a reset are void

    observe::counter kernels_;
    observe::counter ctas_;
};

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::cta_order> {
    static constexpr std::array names{std::pair{contraflow::gpu::cta_order::contiguous, "contiguous"},
                                      std::pair{contraflow::gpu::cta_order::round_robin, "round_robin"}};
};
