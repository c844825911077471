// SPDX-License-Identifier: Apache-2.0
// The models' additions to a generic payload: the requester, how it may be cached, an atomic operation, the time by
// stage, and the return route. An ignorable extension: a transaction without one is an ordinary access, and the first
// of our ports that sees it lends it one for as long as it stays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tlm>

#include "core/linked_fifo.h"
#include "core/transfer.h"
#include "memory/transaction/atomic.h"
#include "memory/transaction/milestones.h"

namespace contraflow::memory {

class memory_extension;

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

// The first two of its lines of the host's cache, when it lies as in a payload, have all that a read needs that stays
// in its socket, and the last two the rest (payload.cpp says it exactly).
class request_state : public core::transfer {
public:
    // For the component that currently has the request: the link in its queue, the due time, and the amount of data.
    memory_extension* next = nullptr;
    core::sim_time due{};
    std::uint32_t flits = 0;

    memory::scope scope : 3 = memory::scope::wavefront;
    cache_policy policy : 3 = cache_policy::cached;

protected:
    bool pooled_ : 1 = false;      // memory of a payload or a pool: never deleted by the transaction
    bool in_payload_ : 1 = false;  // that of a payload
    std::uint8_t depth_ = 0;
    atomic_op op_ = atomic_op::none;
    operand_type operands_ = operand_type::u32;

public:
    std::uint64_t virtual_address = 0;  // 0 in requests that caches make
    memory::origin origin{};
    std::uint32_t process = 0;

private:
    static constexpr std::size_t near_marks = 5;
    static constexpr std::size_t most_marks = 16;
    std::array<std::uint32_t, near_marks> route_;

public:
    milestones times;

private:
    std::array<std::uint32_t, most_marks - near_marks> far_route_;

    void push_far(std::uint32_t mark);
    std::uint32_t pop_far();

public:
    void milestone(stage s, core::sim_time now) { times.add(s, now); }
    void crossed(const char* link, bool answer, core::sim_time started, core::sim_time arrived) override {
        times.pass(link, started);
        milestone(answer ? stage::response_link_queue : stage::link_queue, started);
        milestone(answer ? stage::response_link : stage::link, arrived);
    }
    void passed(const char* node, core::sim_time now) override { times.pass(node, now); }

    // A component that passes a request on stores here its data for the response, and removes it then.
    void push_route(std::uint32_t mark) {
        if (depth_ < near_marks)
            route_[depth_++] = mark;
        else
            push_far(mark);
    }
    std::uint32_t pop_route() {
        if (depth_ - 1u < near_marks) return route_[--depth_];
        return pop_far();
    }
    std::uint32_t last_route() const {
        return depth_ <= near_marks ? route_[depth_ - 1u] : far_route_[depth_ - 1u - near_marks];
    }
    bool has_route() const { return depth_ > 0; }

protected:
    ~request_state() = default;
    friend struct payload_layout;
};

class memory_extension final : public request_state, public tlm::tlm_extension<memory_extension> {
public:
    atomic_request atomic() const { return {op_, operands_, compare_}; }
    void modify(const atomic_request& what) {
        op_ = what.op;
        operands_ = what.type;
        compare_ = what.compare;
    }

    tlm::tlm_generic_payload& carrier() const {
        if (!in_payload_) return *carrier_;
        return *reinterpret_cast<tlm::tlm_generic_payload*>(reinterpret_cast<std::uintptr_t>(this) - place_in_payload);
    }
    // For a copy: its carrier is that transaction now.
    void carried_by(tlm::tlm_generic_payload& trans) {
        if (!in_payload_) carrier_ = &trans;
    }

    // Clears everything, for a new request.
    void clear() {
        virtual_address = 0;
        process = 0;
        origin = {};
        scope = memory::scope::wavefront;
        policy = cache_policy::cached;
        op_ = atomic_op::none;
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

private:
    // Behind the payload itself, which it needs to be no line further.
    static constexpr std::size_t place_in_payload = sizeof(tlm::tlm_generic_payload);

    tlm::tlm_generic_payload* carrier_ = nullptr;  // of one that is in no payload
    std::uint64_t compare_ = 0;

    friend class payload;
    friend class payload_pool;
    friend struct payload_layout;
};

// Requests in order, linked through their extensions.
using payload_fifo = core::linked_fifo<memory_extension>;

}  // namespace contraflow::memory
