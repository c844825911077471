// SPDX-License-Identifier: Apache-2.0
#include "pcie/device/pinned_memory.h"

#include <cstring>
#include <iterator>
#include <utility>

namespace contraflow::pcie {

pinned_memory::pinned_memory(core::scheduler& events, function& of, const timed_reads::spec& s, std::string name,
                             core::bytes size)
    : size_(size.count),
      reads_(events, of, s, std::move(name)) {}

// First fit: the offsets depend only on what is pinned.
std::optional<std::uint64_t> pinned_memory::pin(std::span<std::byte> buffer) {
    std::uint64_t offset = 0;
    for (const auto& [begin, taken] : buffers_) {
        if (begin - offset >= buffer.size()) break;
        offset = (begin + taken.size() + boundary_4k - 1) / boundary_4k * boundary_4k;
    }
    if (offset > size_ || buffer.size() > size_ - offset) return std::nullopt;
    buffers_.emplace(offset, buffer);
    return offset;
}

std::byte* pinned_memory::find(std::uint64_t offset, std::uint64_t length) const {
    auto at = buffers_.upper_bound(offset);
    if (at == buffers_.begin()) return nullptr;
    --at;
    const std::uint64_t within = offset - at->first, size = at->second.size();
    return within < size && length <= size - within ? at->second.data() + within : nullptr;
}

access_result pinned_memory::write(std::uint64_t offset, const tlp& packet) {
    const byte_span span = span_of(packet);
    std::byte* const to = find(offset, span.length);
    if (to == nullptr || !contiguous(packet)) return access_result::aborted;
    std::memcpy(to, packet.data + (span.address - packet.address), span.length);
    return access_result::done;
}

access_result pinned_memory::request(inbound_request& r, const tlp& packet) {
    if (packet.kind != tlp_kind::memory_read) return access_result::unsupported;
    return find(r.offset, r.length) == nullptr ? access_result::aborted : reads_.take(r);
}

void pinned_memory::fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) {
    const std::byte* const bytes = find(r.offset + from, length);
    if (bytes == nullptr)
        std::memset(to, 0xff, length);
    else
        std::memcpy(to, bytes, length);
}

}  // namespace contraflow::pcie
