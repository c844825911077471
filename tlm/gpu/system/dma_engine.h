// SPDX-License-Identifier: Apache-2.0
// Moves bytes for a command processor, a line at a time: between the host's memory and a GPU's, and from memory to
// memory. Lines go through the crossbar to their home, like a unit's uncached accesses; those of another GPU go over
// the network. The host's end is a pipe with a bandwidth and a latency in each direction. Copies begin in order; the
// lines of the next copy follow without waiting for those of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/callback.h"
#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/port/line_copier.h"
#include "observe/conservation.h"
#include "observe/statistics.h"

namespace contraflow::gpu {

enum class copy_kind : std::uint8_t { to_device, from_device, within };

// A copy for a DMA engine: bytes that are contiguous at both ends. One end may be the host's memory.
class copy_part {
public:
    copy_part(copy_kind kind, std::uint64_t from, std::uint64_t to, std::byte* host, std::uint64_t bytes)
        : kind(kind),
          from(from),
          to(to),
          host(host),
          bytes(bytes) {}
    copy_part(const copy_part&) = delete;
    copy_part& operator=(const copy_part&) = delete;

    void fail(std::exception_ptr why) {
        if (!error) error = std::move(why);
    }
    // All bytes have arrived, and the engine has released it.
    virtual void end() = 0;

    const copy_kind kind;
    const std::uint64_t from, to;  // physical addresses; the one at the host's end is ignored
    std::byte* const host;         // only read by a copy to the device; must stay until end()
    const std::uint64_t bytes;     // at least one
    std::exception_ptr error;      // the first error

protected:
    ~copy_part() = default;
};

class dma_engine final : public core::waiter_if, public core::controllable_if, public memory::line_copier {
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

    void submit(copy_part& p);

    std::uint64_t moved() const { return moved_total_; }  // bytes
    bool idle() const { return jobs_.empty(); }
    // A reset ends all copies with an error; their owners are told within the call.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

private:
    struct job {
        copy_part* part = nullptr;
        std::uint64_t sent = 0;
        std::uint64_t moved = 0;
        core::sim_time begun{};
    };
    job& job_of(std::uint32_t number) { return jobs_[(number - first_job_) & 0xffffffff]; }
    void arm(core::sim_time when);
    bool wait_for_host(const job& j, unsigned length);
    unsigned next_length(const job& j) const;
    void finish(std::uint32_t number);
    void drop_all();

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
    core::sim_time host_in_{};     // when the pipe from the host has delivered everything so far
    core::sim_time host_out_{};    // when the pipe to the host has taken everything so far
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
