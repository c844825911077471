// SPDX-License-Identifier: Apache-2.0
// Joins the threads of an access that touch one line into one request, lowest thread first. Loads and stores join all
// of them; an atomic request has each element once and compare_exchange a single one, so that threads with the same
// element take turns.
#pragma once

#include <cstdint>

#include "gpu/kernel/wave_executor_if.h"
#include "memory/transaction/payload.h"

namespace contraflow::gpu {

struct line_request {
    std::uint64_t address = 0;  // virtual, of the first byte that any thread accesses
    unsigned length = 0;        // up to the last one; all are in one line
    mask threads;
    bool dense = false;  // the threads' elements are adjacent, in thread order and without gaps
    // Some thread's address is not a multiple of the element's size, so its bytes may not even be in the line. Do not
    // send it.
    bool misaligned = false;
};

// Sets in_row, begin and end, of an access with a thread.
void find_range(wave_access& a);
// The request for the lowest of the remaining threads; there must be at least one. An access that is `in_row` takes
// less host time.
line_request next_line(const wave_access& a, mask left, std::uint64_t line_bytes);

// Sets command, data and byte enables of the payload, whose address is the physical one of r.address.
void fill_payload(memory::payload& p, std::uint64_t physical, const wave_access& a, const line_request& r);
// Gives the threads the data of the response.
void take_data(memory::payload& p, wave_access& a, const line_request& r);

}  // namespace contraflow::gpu
