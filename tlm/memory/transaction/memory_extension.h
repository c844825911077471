// SPDX-License-Identifier: Apache-2.0
// The models' additions to a generic payload: the requester, how it may be cached, an atomic operation, the time by
// stage, and the return route. An ignorable extension: a transaction without one is an ordinary access, and the first
// of our ports that sees it lends it one for as long as it stays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <tlm>

#include "core/linked_fifo.h"
#include "core/transfer.h"
#include "memory/transaction/atomic.h"
#include "memory/transaction/milestones.h"

namespace contraflow::memory {

// The requester.
struct origin {
    std::uint16_t gpu = 0;
    std::uint16_t unit = 0;  // compute unit within it
    std::uint32_t wave = 0;  // wavefront slot within that
};

// The requesters that must agree on the value: a cache that isn't shared by all of them is bypassed.
enum class scope : std::uint8_t { wavefront, group, device, system };

enum class cache_policy : std::uint8_t {  // the further down, the more is passed by
    cached,
    streaming,  // used if present, but allocates no line
    bypass,     // the next level answers, even if a copy is here
    uncached,   // memory answers; copies, newer bytes among them, are neither used nor changed
};

class memory_extension final : public tlm::tlm_extension<memory_extension>, public core::transfer {
public:
    // Members that every component reads come first. For the component that currently has the request: the link in its
    // queue, the due time, and the amount of data.
    memory_extension* next = nullptr;
    core::sim_time due{};
    std::uint32_t flits = 0;

    memory::scope scope = memory::scope::wavefront;
    cache_policy policy = cache_policy::cached;

private:
    bool pooled_ = false;  // memory of a payload or a pool: never deleted by the transaction
    std::uint8_t depth_ = 0;

public:
    memory::origin origin{};

private:
    tlm::tlm_generic_payload* carrier_ = nullptr;

public:
    milestones times;

private:
    std::array<std::uint32_t, 16> route_;

public:
    atomic_request atomic{};
    std::uint64_t virtual_address = 0;  // 0 in requests that caches make
    std::uint32_t process = 0;

    void milestone(stage s, core::sim_time now) { times.add(s, now); }
    void crossed(const char* link, bool answer, core::sim_time started, core::sim_time arrived) override {
        times.pass(link, started);
        milestone(answer ? stage::response_link_queue : stage::link_queue, started);
        milestone(answer ? stage::response_link : stage::link, arrived);
    }
    void passed(const char* node, core::sim_time now) override { times.pass(node, now); }

    // A component that passes a request on stores here its data for the response, and removes it then.
    void push_route(std::uint32_t mark) {
        if (depth_ == route_.size()) throw std::length_error("memory_extension: more hops than a route holds");
        route_[depth_++] = mark;
    }
    std::uint32_t pop_route() {
        if (depth_ == 0) throw std::logic_error("memory_extension: a response came back further than its request");
        return route_[--depth_];
    }
    std::uint32_t last_route() const { return route_[depth_ - 1u]; }
    bool has_route() const { return depth_ > 0; }

    tlm::tlm_generic_payload& carrier() const { return *carrier_; }
    // For a copy: its carrier is that transaction now.
    void carried_by(tlm::tlm_generic_payload& trans) { carrier_ = &trans; }

    // Clears everything, for a new request.
    void clear() {
        virtual_address = 0;
        process = 0;
        origin = {};
        scope = memory::scope::wavefront;
        policy = cache_policy::cached;
        atomic.op = atomic_op::none;
        depth_ = 0;
        times.begin({});
    }
    // Sets up a fill request with the same requester and policy but another address.
    void stand_for(const memory_extension& request, core::sim_time now) {
        process = request.process;
        origin = request.origin;
        scope = request.scope;
        policy = request.policy;
        times.begin(now);
        if (request.times.recorded()) times.record();
    }

    tlm::tlm_extension_base* clone() const override;
    void copy_from(const tlm::tlm_extension_base& other) override;
    void free() override;

    friend class payload;
    friend class payload_pool;
};

// Requests in order, linked through their extensions.
using payload_fifo = core::linked_fifo<memory_extension>;

}  // namespace contraflow::memory
