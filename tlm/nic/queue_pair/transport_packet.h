// SPDX-License-Identifier: Apache-2.0
// Packets between NICs with queue pairs. A message is cut into packets of at most `mtu` bytes, with sequence numbers of
// one after the other; a read takes as many numbers as its answer has packets. What every packet carries on the wire is
// the link's header (net::network_spec::link.header); more than that, by kind, is below.
// Source of the headers' sizes: InfiniBand Architecture Specification 1.3, 9 (RETH 16, AtomicETH 28, AETH 4,
// AtomicAckETH 8 bytes). Numbers are 32 bits long here, and those of the specification 24.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "net/carried_packets.h"

namespace contraflow::nic {

enum class transport_kind : std::uint8_t {
    write,
    read,
    fetch_add,
    compare_swap,     // requests
    acknowledgement,  // of all packets up to its number
    refusal,          // the packet of its number is refused, and those before it are acknowledged
    read_answer,
    atomic_answer
};
inline constexpr std::string_view transport_names[] = {"write",           "read",    "fetch_add",   "compare_swap",
                                                       "acknowledgement", "refusal", "read answer", "atomic answer"};

enum class refusal_reason : std::uint8_t { out_of_sequence, access, memory, request };

struct transport_header {
    transport_kind kind = transport_kind::write;
    bool first = false, last = false;  // of its message
    bool asks = false;                 // for an acknowledgement
    refusal_reason reason = refusal_reason::out_of_sequence;
    std::uint16_t node = 0;               // the sender's
    std::uint32_t queue = 0, target = 0;  // queue pairs: the sender's, the receiver's
    std::uint32_t sequence = 0;
    // The first packet of a request.
    std::uint64_t address = 0;
    std::uint32_t key = 0;
    std::uint32_t length = 0;  // of the whole message
    std::uint64_t operand = 0, compare = 0;
};

// Is sequence number (or number of an entry) a before b? They are less than 2^31 apart.
constexpr bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

struct transport_packet {
    transport_header header;
    std::vector<std::uint8_t> payload;

    // For the NIC that holds it.
    std::uint32_t moving = 0;  // pieces of its payload that PCIe is moving
    std::uint32_t begun = 0;   // bytes of which PCIe has been asked to move
    bool failed = false;       // PCIe has failed to read some
    bool dropped = false;      // it is thrown away when its pieces have ended
    std::uint32_t place = 0;   // what it belongs to: its sender's own number
};

// Bytes on the wire beside the link's header.
constexpr std::uint32_t extra_bytes(const transport_header& h) {
    switch (h.kind) {
    case transport_kind::write: return h.first ? 16 : 0;
    case transport_kind::read: return 16;
    case transport_kind::fetch_add:
    case transport_kind::compare_swap: return 28;
    case transport_kind::acknowledgement:
    case transport_kind::refusal: return 4;
    case transport_kind::read_answer: return h.first || h.last ? 4 : 0;
    case transport_kind::atomic_answer: break;
    }
    return 4;  // the old value is its payload
}

inline constexpr core::bytes longest_header{28};

struct about_transport_packet {
    static std::span<std::uint8_t> bytes_on_wire(transport_packet&) { return {}; }
    static void crossed(observe::trace& trace, const transport_packet& p, const char* link, core::sim_time started,
                        core::sim_time arrived) {
        trace.slice(trace.track("network", link), transport_names[static_cast<std::size_t>(p.header.kind)], started,
                    arrived,
                    fmt::format(R"({{"bytes":{},"number":{},"queue pair":{}}})", p.payload.size(), p.header.sequence,
                                p.header.target));
    }
};

using packet_pool = net::carried_packets<transport_packet, about_transport_packet>;
using carried_packet = packet_pool::carried;

}  // namespace contraflow::nic
