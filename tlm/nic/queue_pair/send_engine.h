// SPDX-License-Identifier: Apache-2.0
// The requesting side of all queue pairs: from doorbells to completions.
//
//   doorbell -> fetch: a read an entry, `fetch` a queue pair at a time, in order; none of an entry that came with it
//            -> begin: queue pairs take turns, an entry an `interval` -> processing -> check: number, form
//            -> launch: queue pairs take turns, a packet each: sequence number, gather of its payload (packet_sender)
//            -> network ... acknowledgements, answers -> scatter of what was read (packet_writer)
//            -> retire: entries in order, a completion for a signalled one
//
// Reliability: packets are kept by number only. If the other end misses one, or nothing is acknowledged for
// `retry_after`, the queue pair goes back to the oldest number that is not acknowledged, and launches from there:
// payload is read from memory again. A read goes on from the first packet of its answer that is missing.
//
// Errors: an entry fails at its place in the order of its queue pair. The queue pair fails with it: all later entries
// are flushed, those that are rung for afterwards too. Each has a completion.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/timer.h"
#include "nic/queue_pair/completion_writer.h"
#include "nic/queue_pair/packet_sender.h"
#include "nic/queue_pair/packet_writer.h"
#include "nic/queue_pair/queue_pair_spec.h"
#include "observe/conservation.h"

namespace contraflow::nic {

class send_engine final : public core::waiter_if,
                          public core::channel_receiver_if<carried_packet*>,
                          private pcie::requester_user_if,
                          private packet_sender::user_if,
                          private packet_writer::user_if,
                          private completion_writer::user_if {
public:
    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
        pcie::function& function;
        transport_port& port;
        const region_table& regions;
        translator &reads, &writes;
        core::callback failed;  // a queue pair has
    };
    send_engine(const resources& r, const queue_pair_spec& s, std::string name);

    // --- the driver's and software's registers
    // False: it is in use. A failed or idle queue pair may be opened anew.
    bool open(std::uint32_t queue, const queue_setup& s);
    bool close(std::uint32_t queue);
    // `produced` entries have been written since it was opened. False: it is closed.
    bool doorbell(std::uint32_t queue, std::uint32_t produced);
    // The same with the last of these entries, which is in the ring, too. Only the latest one is kept.
    bool push(std::uint32_t queue, std::span<const std::uint8_t, work_entry_bytes> bytes);
    // Software has taken so many completions since then.
    bool consumed(std::uint32_t queue, std::uint32_t completions);
    struct status {
        queue_state state = queue_state::closed;
        queue_fault fault = queue_fault::none;
        work_status entry = work_status::done;  // that has failed
        std::uint32_t number = 0;               // of that entry
        std::uint32_t retired = 0, completions = 0;
    };
    status status_of(std::uint32_t queue) const;
    bool idle(std::uint32_t queue) const;
    bool idle() const;

    // --- the NIC
    // Fetches no further entries, or does again.
    void drain(bool on);
    void may_send() {
        sender_.may_send();
        advance();
    }
    void advance();
    // A page has been looked up.
    void go_on() { writer_.go_on(); }
    void set_observer(message_observer_if* observer) { observer_ = observer; }
    // Call it after the function's reset.
    void reset();
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    std::uint64_t retransmitted() const { return sent_again_.value(); }
    std::uint64_t timeouts() const { return timeouts_.value(); }
    std::uint64_t done() const { return done_.value(); }

private:
    enum class stage : std::uint8_t { fetching, here, processing, ready };
    struct entry : pcie::operation {
        std::array<std::uint8_t, work_entry_bytes> bytes{};
        work_entry what;
        entry* next = nullptr;
        std::uint32_t queue = 0, number = 0;
        stage at = stage::fetching;
        core::sim_time due{};
        registered_region local;
        bool numbered = false;  // first_sequence is set
        bool counted = false;   // among the open reads
        bool done = false;      // status says how
        std::uint32_t first_sequence = 0, packets = 0;
        std::uint32_t launched = 0;  // packets, since the last return
        work_status status = work_status::done;
        message_times times;
    };
    // Counts of entries since it was opened, all modulo 2^32:
    // retired <= acknowledged <= launching <= processed <= begun <= fetched <= produced; entry n has number n + 1.
    struct queue_pair {
        queue_pair(send_engine& e, std::uint32_t number)
            : engine(e),
              to_begin(number),
              to_launch(number),
              to_retire(number) {}
        void timed_out() { engine.timed_out(to_begin.queue); }

