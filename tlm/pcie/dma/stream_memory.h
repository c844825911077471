// SPDX-License-Identifier: Apache-2.0
// The memory of an endpoint of pcie_tree, behind its BAR: a slot for each communication that it sends or receives. A
// source's slot computes its bytes from the stream's key when it is read. A destination's slot keeps received bytes in
// pages; a complete page is compared with the source's bytes and freed, so that long communications need little memory.
// Bytes that arrive twice count as wrong; incomplete pages are compared at the end.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "pcie/device/region_if.h"
#include "pcie/dma/stream_table.h"

namespace contraflow::pcie {

class endpoint;

class stream_memory final : public region_if {
public:
    explicit stream_memory(stream_table& streams) : streams_(streams) {}

    // The endpoint counts what arrives here.
    void set_owner(endpoint& owner) { owner_ = &owner; }

    // Before build(), once for each stream of this endpoint.
    void add(std::uint32_t stream, bool destination);
    // The size of all slots together: a power of two.
    std::uint64_t size() const;
    // Sets the address of the BAR, and with it the addresses of the streams.
    void place(std::uint64_t base);

    access_result write(std::uint64_t offset, const tlp& packet) override;
    access_result request(inbound_request& r, const tlp& packet) override;
    void fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override;

    // Access by its own DMA engine, past the BAR.
    void read(std::uint32_t stream, std::uint64_t position, std::uint8_t* to, std::uint32_t length) const;
    void store(std::uint32_t stream, std::uint64_t position, const std::uint8_t* from, std::uint32_t length,
               const tlp& by);
    // Bytes in incomplete pages that differ from the source's.
    std::uint64_t wrong_in_open_pages() const;

private:
    static constexpr std::uint32_t page_bytes = 4096;
    struct page {
        std::uint64_t number = 0;
        std::uint32_t count = 0;  // bytes written
        std::array<std::uint64_t, page_bytes / 64> written{};
        std::array<std::uint8_t, page_bytes> bytes;
    };
    struct slot {
        std::uint32_t stream = 0;
        bool destination = false;
        std::vector<page*> open;
        std::vector<bool> complete;  // by page
    };
    page& page_of(slot& s, std::uint64_t number);
    static std::uint32_t mark(page& p, std::uint32_t begin, std::uint32_t length);
    const slot* slot_at(std::uint64_t offset) const;
    void keep(slot& s, std::uint64_t position, const std::uint8_t* from, std::uint32_t length);

    stream_table& streams_;
    endpoint* owner_ = nullptr;
    std::vector<slot> slots_;
    std::vector<std::uint32_t> slot_of_;  // destination slots by stream
    unsigned shift_ = 12;                 // log2 of a slot's size
    std::deque<page> pages_;
    std::vector<page*> free_;
};

}  // namespace contraflow::pcie
