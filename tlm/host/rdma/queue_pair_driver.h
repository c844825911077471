// SPDX-License-Identifier: Apache-2.0
// The host's driver of a NIC with queue pairs: registers memory, opens queue pairs, and rings doorbells for software on
// the CPU. All of it is posted writes to the NIC's registers, in order.
//
//   queue_pair_driver a(host_a, nic_a), b(host_b, nic_b);
//   const auto mine = a.register_memory({nic::memory_space::host, base, pages, length, {.local_write = true}});
//   queue_pair_driver::connect({a, 0, rings_a}, {b, 3, rings_b});
//   a.doorbell(0, 1);      // after entry 1 has been written to the ring
#pragma once

#include <span>
#include <vector>

#include "host/rdma/nic_tables.h"
#include "host/rdma/register_writer.h"
#include "nic/queue_pair/queue_pair_nic.h"

namespace contraflow::host {

class queue_pair_driver {
public:
    // Virtual addresses from `base` on, the start of a page. Pages are bus addresses: of memory, or of another device's
    // registers.
    struct region {
        nic::memory_space pages_of = nic::memory_space::host;  // their size
        std::uint64_t base = 0;
        std::vector<std::uint64_t> pages;
        std::uint64_t length = 0;  // bytes; it may end within its last page; 0: all of its pages
        nic::access_rights rights;
    };
    struct handle {
        std::uint32_t index = 0, local_key = 0, remote_key = 0;
    };
    struct rings {
        std::uint64_t entries_at = 0, completions_at = 0;  // bus addresses
        std::uint32_t entries = 0, completions = 0;        // powers of two
    };
    struct end {
        queue_pair_driver& of;
        std::uint32_t queue = 0;
        rings where;
        std::uint32_t first_sequence = 0;
    };
    queue_pair_driver(pcie::function& host, nic::queue_pair_nic& nic) : nic_(nic), writes_(host) {}

    // Throws std::invalid_argument if it does not begin at a page, has no page, or all regions are in use.
    handle register_memory(const region& r);
    // Requests that arrive from now on find no region. What the NIC has begun goes on.
    void deregister(const handle& h);
    // Opens a queue pair at each end. Packets from one end may arrive before the other is open: the NIC drops those,
    // and they are sent again.
    static void connect(const end& a, const end& b);
    void open(std::uint32_t queue, const nic::queue_setup& s);
    void close(std::uint32_t queue);
    void doorbell(std::uint32_t queue, std::uint32_t produced);
    // The same with the last entry, as it is in the ring: the NIC need not read it from there.
    void doorbell(std::uint32_t queue, std::span<const std::uint8_t, nic::work_entry_bytes> entry);
    void consumed(std::uint32_t queue, std::uint32_t completions);
    // The host and the NIC have been reset: nothing is registered or open.
    void reset();

private:
    struct entry {
        region what;
        std::uint64_t root = 0;
        std::uint8_t uses = 0;  // registrations at this index so far
        bool used = false;
    };
    void set_region(std::uint32_t index, const nic::registered_region& r);
    void send(nic::queue_pair_nic::command opcode, std::uint32_t index, std::span<const std::uint32_t> data);

    nic::queue_pair_nic& nic_;
    register_writer writes_;
    nic_tables tables_;
    std::vector<entry> regions_;
};

}  // namespace contraflow::host
