// SPDX-License-Identifier: Apache-2.0
// An access of a wavefront that the machine cannot perform. what() names the wavefront, the access and what was
// expected.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/units.h"

namespace contraflow::gpu {

class access_fault : public std::runtime_error {
public:
    enum class reason {
        unmapped,    // no page is mapped there
        closed,      // the page is mapped, but no access is allowed
        read_only,   // the page is mapped, but not for writing
        misaligned,  // the address is not a multiple of the element's size
        refused,     // memory answered with an error
    };
    access_fault(reason why, std::uint32_t process, std::uint64_t address, core::sim_time when, const std::string& text)
        : std::runtime_error(text),
          why_(why),
          process_(process),
          address_(address),
          when_(when) {}

    reason why() const { return why_; }
    std::uint32_t process() const { return process_; }
    std::uint64_t address() const { return address_; }  // virtual; of code and a kernel's arguments, physical
    core::sim_time when() const { return when_; }

private:
    reason why_;
    std::uint32_t process_;
    std::uint64_t address_;
    core::sim_time when_;
};

}  // namespace contraflow::gpu
