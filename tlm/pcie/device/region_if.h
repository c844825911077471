// SPDX-License-Identifier: Apache-2.0
// Answers for a range of addresses of a function: memory, registers, a bus behind a bridge.
// A region is no end of a core::channel: a request for which it has no room stays in the port's receive buffer, where
// the ordering rules of all TLPs apply, and an accepted request is answered in parts.
#pragma once

#include <array>
#include <cstdint>

#include "pcie/tlp.h"

namespace contraflow::pcie {

// A request while it is being answered.
struct inbound_request {
    tlp_kind kind = tlp_kind::memory_read;
    atomic_form form = atomic_form::fetch_add;
    std::uint64_t offset = 0;  // its first byte, within the region
    std::uint32_t length = 0;  // bytes from the first enabled to the last enabled one; for an answer: bytes of data
    function_id requester;
    std::uint16_t tag = 0;
    bool relaxed = false;
    completion_status status = completion_status::successful;
    // Old values for a standard AtomicOp, in a region that answers at once.
    std::array<std::uint8_t, 16> old{};
    std::uint32_t number = 0;  // for the region's use

    // For observers.
    core::sim_time ready{};  // the time from which it could be taken
    std::uint32_t stream = 0;
    std::uint64_t position = 0;
    core::sim_time born{};
    tlp_note* note = nullptr;

private:
    friend class completer;
    std::uint8_t low = 0;        // lower address of its first byte
    std::uint32_t answered = 0;  // bytes
    class region_if* region = nullptr;
};

enum class access_result : std::uint8_t {
    done,         // at once
    later,        // accepted; function::answer() ends it
    busy,         // not possible now; function::resume() asks again
    unsupported,  // unsupported request
    aborted,      // completer abort
};

class region_if {
public:
    // A posted write. Its first enabled byte has that offset.
    virtual access_result write(std::uint64_t offset, const tlp& packet) = 0;
    // A non-posted request. One that is accepted for `later` keeps its record until it is answered.
    virtual access_result request(inbound_request& r, const tlp& packet) = 0;
    // Asks for bytes of the answer to a read or an AtomicOp, in ascending order, when a completion leaves.
    virtual void fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) = 0;
    // A completion is about to leave.
    virtual void leaving(inbound_request&, tlp&) {}
    // The last completion of a request that was accepted for `later` has left.
    virtual void answered(inbound_request&) {}

protected:
    ~region_if() = default;
};

}  // namespace contraflow::pcie
