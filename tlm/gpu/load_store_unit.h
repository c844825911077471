// SPDX-License-Identifier: Apache-2.0
// The memory side of a compute unit: takes instructions in the order of issue, joins lanes to lines, sends one line
// request a cycle to the first-level cache and keeps a finite number outstanding. Virtual addresses become physical
// here, so that this unit's socket is the one that touches a page first.
#pragma once

#include <exception>
#include <vector>

#include "core/waiting.h"
#include "gpu/coalescer.h"
#include "gpu/compute_unit_spec.h"
#include "gpu/request_profile.h"
#include "gpu/wavefront.h"
#include "memory/address_map.h"
#include "memory/page_table.h"
#include "memory/request_port.h"
#include "observe/conservation.h"

namespace contraflow::gpu {

class load_store_owner_if {
public:
    // The instruction needs nothing more: loads and atomics are answered, stores sent.
    virtual void memory_done(wavefront& w) = 0;
    // None of its stores is without an answer any more.
    virtual void stores_done(wavefront& w) = 0;
    // A request could not be made, or was answered with an error; its instruction goes on with zeros.
    virtual void memory_failed(wavefront& w, std::exception_ptr error) = 0;
    // While it was paused, the last line request has been answered.
    virtual void memory_quiet() = 0;

protected:
    ~load_store_owner_if() = default;
};

// What compute units of a machine share beside the memory system's resources.
struct machine_memory {
    memory::page_table& pages;
    const memory::address_map& map;
    request_profile& profile;
};

class load_store_unit final : private memory::request_owner_if {
public:
    load_store_unit(const std::string& path, const memory::resources& shared, const compute_unit_spec& s,
                    const machine_memory& machine, load_store_owner_if& owner);
    ~load_store_unit();

    memory::request_port l1;

    // From now on the wavefront's accesses are under way.
    void begin(wavefront& w);
    // Sends nothing new, or goes on.
    void pause(bool paused);
    void reset();

    unsigned outstanding() const { return static_cast<unsigned>(requests_.size() - free_.size()); }
    std::uint64_t answered() const { return answered_total_; }
    bool at_rest() const { return head_ == nullptr && outstanding() == 0; }
    void report_waits(const std::string& waiter, std::vector<core::wait_edge>& edges) const;
    void check(const std::string& path, observe::conservation& checks) const;

private:
    struct request {
        wavefront* wave = nullptr;
        std::size_t access = 0;  // of the wavefront's instruction; means nothing for a store
        access_kind kind = access_kind::load;
        bool remote = false;
        line_request line;
        memory::payload* sent = nullptr;
    };
    enum class stall { none, outstanding, cache };

    bool response_arrived(unsigned port, memory::memory_extension& answered) override;
    void request_port_ready(unsigned port) override;

    void pump();
    void arm(core::sim_time when);
    bool next_access(wavefront& w);
    void send_line(wavefront& w);
    void give_up(wavefront& w);
    void stop(stall why);
    void end_stall();

    const memory::resources shared_;
    const compute_unit_spec& spec_;
    const machine_memory machine_;
    load_store_owner_if& owner_;

    std::vector<request> requests_;
    std::vector<std::uint32_t> free_;
    wavefront* head_ = nullptr;
    wavefront* tail_ = nullptr;
    core::sim_time next_send_{};
    bool armed_ = false;
    bool paused_ = false;
    stall stalled_ = stall::none;
    core::sim_time stalled_since_{};
    std::uint64_t epoch_ = 0;

    observe::counter loads_;
    observe::counter stores_;
    observe::counter atomics_;
    observe::counter lanes_;
    observe::counter stalled_outstanding_;
    observe::counter stalled_cache_;
    std::uint64_t sent_total_ = 0;
    std::uint64_t answered_total_ = 0;
};

}  // namespace contraflow::gpu
