// SPDX-License-Identifier: Apache-2.0
// A cache bank with real data: write-through without allocation or write-back with it, MSHRs that merge, hit under
// miss, partly valid lines (a partial write fetches nothing), atomic operations here or passed on. Takes `accesses`
// requests a cycle; what cannot go on holds back those behind it and, once the queue is full, the sender. A request
// may not cross a line (TLM_BURST_ERROR_RESPONSE). Loosely timed and debug accesses see the newest data.
#pragma once

#include <memory>
#include <vector>

#include "core/control.h"
#include "core/waiting.h"
#include "memory/cache/cache_lines.h"
#include "memory/cache/cache_spec.h"
#include "memory/cache/cache_statistics.h"
#include "memory/port/completion.h"
#include "memory/port/delay_line.h"
#include "memory/port/intake.h"
#include "memory/cache/line_filter.h"
#include "memory/cache/replacement_if.h"
#include "memory/port/request_port.h"
#include "memory/port/response_port.h"
#include "observe/conservation.h"

namespace contraflow::memory {

class cache : public sc_core::sc_module,
              public core::waiter_if,
              public core::controllable_if,
              private response_owner_if,
              private request_owner_if {
public:
    cache(const sc_core::sc_module_name& name, const resources& shared, const cache_spec& s);
    ~cache() override;

    response_port up;
    request_port down;

    // Forgets copies at once, also those under way; bytes newer than the next level's stay.
    void invalidate(line_filter which = {});
    // Writes such bytes back and keeps them as copies; `done` is called once the next level has them all. Traffic may
    // go on meanwhile. False if a flush is under way already.
    bool flush(line_filter which, completion done);
    bool flushing() const { return flush_.active; }
    bool control(core::control_verb verb) override;

    // Nothing that was taken in is under way.
    bool at_rest() const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // To be held at rest: requests and responses, fills, write-backs.
    void check(observe::conservation& checks) const;
    const cache_statistics& statistics() const { return statistics_; }
    const cache_spec& configuration() const { return spec_; }
    // Lines that hold anything, and those with bytes newer than the next level's.
    std::size_t lines_in_use() const { return lines_.in_use_count(); }
    std::size_t dirty_lines() const { return lines_.dirty_count(); }

private:
    // One request, as far as this cache is concerned.
    struct access {
        std::uint64_t line = 0;  // address of it
        unsigned set = 0;
        unsigned offset = 0;
        unsigned length = 0;
        byte_mask need{};
        std::uint32_t place = cache_lines::none;  // where the line is here
    };
    struct miss {
        std::uint32_t line = 0;
        payload* fill = nullptr;
        payload_fifo targets;
        bool stale = false;    // not to be kept when it comes
        byte_mask modified{};  // by atomic operations that wait for it
    };
    struct write_back_slot {
        payload* data = nullptr;
        std::uint64_t order = 0;
        std::uint64_t line = 0;
        byte_mask bytes{};
    };
    struct flush_state {
        bool active = false;
        line_filter which{};
        completion done{};
        std::uint64_t next = 0;  // candidate to look at
        bool walked = false;     // all of them
        std::uint64_t last_order = 0;
    };
    static constexpr std::uint32_t passed_on_mark = ~std::uint32_t{0};
    static constexpr std::uint32_t write_back_mark = std::uint32_t{1} << 31;

    bool request_arrived(unsigned port, memory_extension& request) override;
    void response_port_ready(unsigned port) override;
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) override;
    bool response_arrived(unsigned port, memory_extension& request) override;
    void request_port_ready(unsigned port) override;

    // --- the queue
    bool may_access(core::sim_time now) const { return now >= cycle_end_ || accessed_ < spec_.accesses; }
    void count_access(core::sim_time now);
    void look_again() { arm(events_.now()); }
    void arm(core::sim_time when);
    void serve_queue();
    void refill();
    bool stall(cache_wait why);
    bool waits_for_a_fill() const {
        return waiting_for_ == cache_wait::miss_register || waiting_for_ == cache_wait::merge ||
               waiting_for_ == cache_wait::set || waiting_for_ == cache_wait::stale_fill;
    }
    void end_stall(core::sim_time now);

