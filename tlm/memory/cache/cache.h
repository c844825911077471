// SPDX-License-Identifier: Apache-2.0
// A cache bank with real data: write-through without allocation or write-back with it, MSHRs that merge, hit under
// miss, partly valid lines (a partial write fetches nothing), atomic operations done here or passed on. Takes
// `accesses` requests per cycle. A look-up takes hit_latency, for a hit until its answer, for all else until the
// request to the next level. A request that cannot continue blocks those behind it and, once the queue is full, the
// sender. A request may not cross a line (TLM_BURST_ERROR_RESPONSE). Loosely timed and debug accesses see the newest
// data.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/cache/cache_lines.h"
#include "memory/cache/cache_spec.h"
#include "memory/cache/line_filter.h"
#include "memory/cache/replacement.h"
#include "memory/port/delay_line.h"
#include "memory/port/intake.h"
#include "memory/port/request_port.h"
#include "memory/port/response_port.h"
#include "observe/conservation.h"
#include "observe/counter_view.h"
#include "observe/statistics.h"

namespace contraflow::memory {

// The reason why the oldest request in a cache waits.
enum class cache_wait : std::uint8_t {
    none,
    miss_register,  // all MSHRs are in use
    merge,          // the limit of requests that wait for this line is reached, or this one comes before a write
    set,            // every line of the set is being filled
    stale_fill,     // the line in flight was invalidated; it must arrive and be dropped first
    request_queue,  // the next level holds requests back
    write_back,     // the allowed number of lines is being written back
    response,       // the requester doesn't take its responses
};
inline constexpr std::size_t cache_waits = 7;  // without `none`

// The counters of one cache.
struct cache_statistics {
    cache_statistics(observe::statistics& group, const std::string& path)
        : reads(group, path + ".reads", "requests", "reads", count.reads),
          writes(group, path + ".writes", "requests", "writes", count.writes),
          atomics(group, path + ".atomics", "requests", "atomic operations", count.atomics),
          read_hits(group, path + ".read_hits", "requests", "reads answered from a line that was here",
                    count.read_hits),
          write_hits(group, path + ".write_hits", "requests", "writes to a line that was here", count.write_hits),
          atomic_hits(group, path + ".atomic_hits", "requests", "atomic operations on a line that was here",
                      count.atomic_hits),
          merged(group, path + ".merged", "requests", "requests that waited for a line asked for by another",
                 count.merged),
          fills(group, path + ".fills", "lines", "lines asked of the next level", count.fills),
          evictions(group, path + ".evictions", "lines", "lines that made room for another", count.evictions),
          write_backs(group, path + ".write_backs", "lines", "lines written to the next level", count.write_backs),
          passed_on(group, path + ".passed_on", "requests", "requests handed on to the next level as they were",
                    count.passed_on),
          refused(group, path + ".refused", "requests", "requests answered with an error", count.refused),
          invalidated(group, path + ".invalidated", "lines", "copies invalidated", count.invalidated),
          hit_rate(
              group, path + ".hit_rate", "share", "reads answered from a line that was here, of all reads",
              [this] { return static_cast<double>(read_hits.value()); },
              [this] { return static_cast<double>(reads.value()); }),
          misses(group, path + ".misses_under_way", "lines", "MSHRs in use"),
          fill_latency(group, path + ".fill_latency", "ps", "time from asking for a line to having it"),
          waits{{{group, path + ".wait_miss_register", "ps", "time the oldest request waited for an MSHR",
                  count.waits[0]},
                 {group, path + ".wait_merge", "ps", "time it waited for room in the list of an MSHR", count.waits[1]},
                 {group, path + ".wait_set", "ps", "time it waited because its whole set was being filled",
                  count.waits[2]},
                 {group, path + ".wait_stale_fill", "ps", "time it waited for an invalidated line to come and go",
                  count.waits[3]},
                 {group, path + ".wait_request_queue", "ps", "time it waited for the next level to take requests",
                  count.waits[4]},
                 {group, path + ".wait_write_back", "ps", "time it waited for lines that were being written back",
                  count.waits[5]},
                 {group, path + ".wait_response", "ps", "time it waited for responses to be taken", count.waits[6]}}} {}
    cache_statistics(const cache_statistics&) = delete;  // the ratio refers to the counters
    cache_statistics& operator=(const cache_statistics&) = delete;

    struct counts {
        std::uint64_t reads = 0, writes = 0, atomics = 0, read_hits = 0, write_hits = 0, atomic_hits = 0, merged = 0,
                      fills = 0, evictions = 0, write_backs = 0, passed_on = 0, refused = 0, invalidated = 0;
        std::array<std::uint64_t, cache_waits> waits{};  // by cache_wait, of which none has no counter
    };
    counts count;
    observe::counter_view reads, writes, atomics, read_hits, write_hits, atomic_hits, merged, fills, evictions,
        write_backs, passed_on, refused, invalidated;
    observe::ratio hit_rate;
    observe::gauge misses;
    observe::histogram fill_latency;
    std::array<observe::counter_view, cache_waits> waits;
};

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

