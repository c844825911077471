// SPDX-License-Identifier: Apache-2.0
// Where a socket's crossbar sends an address: its own memory to the second-level bank of that line, other sockets'
// memory to the port of the link bridge, or the cache of remote lines before it, that the line belongs to.
#pragma once

#include <algorithm>

#include "memory/address_map.h"
#include "memory/crossbar.h"
#include "memory/interleave.h"

namespace contraflow::gpu {

class socket_routes final : public memory::route_if {
public:
    // Outputs: banks first, then the ways to other sockets.
    socket_routes(const memory::address_map& map, unsigned socket, const memory::interleave& banks,
                  const memory::interleave& remote)
        : map_(map),
          socket_(socket),
          banks_(banks),
          remote_(remote) {}

    unsigned output(std::uint64_t address) const override {
        if (!map_.contains(address)) return nowhere;
        if (map_.socket_of(address) == socket_) return banks_.part_of(address);
        return map_.sockets() == 1 ? nowhere : banks_.parts() + remote_.part_of(address);
    }
    std::uint64_t span(std::uint64_t address) const override {
        const std::uint64_t in_part = std::min(banks_.span(address), remote_.span(address));
        if (!map_.contains(address)) return 1;
        return std::min(in_part, map_.memory_per_socket().count - map_.offset_of(address));
    }

private:
    const memory::address_map& map_;
    unsigned socket_;
    memory::interleave banks_;
    memory::interleave remote_;
};

}  // namespace contraflow::gpu