    // --- one request; false: it has to wait, and nothing has changed
    bool serve(memory_extension& request);
    bool decode(const tlm::tlm_generic_payload& trans, access& a) const;
    bool serve_read(memory_extension& request, access& a);
    bool serve_write(memory_extension& request, access& a);
    bool serve_atomic(memory_extension& request, access& a);
    bool serve_miss(memory_extension& request, access& a);
    bool pass_by(memory_extension& request, const access& a);
    bool pass_on(memory_extension& request);
    void refuse(memory_extension& request, tlm::tlm_response_status status);
    // Finds an unused place, by the eviction of a line if need be, with room for so many requests to the next level.
    cache_wait make_room(access& a, std::size_t requests);
    bool passes(const memory_extension& request) const {
        return request.scope > spec_.covers || request.policy == cache_policy::bypass;
    }
    // All bytes are here, and may be used.
    bool has(const access& a) const {
        if (a.place == cache_lines::none) return false;
        if (!lines_.whole(a.place) && !lines_.valid(a.place).contains(a.need)) return false;
        return !lines_.pending(a.place) || !misses_[lines_.miss_of(a.place)].stale;
    }
    bool finish(memory_extension& request, const access& a);
    void hit(memory_extension& request) { hits_.push(request, events_.now() + hit_latency_); }
    void answer(memory_extension& request);

    // --- the next level
    bool room_below(std::size_t requests) const { return below_.size() + requests <= spec_.request_queue; }
    bool room_to_write_back() const { return !free_slots_.empty(); }
    void send_down(memory_extension& request);
    void transmit(memory_extension& request);
    void fill_arrived(std::uint32_t number, memory_extension& deputy);
    void write_back(std::uint32_t line);
    void forget(std::uint32_t line);
    // What a filter may choose: lines by their place here, or those of its range by their address, if these are fewer.
    std::uint64_t candidates(const line_filter& which) const;
    std::uint32_t candidate(const line_filter& which, std::uint64_t number) const;
    void write_back_done(std::uint32_t slot);
    void pump_flush();
    void reset();

    // --- loosely timed and debug
    void blocking_modify(tlm::tlm_generic_payload& trans, const memory_extension& request, sc_core::sc_time& delay);
    // Calls what(line, bytes, newer, place) for all that may be newer than the next level's bytes, the oldest first.
    template <class What> void each_newer(std::uint64_t address, unsigned length, What what);
    void overlay(tlm::tlm_generic_payload& trans, std::uint64_t address, unsigned length);
    void update_copies(const tlm::tlm_generic_payload& trans, std::uint64_t address, unsigned length);

    unsigned set_of(std::uint64_t line_address) const {
        const std::uint64_t number = spec_.bank.within(line_address) >> line_shift_;
        return static_cast<unsigned>(sets_are_power_of_two_ ? number & (lines_.sets() - 1) : number % lines_.sets());
    }
    unsigned way_of(const access& a) const { return a.place - lines_.line_of(a.set, 0); }
    stage own_stage(const memory_extension& request) const {
        if (spec_.level == cache_level::l1) return stage::l1;
        return request.origin.gpu == spec_.socket ? stage::l2 : stage::remote_l2;
    }

    core::scheduler& events_;
    payload_pool& payloads_;
    const cache_spec spec_;
    const unsigned line_bytes_;
    const unsigned line_shift_;
    const core::sim_time hit_latency_;
    const core::sim_time fill_latency_;
    cache_lines lines_;
    const bool sets_are_power_of_two_;
    std::unique_ptr<replacement_if> replacement_;
    cache_statistics statistics_;

    intake intake_;
    payload_fifo queue_;
    core::sim_time cycle_end_{};
    unsigned accessed_ = 0;  // in the cycle that ends then
    bool armed_ = false;     // serve_queue() is going to be called
    cache_wait waiting_for_ = cache_wait::none;
    core::sim_time waiting_since_{};
    delay_line<cache, &cache::answer> hits_;
    delay_line<cache, &cache::answer> fills_;
    core::sim_time fill_slot_{};  // the next response of a fill, at the earliest

    std::vector<miss> misses_;
    std::vector<std::uint32_t> free_misses_;
    payload_fifo below_;
    std::vector<write_back_slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::uint64_t write_backs_begun_ = 0;
    flush_state flush_;

    std::uint32_t passed_on_ = 0;       // and not answered
    core::sim_time passed_on_since_{};  // without a pause

    std::uint64_t accepted_ = 0, answered_ = 0;
    std::uint64_t fills_asked_ = 0, fills_got_ = 0;
    std::uint64_t write_backs_done_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace contraflow::memory
