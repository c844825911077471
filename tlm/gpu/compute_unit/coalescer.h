// SPDX-License-Identifier: Apache-2.0
// Joins the threads of an access that touch one line into one request, lowest thread first. Loads and stores join all
// of them; an atomic request has each element once and compare_exchange a single one, so that threads which meet in an
// element take their turns.
#pragma once

#include <cstdint>

#include "gpu/kernel/wave_executor_if.h"
#include "memory/transaction/payload.h"

namespace contraflow::gpu {

struct line_request {
    std::uint64_t address = 0;  // virtual, of the first byte any thread wants
    unsigned length = 0;        // to the last one, all in one line
    mask threads;
    bool dense = false;  // the threads' elements stand side by side in thread order, and nothing else between
    // Some thread's address is no multiple of the element's size: its bytes may not even be in the line. Not to be
    // sent.
    bool misaligned = false;
};

// The request for the lowest of the threads that are left; at least one is.
line_request next_line(const wave_access& a, mask left, std::uint64_t line_bytes);

// Sets command, data and byte enables of the payload, whose address is the physical one of r.address.
void fill_payload(memory::payload& p, std::uint64_t physical, const wave_access& a, const line_request& r);
// Gives the threads what has come back.
void take_data(memory::payload& p, wave_access& a, const line_request& r);

}  // namespace contraflow::gpu
