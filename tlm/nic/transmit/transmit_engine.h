// SPDX-License-Identifier: Apache-2.0
// From descriptors and get requests to packets, in order:
//
//   descriptor_ring -> messages -+-> plan: extents (by the core) -> launch: packets with a place in the buffer
//   core: get requests -> answers -+     host: a read by DMA, GPU: peer_reader or reads of BAR1 -> transmit_buffer
//                                  -> retire: header, CRC -> torus: responses -> completion of a descriptor
//   a get request of a descriptor  -> torus: requests
//
// Answers and descriptors take turns, and no answer waits for a get request to leave: a request that the torus does not
// take holds no place in the buffer.
// A packet is launched when there is room for its header and its data, so every answer to a read finds its place free.
// Packets leave in the order of their messages; a message's completion is written when its last packet has left.
// A failure (an invalid descriptor, a buffer that is not registered, a read with an error, a GPU that does not answer)
// ends only its own message, with a status that names the failure; the message's remaining packets are not sent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/bounded_queue.h"
#include "core/callback.h"
#include "core/channel.h"
#include "core/timer.h"
#include "nic/packet.h"
#include "nic/torus_packet.h"
#include "nic/transmit/core_if.h"
#include "nic/transmit/descriptor_ring.h"
#include "nic/transmit/peer_reader.h"
#include "nic/transmit/transmit_buffer.h"
#include "nic/transmit/transmit_spec.h"
#include "observe/conservation.h"
#include "observe/gauge.h"
#include "observe/waves/wave_sink_if.h"

