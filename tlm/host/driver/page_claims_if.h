// SPDX-License-Identifier: Apache-2.0
// Who moves pages, for commands that reach them by their physical addresses: what such a command has claimed stays
// where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace contraflow::host {

class page_claimant_if {
public:
    // It is worth asking again. Never from within claim().
    virtual void pages_idle() = 0;

protected:
    ~page_claimant_if() = default;
};

struct page_claim {
    std::uint64_t address = 0, bytes = 0;
    bool writes = false;  // there may be one copy of each page only
};

class page_claims_if {
public:
    // False: one of these pages is on its way, and nothing is claimed; who asked is told when that has changed.
    virtual bool claim(std::uint32_t process, std::span<const page_claim> what, page_claimant_if& who) = 0;
    virtual void release(std::uint32_t process, std::span<const page_claim> what) = 0;
    // Is not told any more.
    virtual void withdraw(page_claimant_if& who) = 0;
    // The host has written there in place, where the address space says the page is: all else that is the page, or is
    // about to be, is to have it too.
    virtual void written_in_place(std::uint32_t process, std::uint64_t address, std::span<const std::byte> bytes) = 0;
    // These pages are allocated no more; they are claimed by nobody. What frames they have beside those that the
    // address space knows are the caller's from now on, and are added to his.
    virtual void freed(std::uint32_t process, std::uint64_t address, std::uint64_t bytes,
                       std::vector<std::uint64_t>& frames) = 0;

protected:
    ~page_claims_if() = default;
};

}  // namespace contraflow::host
