// SPDX-License-Identifier: Apache-2.0
// What a device asks of other functions: bytes to be written, read or modified from an address on. It is its user's,
// and lives until that has been told that it has finished. What its user keeps with it stands in a class derived from
// it.
#pragma once

#include <cstdint>

#include "pcie/tlp.h"

namespace contraflow::pcie {

enum class operation_kind : std::uint8_t {
    write,            // posted: finished when its last TLP has left
    confirmed_write,  // deferrable memory writes: finished when all are answered
    read,
    atomic,  // one AtomicOp; its operands are written (compared with before swapped in), the old values read
};

class operation {
public:
    operation_kind kind = operation_kind::read;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    // Of a write of up to 4 KiB, if not null: which of its bytes count (0: not), one each.
    const std::uint8_t* enables = nullptr;
    atomic_form form = atomic_form::fetch_add;
    std::uint8_t prefixes = 0;
    std::array<std::uint32_t, 2> prefix{};
    std::uint16_t hints = 0;
    std::uint32_t stream = 0;  // for observers
    // Where its bytes are, or are to be put; null: fetch() and store() move them.
    std::uint8_t* buffer = nullptr;
    // Who hears of it; null: the function's user.
    class requester_user_if* owner = nullptr;

    // The first error that any of its TLPs was answered with, or that there was no answer in time.
    completion_status status = completion_status::successful;
    bool timed_out = false;
    bool failed() const { return timed_out || status != completion_status::successful; }

private:
    friend class requester;
    std::uint64_t order_ = 0;   // among the operations of its function
    std::uint64_t issued_ = 0;  // bytes that have left, or been asked for
    bool all_issued_ = false;
    std::uint32_t under_way_ = 0;  // TLPs that wait for completions
    operation* next_ = nullptr;
};

// Where the bytes of operations come from and go to, and who hears of their end.
class requester_user_if {
public:
    // Bytes to be sent, from that offset of the operation on.
    virtual void fetch(operation& o, std::uint64_t offset, std::uint8_t* to, std::uint32_t length) = 0;
    // Bytes that have come, in that completion.
    virtual void store(operation& o, std::uint64_t offset, const std::uint8_t* from, std::uint32_t length,
                       const tlp& completion) = 0;
    // The last completion of a TLP is here; false: it cannot be taken now, function::resume() asks again.
    virtual bool may_complete(operation&) { return true; }
    // All completions of one TLP have come, the last one at that time; `note` is what was attached to it when it left.
    // Null: nothing was, or it was not answered in time.
    virtual void completed(operation&, tlp_note* /*note*/, core::sim_time /*at*/) {}
    // The last TLP has left: there is room for another operation.
    virtual void issued(operation&) {}
    // Nothing refers to the operation any more.
    virtual void finished(operation& o) = 0;
    // A TLP is about to leave; its first byte is at that offset of the operation. What observers are to know can be
    // attached.
    virtual void leaving(operation&, std::uint64_t /*offset*/, tlp&) {}

protected:
    ~requester_user_if() = default;
};

}  // namespace contraflow::pcie
