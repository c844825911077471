// SPDX-License-Identifier: Apache-2.0
// A queue of finite length and walkers in parallel, which read page tables by timed requests of eight bytes to the
// tables' memory, with caches of the upper levels, or in a fixed time. Its owner decides what happens with a result. A
// walk is repeated if its page's translations are invalidated, or a table is given back, meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/port/delay_line.h"
#include "memory/port/intake.h"
#include "memory/port/request_port.h"
#include "memory/vm/radix_table.h"
#include "memory/vm/table_entry.h"
#include "memory/vm/translation.h"
#include "memory/vm/walk_spec.h"
#include "observe/conservation.h"
#include "observe/counter_view.h"
#include "observe/statistics.h"

namespace contraflow::memory {

// The addresses of tables of one level, by the part of the virtual address that leads to them: a walk may begin there.
// Evicts the least recently used entry.
class walk_cache {
public:
    // For tables of that level; 1 is the last one.
    walk_cache(unsigned level, unsigned entries) : shift_(page_bits_4k + level * table_level_bits), entries_(entries) {}

    std::optional<std::uint64_t> find(std::uint32_t process, std::uint64_t address) {
        for (known& k : known_) {
            if (k.prefix != address >> shift_ || k.process != process) continue;
            k.used = ++uses_;
            return k.table;
        }
        return std::nullopt;
    }
    void fill(std::uint32_t process, std::uint64_t address, std::uint64_t table) {
        if (entries_ == 0 || find(process, address)) return;
        known* at = nullptr;
        if (known_.size() < entries_) {
            at = &known_.emplace_back();
        } else {
            at = &known_[0];
            for (known& k : known_)
                if (k.used < at->used) at = &k;
        }
        *at = {address >> shift_, table, ++uses_, process};
    }
    void invalidate(const translation_range& which) {
        std::erase_if(known_, [&](const known& k) {
            const std::uint64_t first = k.prefix << shift_;
            return which.meets(k.process, first, first + ((std::uint64_t{1} << shift_) - 1));
        });
    }

private:
    struct known {
        std::uint64_t prefix = 0, table = 0, used = 0;
        std::uint32_t process = 0;
    };
    const unsigned shift_, entries_;
    std::vector<known> known_;
    std::uint64_t uses_ = 0;
};

class walk_owner_if {
public:
    // Status and page are in the request, which the owner now has.
    virtual void walked(translation_request& request) = 0;
    // May another walk begin while that many are under way? If not, walk_unit::resume() asks again.
    virtual bool may_begin(std::size_t /*under_way*/) const { return true; }

protected:
    ~walk_owner_if() = default;
};

class walk_unit final : private request_owner_if, private core::channel_receiver_if<translation_request*> {
public:
    walk_unit(const std::string& path, const resources& shared, const walk_spec& s, const radix_table& table,
              walk_owner_if& owner);
    ~walk_unit();

    // The port to the memory of the tables; null if walks take a fixed time.
    request_port* port() { return port_.get(); }

    // Takes as many requests as the queue has room for.
    translation_server& requests() { return requests_; }
    // The owner has room again.
    void resume() { dispatch(); }
    // Queues a request that has been here before; it may exceed the queue's length.
    void again(translation_request& request);
    void invalidate(const translation_range& which, core::callback done);
    // Repeats walks in that range: the entries they have read may be outdated.
    void repeat(const translation_range& which);

    bool control(core::control_verb verb);
    bool idle() const { return taken_ == walked_ && acknowledgements_.empty(); }
    void report_waits(std::vector<core::wait_edge>& edges) const;
    void check(observe::conservation& checks) const;

    struct statistics_set {
        statistics_set(observe::statistics& group, const std::string& path, const std::uint64_t& refused);
        observe::counter walks, reads, cache_hits, repeated, failed;
        observe::counter_view held_back;
        observe::gauge waiting, walking;
        observe::histogram latency;
    };
    const statistics_set& statistics() const { return statistics_; }

private:
    struct walk {
        translation_request* request = nullptr;
        unsigned level = 0;
        std::uint64_t table = 0;
        std::uint64_t epoch = 0;
        std::uint64_t tables_given_back = 0;  // when it began
        bool stale = false;
        payload* read = nullptr;
        table_entry got;
        core::sim_time since{};
        walk* next = nullptr;
    };

    bool response_arrived(unsigned, memory_extension& response) override;
    void request_port_ready(unsigned) override { send_reads(); }

    bool can_take(unsigned, translation_request* const& request) override;
    void take(unsigned, translation_request* request) override;
    void arrive(translation_request& request);
    void dispatch();
    void begin(walk& w);
    void read_entry(walk& w);
    void send_reads();
    void step(walk& w);
    void finish(walk& w, translation_status status, const page_translation& page);
    void end_fixed(walk& w);
    template <void (walk_unit::*Do)(walk&)> void schedule(core::sim_time delay, walk& w);
    template <void (walk_unit::*Do)(walk&)> void run(std::uint32_t number) { (this->*Do)(walks_[number]); }
    void acknowledge();
    void reset();

    const resources shared_;
    const walk_spec spec_;
    const std::string path_;
    const radix_table& table_;
    walk_owner_if& owner_;
    translation_server requests_;
    statistics_set statistics_;
    std::unique_ptr<request_port> port_;
    std::vector<walk_cache> caches_;       // caches of tables of level 1, 2, 3
    std::uint64_t tables_given_back_ = 0;  // its value when the caches were last emptied for it
    std::vector<walk> walks_;
    std::vector<unsigned> free_;
    delay_line<walk_unit, &walk_unit::arrive, translation_request> arriving_;
    core::linked_fifo<translation_request> queue_;
    core::linked_fifo<walk> reads_;
    intake intake_;
    core::sim_time stopped_since_{};
    std::vector<core::callback> acknowledgements_;
    std::uint64_t taken_ = 0, walked_ = 0;
    core::cancellable_calls<walk_unit> calls_;
};

}  // namespace contraflow::memory
