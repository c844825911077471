// SPDX-License-Identifier: Apache-2.0
// An operation of a device on other functions: bytes to be written, read or modified from an address on. Its user owns
// it and keeps it until it has been told of the end. The user's own data belongs in a derived class.
#pragma once

#include <cstdint>

#include "pcie/tlp.h"

namespace contraflow::pcie {

enum class operation_kind : std::uint8_t {
    write,            // posted: finished when its last TLP has left
    confirmed_write,  // deferrable memory writes: finished when all are answered
    read,
    atomic,  // one AtomicOp; sends its operands (the compare value first), reads the old values
};

// A limit of requests under way that several operations share. Its owner sets `under_way` to 0 at a reset.
struct request_limit {
    std::uint32_t most = 1, under_way = 0;
};

class operation {
public:
    operation_kind kind = operation_kind::read;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    // Byte enables of a write of up to 4 KiB, one for each byte (0: disabled); null: all are enabled.
    const std::uint8_t* enables = nullptr;
    atomic_form form = atomic_form::fetch_add;
    std::uint8_t prefixes = 0;
    std::array<std::uint32_t, 2> prefix{};
    std::uint16_t hints = 0;
    std::uint32_t stream = 0;  // for observers
    // The bytes to send, or the destination of the bytes read; null: fetch() and store() move them.
    std::uint8_t* buffer = nullptr;
    // Is told of its progress; null: the function's user.
    class requester_user_if* owner = nullptr;
    request_limit* limit = nullptr;  // of its own requests beside the tags; null: none. Not for posted writes.

    // The first error in an answer to its TLPs, or a timeout.
    completion_status status = completion_status::successful;
    bool timed_out = false;
    bool failed() const { return timed_out || status != completion_status::successful; }

private:
    friend class requester;
    std::uint64_t order_ = 0;   // its number among the operations of its function
    std::uint64_t issued_ = 0;  // bytes that have left, or were requested
    bool all_issued_ = false;
    std::uint32_t under_way_ = 0;  // TLPs that wait for completions
    operation* next_ = nullptr;
};

// The source and the destination of operations' bytes, and the receiver of their ends.
class requester_user_if {
public:
    // For an operation without a buffer: asks for bytes to send, from that offset of it on.
    virtual void fetch(operation&, std::uint64_t /*offset*/, std::uint8_t* /*to*/, std::uint32_t /*length*/) {}
    // For an operation without a buffer: hands over the bytes of that completion.
    virtual void store(operation&, std::uint64_t /*offset*/, const std::uint8_t* /*from*/, std::uint32_t /*length*/,
                       const tlp& /*completion*/) {}
    // The last completion of a TLP has arrived. False: it cannot be taken now; function::resume() asks again.
    virtual bool may_complete(operation&) { return true; }
    // All completions of one TLP have arrived, the last one at that time. `note` was attached to the TLP when it left.
    // Null: there was none, or the TLP was not answered in time.
    virtual void completed(operation&, tlp_note* /*note*/, core::sim_time /*at*/) {}
    // The last TLP has left: there is room for another operation.
    virtual void issued(operation&) {}
    // Nothing refers to the operation any more.
    virtual void finished(operation& o) = 0;
    // A TLP is about to leave; its first byte is at that offset of the operation. A note for observers can be attached.
    virtual void leaving(operation&, std::uint64_t /*offset*/, tlp&) {}

protected:
    ~requester_user_if() = default;
};

}  // namespace contraflow::pcie
