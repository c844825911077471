// SPDX-License-Identifier: Apache-2.0
// A translation of a virtual page: the request on its way through the levels, and the answer on its way back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/request_server.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

// Sizes of a page, as the base-2 logarithm of its bytes.
inline constexpr unsigned page_bits_4k = 12, page_bits_64k = 16, page_bits_2m = 21;
inline constexpr bool is_page_bits(unsigned bits) {
    return bits == page_bits_4k || bits == page_bits_64k || bits == page_bits_2m;
}
inline constexpr std::array page_sizes{page_bits_4k, page_bits_64k, page_bits_2m};
inline constexpr std::size_t size_index(unsigned bits) {
    return bits == page_bits_4k ? 0 : bits == page_bits_64k ? 1 : 2;
}
// Virtual addresses have this many bits: four levels of nine and the offset.
inline constexpr unsigned virtual_address_bits = 48;
// Process numbers have this many bits, as in PCI Express (PASID).
inline constexpr unsigned process_bits = 20;

enum class access_rights : std::uint8_t { none, read, read_write };

// What a page is, for the units that access it.
enum class memory_type : std::uint8_t {
    cached,
    uncached,  // no cache may keep its lines: every access goes to memory
    io,        // no memory of this GPU: a device, or memory, at a bus address
};
// Physical addresses from here on are bus addresses, in pages of type io.
inline constexpr std::uint64_t io_space = std::uint64_t{1} << 51;

struct page_translation {
    std::uint64_t virtual_page = 0;  // addresses of the first byte
    std::uint64_t physical_page = 0;
    std::uint64_t epoch = 0;  // the process's table's epoch when it was read: see radix_table
    std::uint8_t bits = page_bits_4k;
    access_rights rights = access_rights::none;
    memory_type type = memory_type::cached;

    std::uint64_t size() const { return std::uint64_t{1} << bits; }
    std::uint64_t physical(std::uint64_t address) const { return physical_page | (address & (size() - 1)); }
    bool covers(std::uint64_t address) const { return address >> bits == virtual_page >> bits; }
    bool permits(bool write) const {
        return rights == access_rights::read_write || (!write && rights == access_rights::read);
    }
    friend bool operator==(const page_translation&, const page_translation&) = default;
};

enum class translation_status : std::uint8_t {
    translated,
    unmapped,    // no page is mapped there
    protection,  // the page does not permit this access; the answer has its rights
};
const char* status_name(translation_status s);

// Between two levels of address translation (TLBs, a GPU's own walkers, the IOMMU) it is sent by a
// core::request_server: its sender owns it and must not change it until it is answered.
struct translation_request {
    // --- the question
    std::uint64_t address = 0;
    std::uint32_t process = 0;
    bool write = false;
    memory::origin origin{};
    // The memory request, or the request of the level above, that waits for the answer. May be null.
    milestones* times = nullptr;
    translation_request* above = nullptr;
    std::uint32_t tag = 0;  // for the client only
    // --- the answer; the page is valid unless nothing is mapped
    translation_status status = translation_status::unmapped;
    page_translation page{};
    core::sim_time held_since{}, held_until{};  // if it was held: first begin and last end
    // --- for the component that holds the request at the moment
    core::request_connection<translation_request>* via = nullptr;
    translation_request* next = nullptr;
    core::sim_time due{};

    // For the waiting memory request, if there is one: counts its time, and records the instances that it passes.
    void spent_in(stage s, core::sim_time now) {
        if (milestones* const m = waiting()) m->add(s, now);
    }
    void pass(const char* where, core::sim_time now) {
        if (milestones* const m = waiting()) m->pass(where, now);
    }

    // Takes the answer of another request. While that one was held, this one waited as well, from its own last
    // milestone on; the time before that was spent in stage `own`.
    void share_hold(const translation_request& asked, stage own) {
        held_since = asked.held_since;
        held_until = asked.held_until;
        milestones* const m = waiting();
        if (m == nullptr || m->last() >= held_until) return;
        if (m->last() < held_since) m->add(own, held_since);
        m->add(stage::page_held, held_until);
    }

private:
    milestones* waiting() {
        translation_request* first = this;
        while (first->above != nullptr) first = first->above;
        return first->times;
    }
};

// Translations by address, for a process or for all.
struct translation_range {
    std::uint32_t process = 0;
    bool any_process = false;
    std::uint64_t first = 0;
    std::uint64_t last = ~std::uint64_t{0};  // inclusive

    static translation_range all() { return {0, true, 0, ~std::uint64_t{0}}; }
    static translation_range of_process(std::uint32_t process) { return {process, false, 0, ~std::uint64_t{0}}; }
    static translation_range page(std::uint32_t process, std::uint64_t address, unsigned bits) {
        const std::uint64_t offset = (std::uint64_t{1} << bits) - 1;
        return {process, false, address & ~offset, address | offset};
    }
    bool is_of(std::uint32_t p) const { return any_process || p == process; }
    bool meets(std::uint32_t p, std::uint64_t from, std::uint64_t to) const {
        return is_of(p) && from <= last && to >= first;
    }
    bool has(std::uint32_t p, std::uint64_t address) const { return meets(p, address, address); }
};

// A level never answers within the call that gives it a request. Its answer may bring it another request.
using translation_server = core::request_server<translation_request>;
using translation_client = core::request_client<translation_request>;
using translation_client_if = core::request_client_if<translation_request>;

}  // namespace contraflow::memory
