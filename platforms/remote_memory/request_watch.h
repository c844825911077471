// SPDX-License-Identifier: Apache-2.0
// Observes the requests of units, by the memory that answered them: the time of loads and its stages, the data sent
// from GPU to GPU over time, and the path of one remote load. Costs no simulated time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/compute_unit/request_trace.h"
#include "memory/transaction/milestones.h"
#include "remote_memory/page_watch.h"

namespace contraflow::remote_memory {

enum class reach : std::uint8_t {
    first_level,  // answered in the unit's own first level, or waited there for the same line
    local,        // answered by the own GPU's second level or memory
    remote,       // answered over the network
    held,         // its page was moving: it waited until the move ended
};
inline constexpr std::size_t reaches = 4;
const char* reach_name(reach r);

// The latencies of requests of one kind, of one kind of reach.
struct request_times {
    static constexpr unsigned steps = 4;  // buckets an octave
    std::uint64_t count = 0;
    std::array<std::uint64_t, 64 * steps> buckets{};  // the smallest values first
    std::array<std::uint64_t, memory::stage_count> spent{};
    std::uint64_t least_ns = 0;  // the least of all

    void add(const memory::milestones& times);
    double mean_ns() const;
    // The time from leaving the unit until returning to it, with the wait for a moving page. It excludes translation
    // and the queues in the unit and its first level, which do not depend on the page's place.
    double beyond_unit_ns() const;
    // The sum of their waits for moving pages.
    core::sim_time waited() const { return {spent[static_cast<std::size_t>(memory::stage::page_held)]}; }
    // ns, share of the requests
    std::vector<std::pair<double, double>> distribution() const;
};

// Data from GPU to GPU, by windows of a width that doubles with the length of the run.
class traffic_matrix {
public:
    traffic_matrix(unsigned gpus, core::sim_time window)
        : gpus_(gpus),
          window_(window),
          total_(std::size_t{gpus} * gpus),
          by_window_(std::size_t{gpus} * gpus) {}
    // Numbered from 0.
    void add(unsigned from, unsigned to, core::sim_time now, std::uint64_t bytes);
    unsigned gpus() const { return gpus_; }
    std::uint64_t total(unsigned from, unsigned to) const { return total_[from * gpus_ + to]; }
    std::uint64_t all() const;
    // us, GB/s
    std::vector<std::pair<double, double>> rate(unsigned from, unsigned to, core::sim_time end) const;

private:
    static constexpr std::size_t most_windows = 400;
    void merge();

    unsigned gpus_;
    core::sim_time window_;
    std::size_t used_ = 0;
    std::vector<std::uint64_t> total_;
    std::vector<std::vector<double>> by_window_;
};

// An instance on the path of a request, and the time of arrival there.
struct way_point {
    std::string where;
    core::sim_time at{};
};

class request_watch final : public gpu::request_observer_if, public host::migration::move_observer_if {
public:
    request_watch(unsigned gpus, core::sim_time window, page_watch& pages) : pages_(pages), traffic_(gpus, window) {}
    // Null: none.
    void set_trace(gpu::request_trace* trace) { trace_ = trace; }

    bool follows(core::sim_time begun) override;
    bool follows_code(core::sim_time begun) override { return trace_ != nullptr && trace_->follows_code(begun); }
    void code_completed(bool arguments, const memory::memory_extension& request) override {
        if (trace_ != nullptr) trace_->code_completed(arguments, request);
    }
    void request_completed(gpu::access_kind kind, bool remote, const memory::memory_extension& request) override;
    void page_moved(const host::migration::move_record& m) override;

    // Data of loads, stores and moved pages that has crossed the network.
    void data_arrived(unsigned from, unsigned to, core::sim_time now, std::uint32_t bytes) {
        traffic_.add(from, to, now, bytes);
    }

    const request_times& loads(reach r) const { return loads_[static_cast<std::size_t>(r)]; }
    // Stores and atomic operations whose page was moving.
    const request_times& held_stores() const { return held_stores_; }
    const request_times& held_atomics() const { return held_atomics_; }
    std::uint64_t count(reach r) const { return counts_[static_cast<std::size_t>(r)]; }
    const traffic_matrix& traffic() const { return traffic_; }
    // The path of the load that passed the most instances among the first ones followed; empty if none left its GPU.
    const std::vector<way_point>& path() const { return path_; }
    core::sim_time path_end() const { return path_end_; }

private:
    void keep_path(const memory::milestones& times);

    page_watch& pages_;
    gpu::request_trace* trace_ = nullptr;
    std::array<request_times, reaches> loads_;
    request_times held_stores_, held_atomics_;
    std::array<std::uint64_t, reaches> counts_{};
    traffic_matrix traffic_;
    unsigned followed_ = 0, paths_ = 0;  // requests; of these, remote loads that have ended
    std::vector<way_point> path_;
    core::sim_time path_end_{};
};

}  // namespace contraflow::remote_memory
