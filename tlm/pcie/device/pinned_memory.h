// SPDX-License-Identifier: Apache-2.0
// A host's memory as devices see it: buffers that its driver has pinned, each at a range of bus addresses of its own. A
// write to an address without a buffer is a completer abort, and so is a read. Reads take time, writes are done at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "pcie/device/region_if.h"
#include "pcie/device/timed_reads.h"

namespace contraflow::pcie {

class pinned_memory final : public region_if {
public:
    // `size`: bytes of the bus's address space, from offset 0 on.
    pinned_memory(core::scheduler& events, function& of, const timed_reads::spec& s, std::string name,
                  core::bytes size);

    // Returns the offset of its first byte, a multiple of 4 KiB whatever the buffer's own address; none: no room.
    std::optional<std::uint64_t> pin(std::span<std::byte> buffer);
    // Reads that are still being answered bring ones.
    void unpin(std::uint64_t offset) { buffers_.erase(offset); }
    std::size_t pinned() const { return buffers_.size(); }

    access_result write(std::uint64_t offset, const tlp& packet) override;
    access_result request(inbound_request& r, const tlp& packet) override;
    void fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override;
    timed_reads& reads() { return reads_; }
    const timed_reads& reads() const { return reads_; }

private:
    // Null: not all of it is in one buffer.
    std::byte* find(std::uint64_t offset, std::uint64_t length) const;

    const std::uint64_t size_;
    std::map<std::uint64_t, std::span<std::byte>> buffers_;  // by offset
    timed_reads reads_;
};

}  // namespace contraflow::pcie
