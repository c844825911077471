// SPDX-License-Identifier: Apache-2.0
// Between transactions of TLM-2.0 and TLPs of one function, both ways. What is asked for on one side arrives on the
// other as a transaction of its own, made from nothing but address, byte enables, hints and data of TLPs; data comes
// back in completions.
//
//   send()     -> operation -> MRd, DMWr, AtomicOp -> | fabric | -> BAR 0 -> request()  a transaction made of the TLP
//   response() <-           <- Cpl, CplD           <- | fabric | <-       <- respond()
//
// A write is a deferrable memory write, which is answered: the writer relies on knowing when the bytes are there.
// An atomic operation is an AtomicOp where there is one: add, exchange or compare-and-exchange of one integer operand
// of 4 or 8 bytes. All others are AtomicOps with two vendor-defined end-end prefixes: operation and type of operands in
// the first, the operands that are meant in the second. How caches are to treat a request (policy and scope) stands in
// its processing hints. Milestones of a request go with its TLPs for observers, who alone read them. Its process and
// its virtual address stay where it was translated: what arrives has neither, and its origin is what the user makes of
// the requester's ID.
//
// A request that comes in becomes one transaction for each line of 128 bytes that it touches; its completions carry the
// bytes of all of them, and the first error in order of address. A read of no bytes is answered when the posted writes
// before it have been.
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

class bridge_user_if {
public:
    // Can the response to this request be taken now? If not, resume(completion) asks again.
    virtual bool can_take_response(memory::memory_extension& request) = 0;
    virtual void take_response(memory::memory_extension& request) = 0;
    // A request has come in. Can it be taken now? If not, resume(posted) and resume(non_posted) ask again.
    virtual bool can_take_request(const memory::memory_extension& made, function_id from) = 0;
    // respond() ends it, also where nobody is told.
    virtual void take_request(memory::memory_extension& made, function_id from) = 0;
    // All TLPs of a request have left; the last completion of a response has.
    virtual void request_left() {}
    virtual void response_left() {}

protected:
    ~bridge_user_if() = default;
};

class transaction_bridge final : private requester_user_if, private region_if {
public:
    struct spec {
        function::spec device;
        std::uint64_t local_base = 0;  // the memory address that the first byte of BAR 0 stands for
    };
    transaction_bridge(const char* name, const port::resources& shared, tlp_pool& packets, const spec& s,
                       const address_map::function& place, bridge_user_if& user);
    ~transaction_bridge();

    // A request for what has that address on the bus. A status: it is no request that PCIe has, and nothing was sent
    // (no bytes, more than one beat of streaming, operands of an atomic operation that are not aligned).
    std::optional<tlm::tlm_response_status> send(memory::memory_extension& request, std::uint64_t bus_address);
    // The answer to a request that was taken.
    void respond(memory::memory_extension& made);
    void resume(credit_class c) { function_.resume(c); }

    // Requests and answers whose TLPs have not all left.
    std::size_t requests_waiting() const { return function_.requests().waiting(); }
    std::size_t responses_waiting() const { return function_.answers().ready(); }
    // Given to send() and not answered.
    std::uint64_t outstanding() const { return sent_ - ended_; }
    const pcie::function& device() const { return function_; }
    port& link() { return function_.link(); }
    const char* name() const { return function_.name(); }
    bool control(core::control_verb verb);
    void report_waits(std::vector<core::wait_edge>& edges) const { function_.report_waits(edges); }
    void check(observe::conservation& checks) const;

private:
    // Where a part of a request spent its life. Only bridges attach notes, and all of them are of this class.
    struct note final : tlp_note {
        memory::milestones times;
    };
    struct outbound : operation {
        std::uint32_t number = 0;
        memory::memory_extension* request = nullptr;
        note* answered = nullptr;                    // of the part that ended last; null: that was not answered
        std::array<std::uint8_t, 8> compare{};       // of a compare-and-exchange: sent before the new value
        const std::uint8_t* byte_enables = nullptr;  // one for each byte; null: all are meant
        std::vector<std::uint8_t> repeated;          // those, where the transaction has fewer
        bool begun = false;
    };
    struct inbound {
        std::vector<memory::payload*> made;  // one a line, in order of address
        std::uint32_t handed = 0;            // of those, to the user,
        std::uint32_t responses = 0;         // and back
        inbound_request* asked = nullptr;    // null: a posted write
        bool timed = false;                  // a note came with it
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
    void issued(operation&) override { user_.request_left(); }
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
    static void forget_answered(outbound& o);
    void reset();

    static constexpr std::uint32_t none = ~0u;
    static constexpr std::uint32_t line_bytes = memory::payload::max_bytes;
    static constexpr std::uint32_t most_lines = boundary_4k / line_bytes;  // of a request, which crosses no 4 KiB

    core::scheduler& events_;
    tlp_pool& packets_;
    const spec spec_;
    bridge_user_if& user_;
    memory::payload_pool made_;
    store_of<outbound> outbound_;
    store_of<inbound> inbound_;
    std::uint32_t held_ = none, held_posted_ = none;  // made, and not all taken yet
    std::uint64_t posted_ = 0;                        // writes that the user has not responded to
    bool flush_waits_ = false;
    std::uint64_t sent_ = 0, ended_ = 0;
    pcie::function function_;
};

}  // namespace contraflow::pcie
