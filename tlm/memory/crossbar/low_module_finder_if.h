// SPDX-License-Identifier: Apache-2.0
// Which of the modules below serves an address: the output of a crossbar, the GPU that an RDMA engine sends to. Whoever
// passes requests on asks this and nothing else, so that how memory is spread over modules is known in one place.
#pragma once

#include <cstdint>

namespace contraflow::memory {

class low_module_finder_if {
public:
    static constexpr unsigned nowhere = ~0u;
    virtual ~low_module_finder_if() = default;
    // The module's number, or nowhere.
    virtual unsigned find(std::uint64_t address) const = 0;
    // How many bytes from there on are sure to be the same module's; at least 1.
    virtual std::uint64_t span(std::uint64_t address) const = 0;
};

}  // namespace contraflow::memory
