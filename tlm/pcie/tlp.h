// SPDX-License-Identifier: Apache-2.0
// Transaction layer packets, their bytes on the wire, and their pool.
// Source: PCI Express Base Specification 3.0, 2.2 (headers), 3.5.2 (sequence number, LCRC), 4.2.2.3 (STP token); 6.0,
// 2.2.7 (deferrable memory write).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/units.h"
#include "pcie/function_id.h"

namespace contraflow::pcie {

// A deferrable write is a memory write with an answer: a non-posted request with data.
enum class tlp_kind : std::uint8_t { memory_write, memory_read, deferrable_write, atomic, completion };

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
    case tlp_kind::deferrable_write:
    case tlp_kind::atomic: return credit_class::non_posted;
    case tlp_kind::completion: break;
    }
    return credit_class::completion;
}

// The status of a completion (2.2.9).
enum class completion_status : std::uint8_t { successful, unsupported_request, completer_abort };

// The operation of an AtomicOp (6.15). Vendor defined: two end-end prefixes hold it.
enum class atomic_form : std::uint8_t { fetch_add, swap, compare_and_swap, vendor_defined };

inline constexpr std::uint32_t dword = 4;
inline constexpr std::uint32_t no_stream = 0xffff'ffff;
inline constexpr std::uint32_t boundary_4k = 4096;  // no request crosses one (2.2.7)

class tlp_pool;

// A note for observers that a device attaches to a request. Pieces, copies and completions of the request carry it on.
// References are counted: a note is not reused while a TLP or a device refers to it, even if its request has timed out.
class tlp_note {
public:
    virtual ~tlp_note() = default;
    void retain() { ++references_; }
    void release();

private:
    friend class tlp_pool;
    tlp_pool* pool_ = nullptr;
    std::uint32_t references_ = 0;
};

// Its header and data never change between its creation and its last release; values of one link (sequence number,
// times) are not stored here. Data and length are whole double words; byte enables say which bytes of a request count.
struct tlp {  // fields that every hop reads come first
    tlp_kind kind = tlp_kind::memory_write;
    bool relaxed = false;                                      // may pass posted writes (attribute RO, 2.2.6.4)
    completion_status status = completion_status::successful;  // completions: the status
    atomic_form form = atomic_form::fetch_add;                 // AtomicOps: the operation
    std::uint8_t first_enables = 0xf;                          // requests: of the first double word, bit 0: byte 0
    std::uint8_t last_enables = 0xf;                           // requests: of the last one; 0 if that is the first
    std::uint8_t lower_address = 0;                            // completions: bits 6:0 of the first byte's address
    std::uint8_t prefixes = 0;                                 // end-end prefixes, of 4 bytes each (2.2.10)
    std::uint16_t tag = 0;                                     // non-posted requests and their completions
    std::uint16_t hints = 0;                                   // TLP processing hints (6.17)
    std::uint32_t length = 0;                                  // bytes of data; for a read: requested. A multiple of 4
    function_id requester;                                     // the function that issued the request
    function_id completer;                                     // completions: the function that answers

private:
    std::uint32_t references_ = 0;
    tlp* whole_ = nullptr;  // a piece: the packet whose data it refers to

public:
    std::uint64_t address = 0;     // requests: a multiple of 4
    std::uint8_t* data = nullptr;  // `length` bytes, unless a read
    std::uint32_t byte_count = 0;  // completions: bytes still to come, its own included
    std::array<std::uint32_t, 2> prefix{};

    // For observers only: no device depends on these.
    std::uint32_t stream = 0;    // its communication, or no_stream
    std::uint64_t position = 0;  // its first byte's position in that communication
    core::sim_time born{};       // when its device made it
    tlp_note* note() const { return note_; }
    void attach(tlp_note* note) {  // once
        note_ = note;
        if (note != nullptr) note->retain();
    }

    bool carries_data() const { return kind != tlp_kind::memory_read; }
    std::uint32_t payload() const { return carries_data() ? length : 0; }
    credit_class flow() const { return class_of(kind); }

