// SPDX-License-Identifier: Apache-2.0
// The page migrator's interface for copy commands; the migrator is in a folder above this one. A copy works on physical
// addresses, so it claims its pages first: a claimed page does not move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace contraflow::host {

class copy_command;

struct page_claim {
    std::uint64_t address = 0, bytes = 0;
    bool writes = false;  // only one copy of each page may exist
};

class page_claims_if {
public:
    // False if one of these pages is moving; nothing is claimed then. pages_idle() tells when to try again.
    virtual bool claim(std::uint32_t process, std::span<const page_claim> what, copy_command& who) = 0;
    virtual void release(std::uint32_t process, std::span<const page_claim> what) = 0;
    // Cancels that notification.
    virtual void withdraw(copy_command& who) = 0;
    // The host has written to a page in place, at the frame that the address space names. Other frames of the same page
    // (duplicates, and the new frame of a page that moves) must get these bytes too.
    virtual void written_in_place(std::uint32_t process, std::uint64_t address, std::span<const std::byte> bytes) = 0;
    // These pages have been freed, and no claim on them is left. Their duplicates, which the address space does not
    // know, are appended to `frames`; the caller owns these frames.
    virtual void freed(std::uint32_t process, std::uint64_t address, std::uint64_t bytes,
                       std::vector<std::uint64_t>& frames) = 0;

protected:
    ~page_claims_if() = default;
};

}  // namespace contraflow::host
