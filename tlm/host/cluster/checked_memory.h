// SPDX-License-Identifier: Apache-2.0
// The memories of a cluster with what they must hold in the end, byte by byte: what has moved is right, and nothing
// else has changed. All memory behind the drivers' rings begins with random bytes. Buffers are alike on all nodes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/cluster/rdma_cluster.h"

namespace contraflow::host {

class checked_memory {
public:
    enum class pages : std::uint8_t { in_order, shuffled };

    // The cluster outlives it.
    checked_memory(rdma_cluster& cluster, std::uint64_t seed);

    // On each node the next whole pages that are free, seen from `base` on; std::invalid_argument if there are none.
    void add(nic::memory_space space, std::uint64_t base, std::uint64_t bytes, pages order = pages::in_order);
    // All buffers of that node, in the order in which they were added.
    void register_all(unsigned node);
    void register_all() {
        for (unsigned n = 0; n < cluster_.nodes(); ++n) register_all(n);
    }

    // Bytes of one node, as they must be by then, are expected in another one.
    void expect(unsigned target, std::uint64_t to, unsigned source, std::uint64_t from, std::uint32_t length);
    // A put whose bytes are expected where they go.
    rdma_process::put_request put(unsigned source, std::uint64_t from, unsigned target, std::uint64_t to,
                                  std::uint32_t length, std::uint16_t tag);
    // Reads and writes of a program of the node itself. Within one page, or of a buffer in order.
    std::span<const std::uint8_t> read(unsigned node, std::uint64_t address, std::size_t bytes);
    void write(unsigned node, std::uint64_t address, std::span<const std::uint8_t> bytes);

    // The first difference: "host memory of node 1 at 0x6000: 17 bytes differ"; empty: none.
    std::string wrong() const;

private:
    struct place {
        std::vector<std::uint8_t>* expected = nullptr;
        std::span<std::uint8_t> real;
        std::uint64_t at = 0;    // offset in both
        std::uint64_t left = 0;  // bytes of the page
    };
    struct node_memory {
        std::vector<std::uint8_t> host, gpu;
        std::uint64_t host_next = 0, gpu_next = 0;
        std::vector<rdma_process::region> regions;
    };
    const rdma_process::region& holding(unsigned node, std::uint64_t address) const;
    place find(unsigned node, std::uint64_t address);

    rdma_cluster& cluster_;
    const std::uint64_t seed_;
    std::vector<node_memory> nodes_;
};

}  // namespace contraflow::host
