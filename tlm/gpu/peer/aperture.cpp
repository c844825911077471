// SPDX-License-Identifier: Apache-2.0
#include "gpu/peer/aperture.h"

#include <algorithm>
#include <cstring>

#include "pcie/device/memory_region.h"

namespace contraflow::gpu {

using pcie::access_result;

aperture::aperture(core::scheduler& events, observe::statistics& statistics, pcie::function& of, peer_memory& memory,
                   const peer_spec& s, std::string name)
    : events_(events),
      memory_(memory),
      map_time_(s.map_time),
      unmap_time_(s.unmap_time),
      pages_(s.aperture.count / peer_page),
      reads_(events, of, {s.aperture_latency, s.aperture_rate, s.aperture_queue}, name),
      maps_(statistics, name + ".maps", "calls", "calls that mapped pages into BAR1"),
      refused_(statistics, name + ".refused", "TLPs", "to pages of BAR1 that are not mapped") {}

core::sim_time aperture::take_mapper(core::sim_time duration) {
    return mapper_free_ = std::max(mapper_free_, events_.now()) + duration;
}

std::optional<aperture::mapping> aperture::map(std::uint64_t address, std::uint64_t length) {
    if (length == 0 || address + length > memory_.bytes().size()) return std::nullopt;
    const std::uint64_t first = address / peer_page, count = (address + length - 1) / peer_page - first + 1;
    std::uint64_t free = 0;
    for (std::uint64_t i = 0; i < pages_.size(); ++i) {
        free = pages_[i].address == nowhere ? free + 1 : 0;
        if (free < count) continue;
        const std::uint64_t begin = i + 1 - count;
        const core::sim_time ready = take_mapper(map_time_);
        for (std::uint64_t n = 0; n < count; ++n) pages_[begin + n] = {(first + n) * peer_page, ready};
        ++maps_;
        return mapping{begin * peer_page + address % peer_page, ready};
    }
    return std::nullopt;
}

core::sim_time aperture::unmap(const mapping& m, std::uint64_t length) {
    for (std::uint64_t p = m.offset / peer_page; p * peer_page < m.offset + length; ++p) pages_.at(p) = {};
    return take_mapper(unmap_time_);
}

std::optional<std::uint64_t> aperture::find(std::uint64_t offset) {
    const page& p = pages_[offset / peer_page];
    if (p.address != nowhere && p.ready <= events_.now()) return p.address + offset % peer_page;
    ++refused_;
    return std::nullopt;
}

// No TLP crosses 4 KiB, so none crosses a page either.
access_result aperture::write(std::uint64_t offset, const pcie::tlp& packet) {
    const auto place = find(offset);
    return place ? pcie::memory_region(memory_.bytes()).write(*place, packet) : access_result::aborted;
}

access_result aperture::request(pcie::inbound_request& r, const pcie::tlp& packet) {
    if (packet.kind != pcie::tlp_kind::memory_read) return access_result::unsupported;
    return find(r.offset) ? reads_.take(r) : access_result::aborted;
}

// A page that is unmapped while an answer leaves reads as all ones, like an absent device.
void aperture::fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) {
    if (const auto place = find(r.offset + from))
        std::memcpy(to, memory_.bytes().data() + *place, length);
    else
        std::memset(to, 0xff, length);
}

void aperture::unmap_all() {
    std::fill(pages_.begin(), pages_.end(), page{});
    mapper_free_ = {};
}

void aperture::stop() {
    reads_.abort();
    unmap_all();
}

void aperture::reset() {
    reads_.reset();
    unmap_all();
}

}  // namespace contraflow::gpu