    // Invalidates copies at once, also those in flight; dirty bytes stay.
    void invalidate(line_filter which = {});
    // Writes dirty bytes back and keeps them as copies; `done` is called once the next level has them all. Traffic may
    // continue meanwhile. False if a flush is already in progress.
    bool flush(line_filter which, core::callback done);
    bool flushing() const { return flush_.active; }
    bool control(core::control_verb verb) override;

    // Whether no accepted request is in progress.
    bool idle() const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Holds when idle: requests and responses, fills, write-backs.
    void check(observe::conservation& checks) const;
    const cache_statistics& statistics() const { return statistics_; }
    const cache_spec& configuration() const { return spec_; }
    // Lines in use, and those with dirty bytes.
    std::size_t lines_in_use() const { return lines_.in_use_count(); }
    std::size_t dirty_lines() const { return lines_.dirty_count(); }

private:
    // A request with its state in this cache.
    struct access {
        std::uint64_t line = 0;  // address of it
        unsigned set = 0;
        unsigned offset = 0;
        unsigned length = 0;
        byte_mask need{};
        std::uint32_t place = cache_lines::none;  // place of the line in this cache
    };
    // A read of a whole line asks the next level itself; for any other request a fill of the cache does.
    struct miss {
        std::uint32_t line = 0;
        payload* fill = nullptr;  // null: the request's own
        bool under_way = false;
        core::sim_time since{};
        payload_fifo targets;  // those that wait, without one that asks itself
        bool stale = false;    // not to be kept when it arrives
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
        core::callback done{};
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
    void arm(core::sim_time when) {
        if (!serve_.armed()) serve_.arm(when);
    }
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
    // Finds an unused place, by eviction if necessary, with room for that many requests to the next level.
    cache_wait make_room(access& a, std::size_t requests);
    bool passes(const memory_extension& request) const {
        return request.scope > spec_.covers || request.policy >= cache_policy::bypass;
    }
    // Whether all bytes are here and may be used.
    bool has(const access& a) const {
        if (a.place == cache_lines::none) return false;
        if (!lines_.whole(a.place) && !lines_.valid(a.place).contains(a.need)) return false;
        return !lines_.pending(a.place) || !misses_[lines_.miss_of(a.place)].stale;
    }
    bool finish(memory_extension& request, const access& a);
    void hit(memory_extension& request) { hits_.push(request, events_.now() + hit_latency_); }
    void answer(memory_extension& request);

    // --- the next level. A request goes there when its look-up is over. While that level takes none, the stages of the
    // look-up hold requests as well as the queue behind them.
    bool room_below(std::size_t requests) const {
        return looking_up_.size() + below_.size() + requests <= spec_.request_queue + look_up_stages_;
    }
    bool room_to_write_back() const { return !free_slots_.empty(); }
    void send_down(memory_extension& request) { looking_up_.push(request, events_.now() + hit_latency_); }
    void looked_up(memory_extension& request);
    void transmit(memory_extension& request);
    bool asks_itself(const memory_extension& request, const access& a) const;
    void fill_arrived(std::uint32_t number, memory_extension& fill_request);
    void write_back(std::uint32_t line);
    void invalidate_line(std::uint32_t line);
    // The lines that a filter may choose: all places, or the lines of its range if these are fewer.
    std::uint64_t candidates(const line_filter& which) const;
    std::uint32_t candidate(const line_filter& which, std::uint64_t number) const;
    void write_back_done(std::uint32_t slot);
    void pump_flush();
    void reset();

    // --- loosely timed and debug
    void blocking_modify(tlm::tlm_generic_payload& trans, const memory_extension& request, sc_core::sc_time& delay);
    // Calls what(line, bytes, newer, place) for all bytes that may be dirty, the oldest first.
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
    const std::size_t look_up_stages_;
    cache_lines lines_;
    const bool sets_are_power_of_two_;
    std::unique_ptr<replacement_if> replacement_;
    cache_statistics statistics_;

    intake intake_;
    payload_fifo queue_;
    core::sim_time cycle_end_{};
    unsigned accessed_ = 0;  // in the cycle that ends then
    core::timer<&cache::serve_queue> serve_;
    cache_wait waiting_for_ = cache_wait::none;
    core::sim_time waiting_since_{};
    delay_line<cache, &cache::answer> hits_;
    delay_line<cache, &cache::answer> fills_;
    core::sim_time fill_slot_{};  // the next response of a fill, at the earliest

    std::vector<miss> misses_;
    std::vector<std::uint32_t> free_misses_;
    delay_line<cache, &cache::looked_up> looking_up_;
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
};

}  // namespace contraflow::memory
