// SPDX-License-Identifier: Apache-2.0
// One channel of a memory with its controller: banks with an open row each, a data bus, finite queues of reads and of
// writes. First ready, first come, first served (FR-FCFS): the bus goes to the oldest request whose row is open and
// whose bank can go, while other banks close and open rows for the oldest of their requests, as tRRD and tFAW allow.
// Reads go first; writes wait for a batch, because the bus loses time each time its direction changes. Between two
// batches of reads at most `write_high` writes go. Each refresh closes all rows and stops the channel.
// Source of the rules: JESD79-4 (DDR4) and JESD235 (HBM); of the order: S. Rixner et al., "Memory Access Scheduling",
// ISCA 2000. Times are those of commands, counted when something can be decided, not clock by clock. Not modelled: bank
// groups, ranks, refresh of single banks; a read of bytes that still wait to be written takes the time of a read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/dram/dram_spec.h"
#include "memory/dram/interleave.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

enum class row_state { hit, closed, conflict };
enum class dram_access { read, write };

class dram_channel {
public:
    // Channels refresh in turn: this is number `n`.
    explicit dram_channel(const dram_spec& s, unsigned n = 0);

    bool full(dram_access kind) const { return of(kind).waiting == of(kind).capacity; }
    bool empty() const { return of(dram_access::read).waiting == 0 && of(dram_access::write).waiting == 0; }
    std::size_t waiting(dram_access kind) const { return of(kind).waiting; }
    core::sim_time oldest_since() const;
    // Requests of `length` bytes; `place` is the offset within the channel. A request that has been answered is null.
    void add(dram_access kind, memory_extension* request, std::uint64_t place, unsigned length, core::sim_time now);

    // When the next command may be due; never() when nothing waits.
    core::sim_time next_step() const { return next_step_; }
    struct service {
        memory_extension* request = nullptr;
        row_state row = row_state::hit;
        core::sim_time arrived{};
        core::sim_time bus_time{};  // it holds the bus
        core::sim_time done{};      // its last byte has passed
        bool turned = false;        // the bus changed its direction for it
    };
    // Gives the commands that are due at that time, and the request whose data they move, if any.
    std::optional<service> step(core::sim_time now);
    void reset();

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};
    struct entry {
        memory_extension* request;
        std::uint64_t row;
        std::uint32_t bank;
        row_state found;  // how it found its row
        core::sim_time bus_time;
        core::sim_time arrived;
        std::uint64_t number;        // in order of arrival
        std::uint32_t before, next;  // of its bank, older and younger
    };
    struct queue {
        std::vector<entry> entries;
        std::vector<std::uint32_t> free;
        std::size_t capacity = 0;
        std::size_t waiting = 0;
        std::uint32_t first = nobody, last = nobody;  // banks with requests, by the oldest of each
    };
    struct bank_requests {                            // of one dram_access
        std::uint32_t first = nobody, last = nobody;  // in order of arrival
        unsigned waiting = 0;
        unsigned ready = 0;                            // of these: their row is the open one
        std::uint32_t before = nobody, next = nobody;  // banks, in the queue's order
    };
    struct bank {
        std::uint64_t row = none;
        core::sim_time column_from{};  // its row serves columns
        core::sim_time row_from{};     // its row may be closed; without a row: one may be opened
        std::array<bank_requests, 2> of{};
        unsigned passed = 0;  // hits that passed an older request since the row was opened
    };
    queue& of(dram_access kind) { return queues_[static_cast<std::size_t>(kind)]; }
    const queue& of(dram_access kind) const { return queues_[static_cast<std::size_t>(kind)]; }

    bool must_turn() const;
    core::sim_time bus_from() const;
    core::sim_time open_from(const bank& b) const;
    void open(bank& b, entry& e, core::sim_time now);
    void recount(bank& b);
    void refresh(core::sim_time now);
    service serve(std::uint32_t chosen, core::sim_time now);
    // Requests in their bank, and banks in the order of their oldest requests.
    void append(std::size_t kind, std::uint32_t number);
    void take_out(std::size_t kind, std::uint32_t number);
    void put_in_order(std::size_t kind, std::uint32_t bank_number, std::uint32_t behind);
    // A request of the direction that is served now whose bank may close its row for the oldest of its requests.
    bool may_close(const bank& b) const {
        return b.of[static_cast<std::size_t>(serves_)].ready == 0 || b.passed >= spec_.row_hit_cap;
    }

    const dram_spec spec_;
    const interleave rows_;
    const core::sim_time first_refresh_;
    const core::sim_time burst_time_;
    std::array<queue, 2> queues_;
    std::vector<bank> banks_;
    unsigned length_ = 0;        // of the last request
    core::sim_time bus_time_{};  // for it
    dram_access serves_ = dram_access::read;
    unsigned since_turn_ = 0;  // served since the turn; of writes, only those that passed a waiting read
    dram_access carried_ = dram_access::read;  // by the bus, last
    core::sim_time bus_free_{};
    std::array<core::sim_time, 4> activates_{};  // the last four, with tFAW added: none may be sooner
    unsigned oldest_activate_ = 0;
    core::sim_time activate_from_{};  // by tRRD
    core::sim_time next_refresh_;
    core::sim_time next_step_ = core::sim_time::never();
    std::uint64_t arrivals_ = 0;
};

}  // namespace contraflow::memory
