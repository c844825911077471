// SPDX-License-Identifier: Apache-2.0
// One channel of a memory: banks with an open row each, a data bus, a finite queue in which requests to open rows have
// priority (FR-FCFS), up to a limit before an older one. Commands of several banks overlap; the bus carries one request
// after another. Refresh is not modelled.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/dram/dram_spec.h"
#include "memory/dram/interleave.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

enum class row_state { hit, closed, conflict };

class dram_channel {
public:
    explicit dram_channel(const dram_spec& s);

    bool full() const { return queue_.size() == capacity_; }
    bool empty() const { return queue_.empty(); }
    std::size_t size() const { return queue_.size(); }
    core::sim_time oldest_since() const { return queue_.front().arrived; }
    // Requests of `length` bytes; `place` is the offset within the channel.
    void add(memory_extension& request, std::uint64_t place, unsigned length, core::sim_time now);

    // When the next request may be chosen.
    core::sim_time next_choice() const { return next_choice_; }
    struct service {
        memory_extension* request = nullptr;
        row_state row = row_state::hit;
        core::sim_time arrived{};
        core::sim_time bus_time{};  // it holds the bus
        core::sim_time done{};      // its last byte has passed
    };
    // Chooses one, at or after next_choice(); not when empty.
    service choose(core::sim_time now);
    void reset();

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    struct entry {
        memory_extension* request;
        std::uint64_t row;
        unsigned bank;
        unsigned length;
        core::sim_time arrived;
    };
    struct bank {
        std::uint64_t row = none;
        core::sim_time ready{};      // for the next column command
        core::sim_time activated{};  // when its row was activated
    };
    std::size_t best() const;

    const dram_spec spec_;
    const std::size_t capacity_;
    const interleave rows_;
    const core::sim_time lead_;  // commands may run ahead of the bus by this time
    std::vector<entry> queue_;   // in order of arrival
    std::vector<bank> banks_;
    unsigned row_hits_ = 0;  // served since the oldest request became the oldest
    core::sim_time bus_free_{};
    core::sim_time next_choice_{};
};

}  // namespace contraflow::memory
