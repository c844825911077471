// SPDX-License-Identifier: Apache-2.0
// Sizes and times of a NIC with queue pairs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/fields.h"
#include "core/units.h"
#include "net/packet_loss.h"
#include "nic/queue_pair/work_entry.h"

namespace contraflow::nic {

struct queue_pair_spec {
    static constexpr std::uint32_t most_queues = 4095;
    static constexpr std::uint64_t least_mtu = 256;
    std::uint32_t queues = 64;
    std::uint32_t regions = 64;
    core::bytes mtu{4096};
    // Send side.
    std::uint32_t fetch = 4;
    std::uint32_t window = 32;
    bool pushed_entries = true;
    core::sim_time processing = core::sim_time::from_ns(130);
    core::sim_time interval = core::sim_time::from_ns(10);
    std::uint32_t reads = 16;
    std::uint32_t acknowledge_every = 16;
    core::sim_time retry_after = core::sim_time::from_us(500);
    std::uint32_t retries = 7;
    // Buffers.
    std::uint32_t send_packets = 32;
    std::uint32_t answer_packets = 32;
    std::uint32_t gather = 64;
    std::uint32_t scatter = 32;
    std::uint32_t completions = 8;
    std::uint32_t request_buffer = 32;
    std::uint32_t response_buffer = 32;
    core::sim_time receive = core::sim_time::from_ns(50);
    // Translation.
    std::uint32_t tlb = 64;
    core::sim_time table_latency = core::sim_time::from_ns(10);
    net::packet_loss_spec loss;

    static void describe(config::fields<queue_pair_spec>& f);
};

// How the driver sets up a queue pair.
//
//   words of 4 bytes   0, 1 send ring    2, 3 completion ring    4 entries of the send ring    5 of the completion ring
//                      6 node of the other end    7 its queue pair    8 first sequence number    9 that of the other
//                      end
struct queue_setup {
    using record = std::array<std::uint32_t, 10>;
    std::uint64_t send_ring = 0, completion_ring = 0;   // bus addresses
    std::uint32_t entries = 0, completion_entries = 0;  // powers of two
    std::uint32_t node = 0, queue = 0;                  // the other end
    std::uint32_t first_sequence = 0, expected_sequence = 0;

    record encode() const {
        const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
        const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
        return {
            low(send_ring), high(send_ring), low(completion_ring), high(completion_ring), entries, completion_entries,
            node,           queue,           first_sequence,       expected_sequence};
    }
    static queue_setup decode(const record& r) {
        return {r[0] | std::uint64_t{r[1]} << 32, r[2] | std::uint64_t{r[3]} << 32, r[4], r[5], r[6], r[7], r[8], r[9]};
    }
};

enum class queue_state : std::uint8_t { closed, open, failed };
inline constexpr std::array<std::string_view, 3> queue_state_names{"closed", "open", "failed"};

// Why a queue pair has failed: an entry has, with the status of its completion, or software has rung for more entries
// than the ring has, or has not taken completions.
enum class queue_fault : std::uint8_t { none, entry, doorbell_overrun, completion_overrun };
struct queue_failure {
    queue_fault fault = queue_fault::none;
    work_status entry = work_status::done;
    std::uint32_t number = 0;                           // of the entry, or that of the doorbell
    std::uint32_t entries = 0, completion_entries = 0;  // of its rings
};
// "doorbell 128 is past the queue of 64 entries"
std::string to_text(const queue_failure& f);

}  // namespace contraflow::nic
