// SPDX-License-Identifier: Apache-2.0
// A flat page table. It places a page in the memory of the first socket that touches it, or of each socket in turn; or
// a driver maps pages through page_mapper_if, the same for all processes. Translation is an index into a table; the
// cost of a TLB or a walk is not modelled here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "memory/crossbar/address_map.h"
#include "memory/vm/page_mapper_if.h"
#include "observe/counter.h"

namespace contraflow::memory {

// More data than the memories of all sockets can hold.
class memory_full : public std::runtime_error {
public:
    // The bytes allocated so far, the memory of a socket, and the least memory with room for everything.
    memory_full(core::bytes allocated, core::bytes socket_has, core::bytes socket_needs);
    core::bytes allocated() const { return allocated_; }
    core::bytes socket_has() const { return socket_has_; }
    core::bytes socket_needs() const { return socket_needs_; }

private:
    core::bytes allocated_, socket_has_, socket_needs_;
};

enum class placement { first_touch, interleaved };

// Told where a page has been placed, before it is read: bytes kept for it must be written there. The GPUs' memory,
// which is in a folder above this one.
class page_listener_if {
public:
    virtual void page_placed(std::uint64_t virtual_address, std::uint64_t physical_address, std::uint64_t size) = 0;

protected:
    ~page_listener_if() = default;
};

class page_table final : public page_mapper_if {
public:
    struct spec {
        core::bytes page_size{64u << 10};
        memory::placement placement = memory::placement::first_touch;
    };
    static constexpr std::uint64_t first_address = std::uint64_t{1} << 32;  // no range is near a null pointer

    page_table(observe::statistics& statistics, const std::string& path, const spec& s, const address_map& map);

    // Ranges that map_io() gives begin here.
    static constexpr std::uint64_t first_io_address = std::uint64_t{1} << 47;

    // A virtual range that begins on a page and shares none with other ranges; its pages have no place yet.
    std::uint64_t allocate(core::bytes size, memory_type type = memory_type::cached);
    // A virtual range for those bytes at a bus address: pages of type io.
    std::uint64_t map_io(std::uint64_t bus_address, core::bytes size);
    // The physical address. A page without a place gets one for the socket that touches it. An address that was never
    // allocated is a std::out_of_range, a full machine a memory_full.
    std::uint64_t translate(std::uint64_t address, unsigned toucher) { return locate(address, toucher).physical; }
    // The same, with the page's type.
    struct location {
        std::uint64_t physical = 0;
        memory_type type = memory_type::cached;
    };
    location locate(std::uint64_t address, unsigned toucher) {
        const std::uint64_t page = (address - first_address) >> shift_;
        const std::uint64_t physical = page < pages_.size() ? pages_[page] : not_placed;
        if ((physical & uncached_flag) != 0) return locate_uncached(address, toucher);
        return {physical | (address & (page_size() - 1)), memory_type::cached};
    }
    // The same for a page that has a place; none otherwise.
    std::optional<std::uint64_t> find(std::uint64_t address) const;
    bool allocated(std::uint64_t address) const { return (address - first_address) >> shift_ < allocated_; }

    std::uint64_t page_size() const override { return std::uint64_t{1} << shift_; }
    // A table either allocates its ranges or has pages mapped into it.
    void map(std::uint32_t process, std::uint64_t virtual_page, std::uint64_t physical_page) override;
    void unmap(std::uint32_t process, std::uint64_t virtual_page) override;
    void remap(std::uint32_t process, std::uint64_t virtual_page, std::uint64_t physical_page) override;
    void set_listener(page_listener_if* listener) { listener_ = listener; }
    // Throws memory_full if not everything allocated could be placed. Allocation alone uses no memory here.
    void check_room() const;
    // Drops all ranges and places.
    void reset();

private:
    static constexpr std::uint64_t not_placed = ~std::uint64_t{0};
    // In pages_, beside the address. A page without a place has it as well, so one question finds both.
    static constexpr std::uint64_t uncached_flag = std::uint64_t{1} << 63;
    struct uncached_range {
        std::uint64_t first = 0, end = 0;  // pages
    };
    struct io_range {
        std::uint64_t address = 0, size = 0;  // virtual; bytes
        std::uint64_t bus_address = 0;
    };
    location locate_uncached(std::uint64_t address, unsigned toucher);
    const io_range* find_io(std::uint64_t address) const;
    std::uint64_t place(std::uint64_t page, unsigned toucher);
    std::uint64_t pages_a_socket() const { return map_.memory_for_pages().count >> shift_; }
    memory_full full() const;
    std::uint64_t& mapped(std::uint64_t virtual_page);

    const address_map map_;
    const memory::placement placement_;
    const unsigned shift_;
    page_listener_if* listener_ = nullptr;
    std::uint64_t allocated_ = 0;       // pages
    std::vector<std::uint64_t> pages_;  // physical address of each, at most as many as memory has room for
    std::vector<std::uint64_t> used_;   // pages by socket
    std::vector<uncached_range> uncached_;
    std::vector<io_range> io_;
    std::uint64_t io_pages_ = 0;
    std::vector<std::unique_ptr<observe::counter>> placed_;
    observe::counter spilled_;
};

}  // namespace contraflow::memory

template <> struct contraflow::config::enum_names<contraflow::memory::placement> {
    static constexpr std::array names{std::pair{contraflow::memory::placement::first_touch, "first_touch"},
                                      std::pair{contraflow::memory::placement::interleaved, "interleaved"}};
};
