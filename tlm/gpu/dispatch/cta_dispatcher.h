// SPDX-License-Identifier: Apache-2.0
// Runs kernels: deals a grid's CTAs, or a run of them, out to the sockets, and within a socket to its units as they
// have room, breadth first. Contiguous: the CTAs are cut by number into one run for each socket, of equal length within
// one CTA; round-robin: CTA i goes to socket i mod sockets. Up to `concurrent` kernels run together and begin in the
// order of submission. In a socket, the CTAs of a younger kernel start only when all of the older ones have started.
#pragma once

#include <array>
#include <concepts>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/scheduler.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/compute_unit/compute_unit.h"
#include "gpu/dispatch/kernel_boundary_if.h"
#include "gpu/kernel/grid.h"

namespace contraflow::gpu {

enum class cta_order { contiguous, round_robin };

// The cost of a kernel's launch on a GPU.
struct launch_costs {
    core::cycles launch_cost{2000};
    core::cycles cta_interval{1};
    // Also describes the costs inside a larger description.
    template <std::derived_from<launch_costs> S> static void describe(config::fields<S>& f);
};

template <std::derived_from<launch_costs> S> void launch_costs::describe(config::fields<S>& f) {
    constexpr core::cycles longest{1'000'000'000};
    f("cost", &S::launch_cost)
        .in(core::cycles{0}, longest)
        .text("time from a launch's arrival at a GPU, or the end of what ran there before, to the first CTA");
    f.renamed("launch_cost", "cost");
    f("cta_interval", &S::cta_interval)
        .in(core::cycles{0}, longest)
        .text("time between the starts of two CTAs in one GPU or socket");
}

class cta_dispatcher final : public core::waiter_if, public cta_sink_if {
public:
    struct spec : launch_costs {
        cta_order order = cta_order::contiguous;

        // Set by the machine, not by a configuration.
        unsigned concurrent = 1;   // kernels that run together
        core::cycles teardown{0};  // from a kernel's end in the GPU until its host knows
        // Launches wait in a queue of the GPU: their cost passes, and so does the teardown of one, while others run.
        // Otherwise the next may be launched when the host knows of the end of one.
        bool queued = false;

        static void describe(config::fields<spec>& f);
    };
    cta_dispatcher(core::scheduler& events, observe::statistics& statistics, std::string path, const spec& s,
                   core::sim_time cycle, unsigned sockets);

    // Every socket needs at least one unit before the first launch; units are filled in this order. Sockets are counted
    // from the first unit's.
    void add_unit(unsigned socket, compute_unit& unit);
    // Boundaries are called in the order in which they were added.
    void add_boundary(kernel_boundary_if& boundary) { boundaries_.push_back(&boundary); }
    void boundary_done(const kernel_launch& k);

    // Threads of a wavefront of its units, of which there must be one.
    unsigned wave_width() const { return sockets_.front().units.front()->configuration().wave_width; }
    // Throws cta_too_large if a CTA of the kernel fits in no unit.
    void check_room(const kernel_launch& k) const;
    // Runs the part in its turn. Throws as check_room does.
    void submit(grid_part& p);
    bool idle() const { return waiting_.empty() && jobs_.empty(); }

    void cta_finished(compute_unit& unit, const kernel_launch& k) override;
    void cta_failed(const kernel_launch& k, std::exception_ptr error) override;
    void unit_enabled(compute_unit& unit) override { fill(unit); }
    // Ends all parts with that error once their units have been reset. Host programs continue within the call.
    void reset(const std::exception_ptr& why);

    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;
    std::uint64_t ctas_finished() const { return finished_total_; }

private:
    struct socket {
        std::vector<compute_unit*> units;
        core::sim_time next_start{};
    };
    // The CTAs of a part that a socket has not yet started.
    struct share {
        std::uint64_t next = 0;
        std::uint64_t end = 0;
        bool left() const { return next < end; }
    };
    enum class phase { launching, launched, beginning, running, ending, leaving };
    struct job {
        grid_part* part = nullptr;
        phase at = phase::launching;
        core::sim_time since{};
        unsigned boundaries_missing = 0;
        std::uint64_t unfinished = 0;
        std::vector<share> shares;  // by socket
    };
    using slot = unsigned;

    void launch_next();
    void launched(slot n);
    void begin_next();
    unsigned running() const;
    void begin(slot n);
    void start_grid(slot n);
    void deal(job& j);
    bool older_are_dealt_out(slot n, unsigned at) const;
    void fill(compute_unit& unit);
    bool start_one(job& j, unsigned at, compute_unit& unit);
    void end(slot n);
    void tear_down(slot n);
    void finish(slot n);
    bool pass_boundaries(job& j, bool (kernel_boundary_if::*which)(const kernel_launch&));
    slot slot_of(const kernel_launch& k) const;
    unsigned socket_of(const compute_unit& unit) const { return unit.configuration().socket - first_socket_; }

    core::scheduler& events_;
    const std::string path_;
    const spec spec_;
    const core::sim_time cycle_;
    std::vector<socket> sockets_;
    unsigned first_socket_ = 0;
    std::vector<kernel_boundary_if*> boundaries_;

    std::deque<grid_part*> waiting_;
    std::deque<job> slots_;
    std::vector<slot> free_;
    std::vector<slot> jobs_;  // in progress, the oldest first
    std::uint64_t started_total_ = 0;
    std::uint64_t finished_total_ = 0;
    core::cancellable_calls<cta_dispatcher> calls_;

    observe::counter kernels_;
    observe::counter ctas_;
};

}  // namespace contraflow::gpu

template <> struct contraflow::config::enum_names<contraflow::gpu::cta_order> {
    static constexpr std::array names{std::pair{contraflow::gpu::cta_order::contiguous, "contiguous"},
                                      std::pair{contraflow::gpu::cta_order::round_robin, "round_robin"}};
};
