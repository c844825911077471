// SPDX-License-Identifier: Apache-2.0
// D1, D2: the share of its bus's time that a channel of DDR3-1600 carries data, against that of five open simulators:
// Y. Kim, W. Yang, O. Mutlu, "Ramulator: A Fast and Extensible DRAM Simulator", IEEE CAL 2015, table 3. Theirs and
// ours: 11-11-11, one rank of eight devices of 2 Gb, queues of 32 reads and 32 writes that are full whenever they can
// be, writes from 28 waiting ones down to 16, rows stay open; nine reads to a write, in order of address first all
// reads (as Ramulator 1 makes the traces for that table).
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/random.h"
#include "memory/dram/dram_channel.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

using memory::dram_access;

constexpr std::uint64_t requests = 200'000;
constexpr unsigned access_bytes = 64;
constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 31;

struct request {
    dram_access kind = dram_access::read;
    std::uint64_t place = 0;
};

memory::dram_choice published_machine() {
    memory::dram_choice s;
    s.take(memory::dram_kind::ddr3);
    s.queue = s.write_queue = 32;
    s.write_high = 28;
    s.write_low = 16;
    s.hashed_banks = false;
    return s;
}

// % of the time until the last byte has passed.
template <class Request> double busy_percent(Request request_of, const run_environment& environment) {
    const auto s = published_machine();
    memory::dram_channel channel(s);
    core::sim_time now{}, bus{}, done{};
    std::uint64_t next = 0;
    request r = request_of(next);
    while (next < requests || !channel.empty()) {
        while (next < requests && !channel.full(r.kind)) {
            channel.add(r.kind, nullptr, r.place, access_bytes, now);
            r = request_of(++next);
        }
        now = channel.next_step();
        const auto served = channel.step(now);
        if (!served) continue;
        bus += served->bus_time;
        done = served->done;
    }
    environment.check();
    return 100.0 * bus.seconds() / done.seconds();
}

measurement share(double percent, std::string how) {
    measurement m;
    m.values.push_back(percent);
    m.how = fmt::format("One channel, preset ddr3, {} requests of {} bytes: {} Published: 100 million requests of four "
                        "cycles of the bus; "
                        "the band goes from the least to the greatest of five simulators.",
                        requests, access_bytes, how);
    return m;
}

}  // namespace

measurement dram_in_order(const run_environment& environment) {
    return share(
        busy_percent(
            [](std::uint64_t n) {
                return request{n < requests / 10 * 9 ? dram_access::read : dram_access::write, n * access_bytes};
            },
            environment),
        "in order of address, first all reads.");
}

measurement dram_at_random(const run_environment& environment) {
    core::random_source draw(1);
    return share(busy_percent(
                     [&](std::uint64_t) {
                         const auto kind = draw.below(10) == 0 ? dram_access::write : dram_access::read;
                         return request{kind, draw.below(memory_bytes / access_bytes) * access_bytes};
                     },
                     environment),
                 "at random, each a write with a chance of a tenth.");
}

}  // namespace contraflow::validate
