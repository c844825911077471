// SPDX-License-Identifier: Apache-2.0
// Moves bytes for a command processor, a line at a time: between the host's memory and a GPU's, and from memory to
// memory. Lines go through the crossbar to their home, like a unit's uncached accesses; those of another GPU go over
// the network. The host's end is a pipe with a bandwidth and a latency in each direction, or PCIe. Copies begin in
// order; the lines of the next copy follow without waiting for those of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/callback.h"
#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/system/host_side_if.h"
#include "memory/port/line_copier.h"
#include "observe/conservation.h"
#include "observe/statistics.h"
#include "pcie/device/function.h"

namespace contraflow::gpu {

class dma_engine final : public core::waiter_if,
                         public core::controllable_if,
                         public memory::line_copier,
                         private host_side_user_if {
public:
    struct spec {
        unsigned outstanding = 128;
        core::bandwidth host_bandwidth = core::bandwidth::from_gb_per_s(25);
        core::sim_time host_latency = core::sim_time::from_ns(500);

        // Set by the machine, not by a configuration.
        core::bytes line{128};
        core::sim_time cycle = core::sim_time::from_ns(1);
        unsigned socket = 0;

        static void describe(config::fields<spec>& f);
    };
    // `quiet` is called when the engine is paused and the last of its requests has been answered.
    dma_engine(const memory::resources& shared, std::string path, const spec& s, core::callback quiet);

    // Copies from and to the host go by PCIe from now on; before the first one.
    void connect_host(pcie::function& function, const std::string& host);

    void submit(copy_part& p);

    std::uint64_t moved() const { return moved_total_; }  // bytes
    bool idle() const { return jobs_.empty(); }
    // A reset ends all copies with an error; their owners are told within the call.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    struct job : host_transfer {
        std::uint64_t sent = 0;
        std::uint64_t moved = 0;
    };
    job& job_of(std::uint32_t number) { return jobs_[(number - first_job_) & 0xffffffff]; }
    void arm(core::sim_time when);
    unsigned next_length(const job& j) const;
    void finish(std::uint32_t number);
    void drop_all();

    void host_ready(core::sim_time when) override { arm(when); }
    void host_has(std::uint32_t number, core::sim_time when) override { calls_.at<&dma_engine::finish>(when, number); }

    bool may_send() override { return !paused_; }
    bool start_next() override;
    std::optional<std::uint64_t> write_to(const line& l) override;
    bool failed(const line& l) override;
    void ended(const line& l) override;
    void answered() override;

    const spec spec_;
    const core::callback tell_quiet_;

    std::deque<job> jobs_;         // in order; the first may have ended and have no owner any more
    std::uint64_t first_job_ = 0;  // number of the first of them
    std::size_t sending_ = 0;      // index of the first that has lines to send
    std::unique_ptr<host_side_if> host_;
    core::cancellable_calls<dma_engine> calls_;
    bool paused_ = false;
    bool draining_ = false;
    core::sim_time stopped_since_{};

    observe::counter copies_;
    observe::counter bytes_in_;
    observe::counter bytes_out_;
    observe::counter bytes_within_;
    observe::histogram latency_;
    std::uint64_t asked_total_ = 0, moved_total_ = 0;  // bytes
};

}  // namespace contraflow::gpu
