// SPDX-License-Identifier: Apache-2.0
// Routes requests. A socket's crossbar sends an address of its own memory to the second-level bank of that line. Any
// other address goes to the line's port of the RDMA engine, or to the cache of remote lines before that port. An RDMA
// engine sends it to the socket that has the memory. A bus address (memory::io_space) leads to the port of I/O.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "memory/crossbar/address_map.h"
#include "memory/crossbar/address_to_port_if.h"
#include "memory/dram/interleave.h"
#include "memory/vm/translation.h"

namespace contraflow::gpu {

class local_or_remote final : public memory::address_to_port_if {
public:
    // Outputs: banks first, then the ports of each link. `link_to`: the first link to each socket; empty for a single
    // socket. `io`: the output for I/O, or nowhere.
    local_or_remote(const memory::address_map& map, unsigned socket, const memory::interleave& banks,
                    const memory::interleave& ports_of_link, std::vector<unsigned> link_to, unsigned io)
        : map_(map),
          socket_(socket),
          banks_(banks),
          ports_(ports_of_link),
          link_to_(std::move(link_to)),
          io_(io) {}

    unsigned find(std::uint64_t address) const override {
        if (!map_.contains(address)) return address >= memory::io_space ? io_ : nowhere;
        const unsigned home = map_.socket_of(address);
        if (home == socket_) return banks_.part_of(address);
        return banks_.parts() + link_to_[home] * ports_.parts() + ports_.part_of(address);
    }
    std::uint64_t span(std::uint64_t address) const override {
        if (!map_.contains(address)) return 1;
        return std::min(
            {banks_.span(address), ports_.span(address), map_.memory_per_socket().count - map_.offset_of(address)});
    }

private:
    const memory::address_map& map_;
    unsigned socket_;
    memory::interleave banks_;
    memory::interleave ports_;
    std::vector<unsigned> link_to_;
    unsigned io_;
};

class socket_of_address final : public memory::address_to_port_if {
public:
    explicit socket_of_address(const memory::address_map& map) : map_(map) {}

    unsigned find(std::uint64_t address) const override {
        return map_.contains(address) ? map_.socket_of(address) : nowhere;
    }
    std::uint64_t span(std::uint64_t address) const override {
        return map_.contains(address) ? map_.memory_per_socket().count - map_.offset_of(address) : 1;
    }

private:
    const memory::address_map& map_;
};

}  // namespace contraflow::gpu