        send_engine& engine;
        queue_state state = queue_state::closed;
        queue_setup setup;
        std::vector<entry> entries;  // the window, by count
        std::array<std::uint8_t, work_entry_bytes> pushed{};
        bool has_pushed = false;  // and not begun with
        std::uint32_t produced = 0, fetched = 0, begun = 0, processed = 0, launching = 0, acknowledged = 0, retired = 0;
        std::uint32_t fetches = 0, processing = 0;  // reads of entries under way; entries in the pipeline
        std::uint32_t completions = 0, consumed = 0;
        std::uint32_t next = 0;    // sequence number of the next packet that is new
        std::uint32_t oldest = 0;  // that is not acknowledged
        std::uint32_t end = 0;     // one beyond the last that has left
        std::uint32_t open_reads = 0, retries = 0;
        bool stopped = false;    // an entry has failed: no later one begins
        bool returned = false;   // to a missing answer, since the last progress
        bool returning = false;  // has gone back, and nothing has left since
        queue_fault fault = queue_fault::none;
        work_status failed_as = work_status::done;
        std::uint32_t failed_at = 0;
        core::sim_time rung{}, progress{};
        turns::place to_begin, to_launch, to_retire;
        core::timer<&queue_pair::timed_out> retry{engine.r_.events, *this};
    };
    static constexpr std::uint32_t no_queue = ~0u;

    std::uint32_t number_of(const queue_pair& q) const { return q.to_begin.queue; }
    entry& entry_at(queue_pair& q, std::uint32_t count) { return q.entries[count % spec_.window]; }
    const entry& entry_at(const queue_pair& q, std::uint32_t count) const { return q.entries[count % spec_.window]; }
    // Entry `count` has been fetched, or is being fetched.
    bool is_here(const queue_pair& q, std::uint32_t count) const { return before(count, q.fetched); }
    bool unanswered(const queue_pair& q) const;
    bool idle(const queue_pair& q) const;

    void fetch_entries(queue_pair& q);
    void finished(pcie::operation& o) override;
    void begin();
    void processed();
    void check(queue_pair& q, entry& e);
    bool may_launch(const queue_pair& q) const;
    void launch();
    void fill(queue_pair& q, entry& e);
    void launch_when_possible(queue_pair& q) {
        if (may_launch(q)) to_launch_.add(q.to_launch);
    }
    bool may_begin(const queue_pair& q) const;
    std::uint64_t local_of(const entry& e, const carried_packet& p) const;
    void go_back(queue_pair& q);
    void timed_out(std::uint32_t queue);
    void fail_entry(queue_pair& q, std::uint32_t count, work_status s);
    void fail(queue_pair& q, queue_fault fault, work_status s, std::uint32_t number);
    void retire(queue_pair& q);
    void ended(const message_end& m);

    // Answers.
    bool can_take(unsigned, carried_packet* const&) override { return !writer_.busy(); }
    void take(unsigned, carried_packet* p) override;
    // False: the packet is of no use.
    bool take_answer(queue_pair& q, carried_packet& p);
    void missing_answer(queue_pair& q);
    void acknowledge(queue_pair& q, std::uint32_t up_to);
    void refused(queue_pair& q, const transport_header& h);
    void advance_oldest(queue_pair& q, std::uint32_t to);
    void answer_complete(queue_pair& q, entry& e);

    // packet_sender::user_if
    bool leaves(std::uint32_t queue, carried_packet& p) override;
    void gather_failed(std::uint32_t queue, carried_packet& p) override;
    void data_here() override { advance(); }
    // packet_writer::user_if
    void started(std::uint32_t queue, const carried_packet& p) override;
    void written(std::uint32_t queue, const carried_packet& p) override;
    // completion_writer::user_if
    void completion_left(const message_end& m) override;

    const resources r_;
    const queue_pair_spec spec_;
    const std::string name_;
    const std::uint32_t mtu_;
    packet_dma gather_, scatter_;
    packet_sender sender_;
    packet_writer writer_;
    completion_writer completions_;
    std::deque<queue_pair> queues_;  // a deque: its timers do not move
    turns to_begin_, to_launch_, to_retire_;
    core::linked_fifo<entry> pipeline_;
    core::sim_time begin_at_{};
    bool draining_ = false, advancing_ = false, again_ = false, taking_ = false;
    core::timer<&send_engine::advance> begin_{r_.events, *this};
    core::timer<&send_engine::processed> processed_{r_.events, *this};
    message_observer_if* observer_ = nullptr;

    observe::counter doorbells_, announced_, fetched_, pushed_, done_, failed_, flushed_, dropped_, completed_,
        numbered_, acknowledged_, forgotten_, sent_again_, timeouts_, returns_, unexpected_;
    observe::gauge open_;
    observe::histogram latency_;
};

}  // namespace contraflow::nic
