// SPDX-License-Identifier: Apache-2.0
// Converts between TLM-2.0 transactions and the TLPs of one function, in both directions. A request on one side becomes
// a new transaction on the other, made only from address, byte enables, hints and data of TLPs; data returns in
// completions.
//
//   send()     -> operation -> MRd, DMWr, AtomicOp -> | fabric | -> BAR 0 -> request()  a transaction made of the TLP
//   response() <-           <- Cpl, CplD           <- | fabric | <-       <- respond()
//
// A write is a deferrable memory write, which is answered: the writer must know when the bytes have arrived. An add,
// exchange or compare-and-exchange of one integer operand of 4 or 8 bytes is a standard AtomicOp. All other atomic
// operations are AtomicOps with two vendor-defined end-end prefixes: the first has the operation and the type of the
// operands, the second the mask of operands. The processing hints of a request tell caches its policy and scope.
// Milestones of a request travel with its TLPs, for observers only. Process and virtual address are not sent: the
// transaction at the other side has neither, and its user derives the origin from the requester ID.
//
// A received request becomes one transaction for each line of 128 bytes that it touches; its completions carry the
// bytes of all of them, and the first error in order of address. A read of no bytes is answered after the posted writes
// before it.
// Errors: unsupported request <-> TLM_ADDRESS_ERROR_RESPONSE; completer abort <-> TLM_GENERIC_ERROR_RESPONSE, and any
// other error on its way in; no completion in time -> completion_timed_out.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "memory/transaction/payload.h"
#include "observe/conservation.h"
#include "pcie/bridge/response_status.h"
#include "pcie/device/function.h"

namespace contraflow::pcie {

// There is no core::channel between the bridge and its user: the bridge passes on the questions of its function, and
// refused TLPs stay in the port's receive buffers.
class bridge_user_if {
public:
    // Can the user take the response to this request now? If not, resume(completion) asks again.
    virtual bool can_take_response(memory::memory_extension& request) = 0;
    virtual void take_response(memory::memory_extension& request) = 0;
    // A request has arrived. Can the user take it now? If not, resume(posted) and resume(non_posted) ask again.
    virtual bool can_take_request(const memory::memory_extension& made, function_id from) = 0;
    // respond() must end it, even if the requester gets no response.
    virtual void take_request(memory::memory_extension& made, function_id from) = 0;
    // All TLPs of a request have left, or the last completion of a response has left.
    virtual void request_left() {}
    virtual void response_left() {}

protected:
    ~bridge_user_if() = default;
};

class transaction_bridge final : private requester_user_if, private region_if {
public:
    struct spec {
        function::spec device;
        std::uint64_t local_base = 0;  // the memory address of the first byte of BAR 0
    };
    transaction_bridge(const char* name, const port::resources& shared, tlp_pool& packets, const spec& s,
                       const address_map::function& place, bridge_user_if& user);
    ~transaction_bridge();

    // A request for that address on the bus. If a status is returned, PCIe has no such request and nothing was sent (no
    // bytes, more than one beat of streaming, unaligned operands of an atomic operation).
    std::optional<tlm::tlm_response_status> send(memory::memory_extension& request, std::uint64_t bus_address);
    // The answer to a request that the user has taken.
    void respond(memory::memory_extension& made);
    void resume(credit_class c) { function_.resume(c); }

    // Requests and answers whose TLPs have not all left; other users of the function are not counted.
    std::size_t requests_waiting() const { return waiting_; }
    std::size_t responses_waiting() const { return function_.answers().ready(); }
    // Requests given to send() and not yet answered.
    std::uint64_t outstanding() const { return sent_ - ended_; }
    // The function, also for other parts of its device: more BARs, operations of their own.
    pcie::function& device() { return function_; }
    const pcie::function& device() const { return function_; }
    port& link() { return function_.link(); }
    const char* name() const { return function_.name(); }
    bool control(core::control_verb verb);
    void report_waits(std::vector<core::wait_edge>& edges) const { function_.report_waits(edges); }
    void check(observe::conservation& checks) const;

private:
    // The milestones of a part of a request. Only bridges attach notes, and all notes are of this class.
    struct note final : tlp_note {
        memory::milestones times;
    };
    struct outbound : operation {
        std::uint32_t number = 0;
        memory::memory_extension* request = nullptr;
        note* answered = nullptr;                    // the note of the last part; null: not answered
        std::array<std::uint8_t, 8> compare{};       // compare-and-exchange: this operand is sent before the new value
        const std::uint8_t* byte_enables = nullptr;  // one for each byte; null: all are enabled
        std::vector<std::uint8_t> repeated;          // its byte enables, repeated for all bytes
        bool begun = false;
    };
    struct inbound {
        std::vector<memory::payload*> made;  // one for each line, in order of address
        std::uint32_t handed = 0;            // how many of them the user has got
        std::uint32_t responses = 0;         // how many of them are answered
        inbound_request* asked = nullptr;    // null: a posted write
        bool timed = false;                  // it has a note
        function_id from;
        bool answering = false;  // its first completion has left
    };
    template <class T> struct store_of {
        std::deque<T> all;
        std::vector<std::uint32_t> free;
        std::uint32_t take();
        T& operator[](std::uint32_t number) { return all[number]; }
        void clear();
    };

    void fetch(operation& o, std::uint64_t offset, std::uint8_t* to, std::uint32_t length) override;
    void store(operation& o, std::uint64_t offset, const std::uint8_t* from, std::uint32_t length,
               const tlp& completion) override;
    bool may_complete(operation& o) override;
    void completed(operation& o, tlp_note* attached, core::sim_time at) override;
    void issued(operation&) override {
        --waiting_;
        user_.request_left();
    }
    void finished(operation& o) override;
    void leaving(operation& o, std::uint64_t offset, tlp& packet) override;

    access_result write(std::uint64_t offset, const tlp& packet) override;
    access_result request(inbound_request& r, const tlp& packet) override;
    void fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override;
    void leaving(inbound_request& r, tlp& packet) override;
    void answered(inbound_request& r) override;

    static void describe_atomic(outbound& o, const tlm::tlm_generic_payload& trans, const memory::atomic_request& a);
    bool make(inbound& in, std::uint64_t offset, const tlp& packet);
    bool make_atomic(memory::payload& p, std::uint64_t address, const tlp& packet);
    access_result hand_over(std::uint32_t& held, std::uint64_t offset, const tlp& packet, inbound_request* asked);
    void make_line(inbound& in, const tlp& packet, std::uint64_t address, std::uint32_t from, std::uint32_t length);
    void release(std::uint32_t number);
    static void release_note(outbound& o);
    void reset();

    static constexpr std::uint32_t none = ~0u;
    static constexpr std::uint32_t line_bytes = memory::payload::max_bytes;
    static constexpr std::uint32_t most_lines = boundary_4k / line_bytes;  // in a request, within 4 KiB

    core::scheduler& events_;
    tlp_pool& packets_;
    const spec spec_;
    bridge_user_if& user_;
    memory::payload_pool made_;
    store_of<outbound> outbound_;
    store_of<inbound> inbound_;
    std::uint32_t held_ = none, held_posted_ = none;  // requests with transactions that the user has not taken yet
    std::uint64_t posted_ = 0;                        // writes that the user has not responded to
    bool flush_waits_ = false;
    std::size_t waiting_ = 0;
    std::uint64_t sent_ = 0, ended_ = 0;
    pcie::function function_;
};

}  // namespace contraflow::pcie
