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
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/bounded_queue.h"
#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/port/request_port.h"
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

class dma_engine final : public core::waiter_if, public core::controllable_if, public memory::request_owner_if {
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
    class owner_if {
    public:
        // While it was paused, its last request has been answered.
        virtual void dma_quiet() = 0;

    protected:
        ~owner_if() = default;
    };
    dma_engine(const memory::resources& shared, std::string path, const spec& s, owner_if& owner);
    ~dma_engine() override;

    // Sets the port for its requests; call before the first copy.
    void connect(memory::request_port& port) { port_ = &port; }
    void submit(copy_part& p);

    unsigned outstanding() const { return static_cast<unsigned>(slots_.size() - free_.size()); }  // requests
    std::uint64_t moved() const { return moved_total_; }                                          // bytes
    bool idle() const { return jobs_.empty(); }
    // Whether all requests are answered.
    bool quiet() const { return outstanding() == to_write_.size(); }
    // A reset ends all copies with an error; their owners are told within the call.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;

    bool response_arrived(unsigned port, memory::memory_extension& request) override;
    void request_port_ready(unsigned) override { pump(); }

private:
    struct job {
        copy_part* part = nullptr;
        std::uint64_t sent = 0;
        std::uint64_t moved = 0;
        core::sim_time begun{};
    };
    struct slot {
        job* of = nullptr;
        memory::payload* sent = nullptr;
        std::uint64_t offset = 0;
        unsigned length = 0;
        bool reading = false;
    };

    void pump();
    void arm(core::sim_time when);
    bool send_next();
    bool wait_for_host(const job& j, unsigned length);
    unsigned next_length(const job& j) const;
    void send(std::uint32_t number, memory::payload& p);
    void read_done(std::uint32_t number, slot& s);
    void line_done(std::uint32_t number, slot& s);
    void finish(std::uint32_t number);
    void drop_all();

    const memory::resources shared_;
    const std::string path_;
    const spec spec_;
    owner_if& owner_;
    memory::request_port* port_ = nullptr;

    std::deque<job> jobs_;         // in order; the first may have ended and have no owner any more
    std::uint64_t first_job_ = 0;  // number of the first of them
    std::size_t sending_ = 0;      // index of the first that has lines to send
    std::vector<slot> slots_;
    std::vector<std::uint32_t> free_;
    core::bounded_queue<std::uint32_t> to_write_;  // read, not yet written
    core::sim_time next_send_{};
    core::sim_time host_in_{};   // when the pipe from the host has delivered everything so far
    core::sim_time host_out_{};  // when the pipe to the host has taken everything so far
    core::timer<&dma_engine::pump> pump_at_;
    core::cancellable_calls<dma_engine> calls_;
    bool paused_ = false;
    bool draining_ = false;
    core::sim_time stopped_since_{};

    observe::counter copies_;
    observe::counter bytes_in_;
    observe::counter bytes_out_;
    observe::counter bytes_within_;
    observe::histogram latency_;
    std::uint64_t asked_total_ = 0, moved_total_ = 0;    // bytes
    std::uint64_t sent_total_ = 0, answered_total_ = 0;  // requests
};

}  // namespace contraflow::gpu
