// SPDX-License-Identifier: Apache-2.0
// Which port serves an address: the output of a crossbar, or the GPU that an RDMA engine sends to. Components that pass
// requests on use only this interface, so the distribution of addresses is defined in one place.
#pragma once

#include <cstdint>

namespace contraflow::memory {

class address_to_port_if {
public:
    static constexpr unsigned nowhere = ~0u;
    virtual ~address_to_port_if() = default;
    // The port's number, or `nowhere`.
    virtual unsigned find(std::uint64_t address) const = 0;
    // The number of bytes from there that certainly have the same port; at least 1.
    virtual std::uint64_t span(std::uint64_t address) const = 0;
};

}  // namespace contraflow::memory
