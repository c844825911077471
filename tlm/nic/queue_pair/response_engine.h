// SPDX-License-Identifier: Apache-2.0
// The answering side of all queue pairs: requests in order of their sequence numbers.
//
//   network -> request -> in order? -> key, bounds, rights, of the whole message -> writes (packet_writer)
//                                                                               -> reads: packets that gather data
//                                                                               -> atomics: AtomicOps over PCIe
//   network <- packet_sender <- answers of a queue pair, in order: an acknowledgement when the writes before it have
//                               left over PCIe
//
// A packet with a number that is too high is refused once, until the missing one comes. One that has come before is
// acknowledged again; a read is done again, and an atomic is not: the results of the last ones are kept. A request that
// is not allowed writes nothing and is refused for good: all later ones are dropped until the queue pair is opened
// again.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/bounded_queue.h"
#include "nic/queue_pair/packet_sender.h"
#include "nic/queue_pair/packet_writer.h"
#include "nic/queue_pair/queue_pair_spec.h"
#include "nic/queue_pair/work_entry.h"
#include "observe/conservation.h"

namespace contraflow::nic {

class response_engine final : public core::waiter_if,
                              public core::channel_receiver_if<carried_packet*>,
                              private pcie::requester_user_if,
                              private packet_sender::user_if,
                              private packet_writer::user_if {
public:
    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
        pcie::function& function;
        transport_port& port;
        const region_table& regions;
        translator &reads, &writes;
    };
    response_engine(const resources& r, const queue_pair_spec& s, std::string name);

    // Call it with the opening of the send side.
    void open(std::uint32_t queue, const queue_setup& s);
    void close(std::uint32_t queue) { queues_[queue].open = false; }
    bool idle(std::uint32_t queue) const;
    bool idle() const;

    void may_send() {
        sender_.may_send();
        advance();
    }
    void advance();
    // A page has been looked up.
    void go_on() { writer_.go_on(); }
    // Call it after the function's reset.
    void reset();
    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    std::uint64_t duplicates() const { return duplicates_.value(); }
    std::uint64_t refusals() const { return refusals_.value(); }
    std::uint64_t atomics() const { return atomics_done_.value(); }

private:
    struct atomic : pcie::operation {  // one that is being done, or its result
        std::array<std::uint8_t, 2 * atomic_bytes> bytes{};
        std::uint32_t queue = 0, sequence = 0;
        bool used = false, under_way = false;
    };
    struct answer {
        enum class kind_of : std::uint8_t { acknowledgement, refusal, read, atomic } kind = kind_of::acknowledgement;
        std::uint32_t sequence = 0;
        std::uint64_t after = 0;  // packets that have been written
        refusal_reason reason = refusal_reason::out_of_sequence;
        unsigned result = 0;  // of an atomic
        registered_region region;
        std::uint64_t address = 0;
        std::uint32_t length = 0, packets = 0, launched = 0;
    };
    struct queue_pair {
        queue_pair(std::uint32_t number, std::uint32_t reads)
            : turn(number),
              answers(2 * std::size_t{reads} + 2),
              results(reads) {}
        bool open = false, refused_gap = false;
        queue_setup setup;
        std::uint32_t expected = 0;
        std::optional<refusal_reason> refused;  // for good
        // The message of which packets are arriving.
        registered_region region;
        std::uint64_t address = 0;
        std::uint32_t left = 0;
        bool within = false;
        std::uint64_t begun = 0, written = 0;  // packets with data for memory
        turns::place turn;
        core::bounded_queue<answer> answers;
        std::vector<atomic> results;  // of the last atomics
        unsigned next_result = 0;
    };

    std::uint32_t number_of(const queue_pair& q) const { return q.turn.queue; }
    bool can_take(unsigned, carried_packet* const&) override { return !writer_.busy(); }
    void take(unsigned, carried_packet* p) override;
    // Whether the packet is kept until it is written.
    bool take_expected(queue_pair& q, carried_packet& p);
    bool take_write(queue_pair& q, carried_packet& p);
    bool begin_atomic(queue_pair& q, const transport_header& h, const registered_region& region);
    bool add_read(queue_pair& q, const transport_header& h, const registered_region& r);
    void repeat(queue_pair& q, const transport_header& h);
    void refuse(queue_pair& q, refusal_reason why);
    void acknowledge(queue_pair& q, std::uint32_t sequence);
    void add_refusal(queue_pair& q, std::uint32_t sequence, refusal_reason why);
    void add(queue_pair& q, const answer& a);
    void launch();
    enum class progress : std::uint8_t { waits, stops, done };
    progress launch(queue_pair& q);
    carried_packet& begin(queue_pair& q, transport_kind kind, std::uint32_t sequence, std::uint32_t payload, bool ends);
    void finished(pcie::operation& o) override;

    // packet_sender::user_if
    bool leaves(std::uint32_t queue, carried_packet& p) override;
    void gather_failed(std::uint32_t queue, carried_packet& p) override;
    void data_here() override { advance(); }
    // packet_writer::user_if
    void started(std::uint32_t queue, const carried_packet& p) override;
    void written(std::uint32_t queue, const carried_packet& p) override;

    const resources r_;
    const queue_pair_spec spec_;
    const std::string name_;
    const std::uint32_t mtu_;
    packet_dma gather_, scatter_;
    packet_sender sender_;
    packet_writer writer_;
    std::deque<queue_pair> queues_;
    turns to_answer_;
    bool advancing_ = false, again_ = false, taking_ = false;

    observe::counter requests_, accepted_, duplicates_, out_of_order_, refused_requests_, acknowledgements_, refusals_,
        atomics_done_, unexpected_;
};

}  // namespace contraflow::nic