    void retain() { ++references_; }
    void release();

private:
    friend class tlp_pool;
    tlp_note* note_ = nullptr;
    tlp_pool* pool_ = nullptr;
    std::uint8_t* room_ = nullptr;  // its own memory, for the largest payload
};

// Bytes of a request from its first to its last enabled one; none: a request of no bytes (a flush).
struct byte_span {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
};
byte_span span_of(const tlp& request);
// Sets address, length and byte enables of a request for those bytes, all of them enabled.
void set_span(tlp& request, std::uint64_t address, std::uint32_t length);
// Is that byte of its data enabled?
inline bool enabled(const tlp& request, std::uint32_t byte) {
    const std::uint32_t word = byte / dword;
    const unsigned enables = word == 0                            ? request.first_enables
                             : word == request.length / dword - 1 ? request.last_enables
                                                                  : 0xfu;
    return (enables >> byte % dword & 1) != 0;
}
// All bytes of a request between its first and its last one are enabled.
bool contiguous(const tlp& request);

// Hands out TLPs with room for max_payload bytes each; allocates only while traffic grows.
class tlp_pool {
public:
    explicit tlp_pool(std::uint32_t max_payload) : max_payload_(max_payload) {}
    tlp_pool(const tlp_pool&) = delete;
    tlp_pool& operator=(const tlp_pool&) = delete;

    tlp* take(tlp_kind kind);  // one reference, held by the caller
    // Part of a packet with data, from that byte on: it has a header of its own and refers to the packet's data.
    tlp* take_piece(tlp& whole, std::uint32_t from, std::uint32_t length);
    // A copy of the packet with its own data.
    tlp* copy(const tlp& packet);
    std::size_t in_flight() const { return in_flight_; }

    // A note to attach to a TLP, with the content left by its last user. All notes of a pool are of one class.
    template <class Note> Note& take_note() {
        if (free_notes_.empty()) {
            free_notes_.push_back(notes_.emplace_back(std::make_unique<Note>()).get());
            free_notes_.back()->pool_ = this;
        }
        tlp_note* const note = free_notes_.back();
        free_notes_.pop_back();
        return static_cast<Note&>(*note);
    }
    std::size_t notes_in_use() const { return notes_.size() - free_notes_.size(); }

private:
    friend struct tlp;
    friend class tlp_note;
    static constexpr std::size_t chunk_size = 128;
    struct chunk {
        std::array<tlp, chunk_size> packets;
        std::unique_ptr<std::uint8_t[]> payload;
    };
    void give_back(tlp* packet);
    static void copy_header(tlp& to, const tlp& from);

    std::uint32_t max_payload_;
    std::vector<std::unique_ptr<chunk>> chunks_;
    std::vector<tlp*> free_;
    std::size_t in_flight_ = 0;
    std::vector<std::unique_ptr<tlp_note>> notes_;
    std::vector<tlp_note*> free_notes_;
};

inline void tlp::release() {
    if (--references_ == 0) pool_->give_back(this);
}
inline void tlp_note::release() {
    if (--references_ == 0) pool_->free_notes_.push_back(this);
}

// Bytes on the wire in addition to header and payload.
struct framing {
    std::uint32_t tlp =
        8;  // 1.0, 2.0: STP, sequence number, LCRC, END; 3.0 to 5.0: STP token with sequence number, LCRC
    std::uint32_t dllp = 8;  // SDP, 4 bytes, CRC-16, END; the same with a token
    // 6.0 moves packets in flits: both are part of the flit's own overhead, which link_rate::raw leaves out.
    static framing of(unsigned generation) { return generation >= 6 ? framing{0, 0} : framing{}; }
};

// Three double words for completions and for requests below 4 GiB, which must not have four (2.2.4.1).
constexpr std::uint32_t header_bytes(tlp_kind kind, std::uint64_t address) {
    return kind == tlp_kind::completion || address >> 32 == 0 ? 12 : 16;
}
inline std::uint32_t wire_bytes(const tlp& packet, framing f) {
    return f.tlp + header_bytes(packet.kind, packet.address) + packet.prefixes * dword + packet.payload();
}

}  // namespace contraflow::pcie