namespace contraflow::nic {

// A GPU's addresses on the bus.
struct gpu_attachment {
    bool attached = false;
    std::uint64_t mailbox = 0;   // the register for read requests
    std::uint64_t aperture = 0;  // base of BAR1
};

class transmit_engine final : public core::channel_sender_if<torus_packet>,
                              public core::waiter_if,
                              private core_user_if,
                              private pcie::requester_user_if {
public:
    // Calls for the NIC around it: a message has been completed; the core has room for one more get request;
    // invalidate() has ended.
    struct news {
        core::callback completed, room_in_core, reads_ended;
    };
    transmit_engine(core::scheduler& events, observe::statistics& statistics, pcie::function& of,
                    const transmit_spec& s, const position& node, core_if& core, const news& to, std::string name);

    // Call it before the run. Puts and answers leave by `responses`, get requests by `requests`. This engine is the
    // sender of both channels.
    void connect(core::channel<torus_packet>& responses, core::channel<torus_packet>& requests) {
        out_ = &responses;
        requests_out_ = &requests;
    }
    void attach(unsigned gpu, const gpu_attachment& where) { gpus_.at(gpu) = where; }
    // Before the run: its stages as signals below its own name.
    void set_waves(observe::wave_sink_if& waves);
    // Translations have been removed: those of data that has not been asked for are forgotten and made anew.
    // news::reads_ended follows when all that was asked for by then is here; descriptors bring translations of their
    // own. One at a time.
    void invalidate();
    // Lets the engine read again from a GPU that has timed out.
    void recover(unsigned gpu) { reader_.recover(gpu); }

    descriptor_ring& ring() { return ring_; }
    peer_reader& reader() { return reader_; }
    const peer_reader& reader() const { return reader_; }
    std::uint64_t packets() const { return packets_sent_.value(); }
    std::uint64_t answers() const { return answered_.value(); }  // to get requests
    std::uint64_t refused_gets() const { return refused_gets_.value(); }
    bool idle() const { return descriptors_.all.empty() && answers_.all.empty(); }
    // Call it after the function's reset.
    void reset();

    // --- called by its ring
    // The number of further descriptors that could be taken.
    std::uint32_t room() const {
        return static_cast<std::uint32_t>(descriptors_.all.capacity() - descriptors_.all.size());
    }
    // No descriptor: it is not valid or could not be read; `status` says which.
    void take_descriptor(const std::optional<descriptor>& d, std::uint16_t tag, transmit_status status);
    // A completion has left over PCIe, and another can be written.
    void completion_left();

    // --- called by its peer_reader
    // A fetch has ended: all of its lines are in the buffer, or it has timed out.
    void fetched(unsigned number, bool timed_out);
    // v1: the core has requests to write; write_request() follows.
    void request_wanted() { begin_request(); }

    void check(observe::conservation& checks) const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    struct message {
        descriptor what;  // for an answer: a put from a virtual address; the core finds its memory space
        bool answer = false;
        std::uint16_t tag = 0;
        transmit_status status = transmit_status::done;
        std::uint64_t planned = 0, launched = 0;  // bytes
        std::uint32_t open = 0;                   // packets launched that have not left
        bool over() const { return status != transmit_status::done || launched == what.length; }
        bool by_core() const { return answer || of_gpu(what.space); }  // the core translates
    };
    struct message_queue {
        explicit message_queue(std::size_t messages) : all(messages) {}
        core::bounded_queue<message> all;
        std::size_t planned = 0;  // messages at the front whose bytes are all planned
    };
    struct extent {
        message* of = nullptr;
        std::uint64_t address = 0, length = 0;  // the rest of the extent
    };
    struct packet : pcie::operation {  // a read, unless the data comes peer to peer
        message* of = nullptr;
        packet_header header;
        std::uint32_t first = 0, lines = 0;  // in the buffer
        std::uint32_t lead = 0;              // bytes before the payload in its first line
        bool of_gpu = false, here = false;
        bool fenced = false;  // invalidate() waits for its data
    };
    static constexpr std::size_t extents_ahead = 2;

    // core_user_if
    void translated(const std::optional<source_extent>& where) override;
    wanted_reads reads() const override { return reader_.wanted(); }
    void write_request(std::uint64_t word) override;
    void window_started() override;
    bool take_get(const core_message& m) override;
    void message_taken() override { to_.room_in_core(); }
    // reads by DMA
    void store(pcie::operation& o, std::uint64_t offset, const std::uint8_t* from, std::uint32_t length,
               const pcie::tlp&) override;
    void finished(pcie::operation& o) override;
    // channel_sender_if
    void channel_ready(unsigned) override { advance(); }

    void advance();
    void begin_request();
    void begin_window();
    bool plan();
    bool plan_from(message_queue& q);
    bool plan_request(message& m);
    bool launch();
    bool may_read_gpu(std::uint64_t bytes);
    void start(packet& p, unsigned number, const extent& e, std::uint32_t length);
    void here(packet& p, transmit_status status);
    void fail(message& m, transmit_status status);
    void retire();
    void end_messages(message_queue& q);
    bool has_extents(const message& m) const;
    void send(core::channel<torus_packet>& out, torus_packet words, bool request);
    void sent();
    void tell_core() { core_.may_get(); }
    void drop_first();
    void show();
    torus_packet words_of_first();
    packet& first() { return ring_of_packets_[first_]; }

    core::scheduler& events_;
    pcie::function& function_;
    const transmit_spec spec_;
    const position node_;
    const core::sim_time cycle_;
    core_if& core_;
    const news to_;
    const std::string name_;
    core::channel<torus_packet>* out_ = nullptr;
    core::channel<torus_packet>* requests_out_ = nullptr;
    transmit_buffer buffer_;
    descriptor_ring ring_;
    peer_reader reader_;
    std::array<gpu_attachment, most_gpus> gpus_{};

    message_queue descriptors_, answers_;
    bool answers_first_ = false;  // the next turn is the answers'
    pcie::request_limit host_reads_;
    core::bounded_queue<extent> extents_;
    message* request_ = nullptr;           // a get request that waits to be sent
    std::vector<packet> ring_of_packets_;  // stay where they are: operations refer to them
    unsigned first_ = 0, count_ = 0;       // packets in it
    unsigned gpu_open_ = 0;                // packets with missing GPU data
    std::uint64_t window_left_ = 0;        // v2, bytes
    bool window_wanted_ = false;
    enum class core_state : std::uint8_t { idle, translating, requesting, starting };
    core_state core_state_ = core_state::idle;
    message* translated_ = nullptr;
    bool stale_ = false;        // what is being translated is not valid any more
    std::uint32_t fenced_ = 0;  // packets
    bool advancing_ = false, again_ = false, sending_ = false, sending_request_ = false, retiring_ = false;
    core::timer<&transmit_engine::sent> sent_{events_, *this};
    core::timer<&transmit_engine::tell_core> room_for_get_{events_, *this};

    observe::counter packets_launched_, packets_sent_, packets_dropped_, payload_, failed_, gets_, answered_,
        refused_gets_;
    observe::gauge occupied_;
    struct {
        observe::wave_sink_if* sink = nullptr;  // null: no waves
        // Packets that have passed each stage, modulo 2^16.
        observe::signal_id launched, left;
        observe::signal_id descriptors, answers, lines, gpu_reads, sending;
        observe::signal_id translates, requests, starts_window;  // what it waits for from the core, a bit each
    } waves_;
};

}  // namespace contraflow::nic
