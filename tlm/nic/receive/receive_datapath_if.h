// SPDX-License-Identifier: Apache-2.0
// A datapath takes packets from the torus and writes their payload into registered buffers. It can be firmware on a
// core, a model of hardware, or RTL. All levels do the same on each port, in the same order; they differ in time.
//
//   torus -> receive()  -> | datapath | -> take_dma()      writes, moves of GPU windows, completions; acknowledged()
//                          |          | -> read_table()    entries of page tables; table_entry()
//   driver -> set_buffer() |          | -> take_message()  get requests, for the core
//          -> invalidate() |          | -> dropped(), invalidated(), may_receive()
//
// Packets are numbered from 0 in order of arrival, and every action carries its packet's number. Each port is in order:
// data writes and moves of windows by packet and address; completions, messages and drops by packet.
// A port that refused is called again after its ..._ready(). Nothing is lost for lack of room: packets wait in the
// torus. The ports are no core::channels: the two ends of a channel are fixed when it is made, but a datapath is made
// after its client, and two levels in lockstep share one client. The driver's calls are writes of a register each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/control.h"
#include "core/units.h"
#include "core/waiting.h"
#include "nic/packet.h"
#include "nic/receive/completion_record.h"
#include "nic/receive/receive_tables.h"
#include "observe/conservation.h"

namespace contraflow::nic {

enum class drop_reason : std::uint8_t {
    framing,  // fewer words than 2, more than 258, or not as many as the length says
    crc,
    header,       // a reserved kind or bit
    length,       // 0 or more than 4,096; for a get request not 16
    misrouted,    // to another node
    no_buffer,    // no valid buffer of the process holds the first byte
    bounds,       // the buffer ends before the last byte
    access,       // the buffer is not writable
    translation,  // a page of it has no valid entry
    memory,       // a bit of its payload, or of BUF_LIST, has changed in a memory of the RTL
};
inline constexpr unsigned drop_reasons = 10;
inline constexpr unsigned reasons_of_packets = 9;  // without `memory`: those that come from what a packet is
inline constexpr std::array<std::string_view, drop_reasons> drop_names{
    "framing", "crc", "header", "length", "misrouted", "no_buffer", "bounds", "access", "translation", "memory"};
// A faulty RTL may give a reason that is none.
inline std::string to_text(drop_reason r) {
    const auto number = static_cast<unsigned>(r);
    return number < drop_reasons ? std::string(drop_names[number]) : "reason " + std::to_string(number);
}

enum class dma_kind : std::uint8_t { data, window, completion };

// One write by the NIC. `bytes` are valid until it is acknowledged.
struct dma_request {
    dma_kind kind = dma_kind::data;
    memory_space space = memory_space::host;
    std::uint64_t address = 0;  // physical; for a window: the page that it is moved to
    std::uint16_t token = 0;    // for a window
    std::span<const std::uint8_t> bytes;
    std::uint16_t tag = 0;     // for acknowledged()
    std::uint64_t packet = 0;  // number
};

// A complete get request.
struct core_message {
    packet_header header;
    std::array<std::uint8_t, get_request_payload> payload{};
    std::uint64_t packet = 0;
};

struct packet_drop {
    drop_reason reason = drop_reason::framing;
    packet_header header;  // the received header; zero if there was no word
    std::uint64_t packet = 0;
};

struct ring_place {
    std::uint64_t base = 0;     // physical, in the host's memory; its low 5 bits are ignored
    std::uint32_t entries = 0;  // number of entries of 32 bytes; 0: not set up, completions wait
};

struct receive_counters {
    std::uint64_t accepted = 0, mailbox = 0, bytes = 0;  // packets, packets, bytes of payload written
    std::array<std::uint64_t, drop_reasons> drops{};     // packets
};

// The counter of that number as a driver reads it (docs/reference/nic_rx_registers.md); 0 if there is none.
inline std::uint32_t counter_word(const receive_counters& c, unsigned number) {
    const std::uint64_t first[] = {c.accepted, c.mailbox, c.bytes, c.bytes >> 32};
    if (number < std::size(first)) return static_cast<std::uint32_t>(first[number]);
    return number - std::size(first) < c.drops.size() ? static_cast<std::uint32_t>(c.drops[number - std::size(first)])
                                                      : 0;
}

// The NIC around a datapath. take_dma and take_message are no core::channels: a datapath is refused in the cycle in
// which it offers, as hardware sees ready, and firmware polls for room; a channel would store what neither has a
// register for.
class receive_client_if {
public:
    virtual bool take_dma(const dma_request& r) = 0;
    virtual bool take_message(const core_message& m) = 0;
    // One at a time; table_entry() follows.
    virtual void read_table(std::uint64_t address) = 0;
    virtual void dropped(const packet_drop& d) = 0;
    virtual void may_receive() = 0;
    // The invalidation has ended: no write that uses a translation of that table is under way or will follow.
    virtual void invalidated() = 0;
    virtual void counter_read(std::uint32_t /*value*/) {}

protected:
    ~receive_client_if() = default;
};

class receive_datapath_if : public core::controllable_if, public core::waiter_if {
public:
    // Would it take a packet now? If not, may_receive() follows.
    virtual bool can_receive() = 0;
    // A packet of whole words. They arrive from now on, one a cycle.
    void receive(std::span<const std::uint8_t> words) { receive(words, {}); }
    // Its first word arrived `ago` before now. A datapath does not wait again for the words that have arrived since.
    virtual void receive(std::span<const std::uint8_t> words, core::sim_time ago) = 0;

    virtual void dma_ready() = 0;
    virtual void acknowledged(std::uint16_t tag) = 0;
    virtual void message_ready() = 0;
    virtual void table_entry(std::uint64_t value) = 0;

    virtual void set_buffer(unsigned index, const buffer_entry& b) = 0;
    virtual void set_ring(unsigned ring, const ring_place& place) = 0;
    // The host has read that many completions of the ring since it was set up.
    virtual void set_consumed(unsigned ring, std::uint32_t count) = 0;
    // From now on, translations of the table at `root` are read from memory again. invalidated() follows; only one call
    // may be outstanding.
    virtual void invalidate(std::uint64_t root) = 0;

    virtual const receive_counters& counters() const = 0;
    // A driver's command; client.counter_read() follows, perhaps from within. One call may be outstanding.
    virtual void read_counter(unsigned number) = 0;
    virtual bool idle() const = 0;
    virtual void check(observe::conservation& checks) const = 0;
};

}  // namespace contraflow::nic
