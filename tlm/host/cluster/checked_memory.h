// SPDX-License-Identifier: Apache-2.0
// The memories of a cluster, and byte by byte what they must hold at the end: moved bytes are right, and no other byte
// has changed. Buffers begin with random bytes, other memory behind the drivers' rings with zeros. All nodes have the
// same buffers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "host/cluster/rdma_cluster.h"

namespace contraflow::host {

class checked_memory {
public:
    enum class pages : std::uint8_t { in_order, shuffled };
    enum class registered : std::uint8_t { with_all, by_program };

    // The cluster must outlive it.
    checked_memory(rdma_cluster& cluster, std::uint64_t seed);

    // Adds a buffer on each node: the next free whole pages, at virtual addresses from `base` on. Throws
    // std::invalid_argument if too few are free.
    void add(nic::memory_space space, std::uint64_t base, std::uint64_t bytes, pages order = pages::in_order,
             registered when = registered::with_all);
    // The buffer of that node that holds the address; std::out_of_range if none does.
    const rdma_process::region& buffer(unsigned node, std::uint64_t address) const { return holding(node, address); }
    // Whole pages of one buffer of that node, to be registered alone.
    rdma_process::region part(unsigned node, std::uint64_t base, std::uint64_t bytes) const;
    // Registers the buffers of that node, in the order in which they were added, but for those that its program
    // registers.
    void register_all(unsigned node);
    void register_all() {
        for (unsigned n = 0; n < cluster_.nodes(); ++n) register_all(n);
    }

    // From now on the bytes that one node must have there are also expected in another one.
    void expect(unsigned target, std::uint64_t to, unsigned source, std::uint64_t from, std::uint32_t length);
    // Returns a put request, and expects its bytes at the target.
    rdma_process::put_request put(unsigned source, std::uint64_t from, unsigned target, std::uint64_t to,
                                  std::uint32_t length, std::uint16_t tag);
    // Reads and writes by a program of the node: within one page, or through a buffer in ascending order.
    std::span<const std::uint8_t> read(unsigned node, std::uint64_t address, std::size_t bytes);
    void write(unsigned node, std::uint64_t address, std::span<const std::uint8_t> bytes);

    // The first difference: "host memory of node 1 at 0x6000: 17 bytes differ"; empty: none.
    std::string wrong() const;

private:
    // The buffers of a node in one kind of memory lie side by side.
    struct buffers {
        std::uint64_t begin = 0;
        std::vector<std::uint8_t> expected;
        std::uint64_t end() const { return begin + expected.size(); }
    };
    struct place {
        std::uint8_t *expected = nullptr, *real = nullptr;
        std::uint64_t left = 0;  // bytes of the page
    };
    struct node_memory {
        buffers host, gpu;
        std::vector<rdma_process::region> regions;
        std::vector<std::uint64_t> by_program;  // their bases
    };
    const rdma_process::region& holding(unsigned node, std::uint64_t address) const;
    std::span<std::uint8_t> real(unsigned node, bool gpu);
    place find(unsigned node, std::uint64_t address);

    rdma_cluster& cluster_;
    const std::uint64_t seed_;
    core::random_source draw_;
    std::vector<node_memory> nodes_;
};

}  // namespace contraflow::host
