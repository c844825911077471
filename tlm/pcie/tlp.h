// SPDX-License-Identifier: Apache-2.0
// Transaction layer packets: what travels, how many bytes of wire it takes, and the pool it comes from.
// Source: PCI Express Base Specification 3.0, 2.2 (headers), 3.5.2 (sequence number, LCRC), 4.2.2.3 (STP token).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/units.h"

namespace contraflow::pcie {

enum class tlp_kind : std::uint8_t { memory_write, memory_read, atomic, completion };

// Flow-control class (2.6.1); also the class of the receive buffer a TLP waits in.
enum class credit_class : std::uint8_t { posted, non_posted, completion };
inline constexpr std::size_t credit_classes = 3;
inline constexpr std::array all_credit_classes{credit_class::posted, credit_class::non_posted,
                                               credit_class::completion};
const char* to_text(credit_class c);

constexpr credit_class class_of(tlp_kind kind) {
    switch (kind) {
    case tlp_kind::memory_write: return credit_class::posted;
    case tlp_kind::memory_read:
    case tlp_kind::atomic: return credit_class::non_posted;
    case tlp_kind::completion: break;
    }
    return credit_class::completion;
}

class tlp_pool;

// Never changes between its creation and its last release; what belongs to one link (sequence number, times) is not
// here.
struct tlp {
    tlp_kind kind = tlp_kind::memory_write;
    bool relaxed = false;          // of a completion: it may pass posted writes (attribute RO, 2.2.6.4)
    std::uint16_t tag = 0;         // of a read and its completions
    std::uint32_t length = 0;      // bytes of payload carried; of a read: bytes asked for
    std::uint32_t requester = 0;   // endpoint number that issued the request
    std::uint32_t target = 0;      // endpoint number it is routed to
    std::uint32_t stream = 0;      // which communication it belongs to
    core::sim_time born{};         // when its endpoint made it
    std::uint64_t address = 0;     // byte offset in the stream's buffer
    std::uint8_t* data = nullptr;  // `length` bytes, unless a read

    bool carries_data() const { return kind != tlp_kind::memory_read; }
    std::uint32_t payload() const { return carries_data() ? length : 0; }
    credit_class flow() const { return class_of(kind); }

    void retain() { ++references_; }
    void release();

private:
    friend class tlp_pool;
    std::uint32_t references_ = 0;
    tlp_pool* pool_ = nullptr;
};

// Hands out TLPs with room for max_payload bytes each; grows while traffic does, and reuses from then on.
class tlp_pool {
public:
    explicit tlp_pool(std::uint32_t max_payload) : max_payload_(max_payload) {}
    tlp_pool(const tlp_pool&) = delete;
    tlp_pool& operator=(const tlp_pool&) = delete;

    tlp* take(tlp_kind kind);  // one reference, held by the caller
    std::size_t in_flight() const { return in_flight_; }

private:
    friend struct tlp;
    static constexpr std::size_t chunk_size = 128;
    struct chunk {
        std::array<tlp, chunk_size> packets;
        std::unique_ptr<std::uint8_t[]> payload;
    };
    void give_back(tlp* packet);

    std::uint32_t max_payload_;
    std::vector<std::unique_ptr<chunk>> chunks_;
    std::vector<tlp*> free_;
    std::size_t in_flight_ = 0;
};

inline void tlp::release() {
    if (--references_ == 0) pool_->give_back(this);
}

// Bytes on the wire beside header and payload.
struct framing {
    std::uint32_t tlp =
        8;  // 1.0, 2.0: STP, sequence number, LCRC, END; 3.0 to 5.0: STP token with sequence number, LCRC
    std::uint32_t dllp = 8;  // SDP, 4 bytes, CRC-16, END or token alike
    // 6.0 moves packets in flits: both are part of the flit's own overhead, which link_rate::raw has taken off.
    static framing of(unsigned generation) { return generation >= 6 ? framing{0, 0} : framing{}; }
};

// 64-bit addresses: four double words for a request; completions have three.
constexpr std::uint32_t header_bytes(tlp_kind kind) { return kind == tlp_kind::completion ? 12 : 16; }
inline std::uint32_t wire_bytes(const tlp& packet, framing f) {
    return f.tlp + header_bytes(packet.kind) + packet.payload();
}

}  // namespace contraflow::pcie
