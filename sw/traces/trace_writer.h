// SPDX-License-Identifier: Apache-2.0
// Writes a trace as its events come: arrays, launches, and each wavefront when it has ended.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/units.h"
#include "gpu/kernel/grid.h"
#include "memory/vm/translation.h"
#include "traces/byte_stream.h"
#include "traces/step_code.h"

namespace contraflow::traces {

inline constexpr std::string_view magic = "CFTRACE";
inline constexpr std::uint8_t version = 3;

// The first byte of each record.
enum class record : std::uint8_t { array = 'A', protect = 'P', host_write = 'H', launch = 'L', wave = 'W', end = 'E' };

struct launch_head {
    std::string name;
    gpu::dim3 grid;
    gpu::dim3 block;
    core::bytes shared;
    std::uint64_t ended = 0;  // launches that the host program had seen end when it made this one

    bool operator==(const launch_head&) const = default;
};

// A write of the host program. It takes no time, and afterwards bytes in caches are no newer than memory.
struct host_write {
    std::uint32_t array = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t ended = 0;  // launches that the host program had seen end by then

    bool operator==(const host_write&) const = default;
};

class trace_writer {
public:
    trace_writer(std::ostream& out, unsigned wave_width);

    // Arrays and launches are numbered in the order of these calls.
    void array(std::uint64_t size);
    // The rights of kernels to one of the arrays so far. They hold for the whole run.
    void protect(std::uint32_t array, memory::access_rights rights);
    void launch(const launch_head& l);
    // After the launches so far.
    void write(const host_write& w);
    // The wave must belong to a launch that was already written.
    void wave(std::uint64_t launch, std::uint64_t cta, unsigned index, const step_encoder& steps);
    // Ends the trace. False: the stream did not take all of it.
    bool end();

private:
    void put(const bytes& record);

    std::ostream& out_;
    std::uint64_t checksum_ = empty_checksum;
    std::uint64_t waves_ = 0;
    std::uint64_t steps_ = 0;
    bytes record_;
};

}  // namespace contraflow::traces
