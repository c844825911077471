// SPDX-License-Identifier: Apache-2.0
#include "host/driver/address_space.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/kernel/grid.h"

namespace contraflow::host {

gpu_memory_full::gpu_memory_full(unsigned gpu, core::bytes wanted, core::bytes free)
    : std::runtime_error(fmt::format("the memory of GPU {} is full: {} more are wanted, {} are free", gpu,
                                     core::to_text(wanted), core::to_text(free))),
      gpu_(gpu),
      wanted_(wanted),
      free_(free) {}

address_space::address_space(memory::page_mapper_if& mapper, const memory::address_map& map)
    : mapper_(mapper),
      page_size_(mapper.page_size()),
      frames_(map, page_size_) {}

void address_space::check_room(std::uint64_t pages, std::span<const unsigned> members) const {
    for (std::size_t i = 0; i < members.size(); ++i) {
        const std::uint64_t its = pages / members.size() + (i < pages % members.size() ? 1 : 0);
        const std::uint64_t free = frames_.free_frames(members[i]);
        if (its > free) throw gpu_memory_full(members[i], {its * page_size_}, {free * page_size_});
    }
}

std::uint64_t address_space::allocate(std::uint32_t process, core::bytes size, std::span<const unsigned> members,
                                      page_order order) {
    const std::uint64_t pages = std::max<std::uint64_t>(1, (size.count + page_size_ - 1) / page_size_);
    check_room(pages, members);
    range r{next_, size.count, process, {}, memory::access_rights::read_write};
    r.frames.reserve(pages);
    try {
        for (std::uint64_t i = 0, member = 0; i < pages; ++i) {
            if (order == page_order::interleaved) member = i % members.size();
            while (order == page_order::runs && i >= gpu::part_of({0, pages}, member, members.size()).end) ++member;
            r.frames.push_back(frames_.take(members[member]));
            frames_.set_tenant(r.frames.back(), r.begin + i * page_size_);
            mapper_.map(process, r.begin + i * page_size_, r.frames.back());
        }
    } catch (...) {
        for (std::size_t i = r.frames.size(); i > 0; --i) {
            if (i < r.frames.size()) mapper_.unmap(process, r.begin + (i - 1) * page_size_);
            frames_.give_back(r.frames[i - 1]);
        }
        throw;
    }
    next_ += pages * page_size_;
    const std::uint64_t begin = r.begin;
    ranges_.emplace(begin, std::move(r));
    return begin;
}

address_space::range address_space::release(std::uint32_t process, std::uint64_t address) {
    const auto at = ranges_.find(address);
    if (at == ranges_.end() || at->second.process != process)
        throw std::invalid_argument(
            fmt::format("process {} frees {:#x}, where no allocation of it begins", process, address));
    range r = std::move(at->second);
    ranges_.erase(at);
    for (std::size_t i = r.frames.size(); i > 0; --i) mapper_.unmap(process, r.begin + (i - 1) * page_size_);
    return r;
}

bool address_space::protect(std::uint32_t process, std::uint64_t address, memory::access_rights rights) {
    const auto at = ranges_.find(address);
    if (at == ranges_.end() || at->second.process != process)
        throw std::invalid_argument(
            fmt::format("process {} protects {:#x}, where no allocation of it begins", process, address));
    range& r = at->second;
    for (std::size_t i = 0; i < r.frames.size(); ++i)
        if (!mapper_.protect(process, r.begin + i * page_size_, rights)) return false;
    r.rights = rights;
    return true;
}

void address_space::give_back(std::span<const std::uint64_t> frames) {
    for (std::size_t i = frames.size(); i > 0; --i) frames_.give_back(frames[i - 1]);
}

const address_space::range* address_space::find(std::uint64_t address) const {
    auto after = ranges_.upper_bound(address);
    return after == ranges_.begin() ? nullptr : &std::prev(after)->second;
}

const address_space::range& address_space::range_of(std::uint32_t process, std::uint64_t address,
                                                    std::uint64_t length) const {
    const range* r = find(address);
    if (r == nullptr || r->process != process || address - r->begin > r->bytes ||
        length > r->bytes - (address - r->begin))
        throw std::out_of_range(
            fmt::format("{} bytes at {:#x} are in no allocation of process {}", length, address, process));
    return *r;
}

const address_space::range* address_space::nearest(std::uint32_t process, std::uint64_t address) const {
    const auto distance = [&](const range& r) {
        const std::uint64_t last = r.begin + std::max<std::uint64_t>(1, r.bytes) - 1;
        return address < r.begin ? r.begin - address : address > last ? address - last : 0;
    };
    const range* best = nullptr;
    for (const auto& [begin, r] : ranges_)
        if (r.process == process && (best == nullptr || distance(r) < distance(*best))) best = &r;
    return best;
}

std::uint64_t address_space::physical(std::uint32_t process, std::uint64_t address) const {
    const range& r = range_of(process, address, 1);
    return r.frames[(address - r.begin) / page_size_] + (address - r.begin) % page_size_;
}

std::vector<std::pair<std::uint64_t, unsigned>> address_space::pages_of(std::uint32_t process) const {
    std::vector<std::pair<std::uint64_t, unsigned>> pages;
    for (const auto& [begin, r] : ranges_)
        for (std::size_t i = 0; i < r.frames.size() && r.process == process; ++i)
            pages.emplace_back(begin + i * page_size_, frames_.gpu_of(r.frames[i]));
    return pages;
}

std::optional<std::uint64_t> address_space::take_frame(unsigned gpu) {
    if (frames_.free_frames(gpu) == 0) return std::nullopt;
    return frames_.take(gpu);
}

std::uint64_t address_space::settle(std::uint32_t process, std::uint64_t page, std::uint64_t frame) {
    const range& r = range_of(process, page, 1);
    std::uint64_t& at = ranges_.at(r.begin).frames[(page - r.begin) / page_size_];
    const std::uint64_t was = at;
    frames_.set_tenant(was, frame_allocator::nobody);
    frames_.set_tenant(frame, page);
    at = frame;
    return was;
}

std::optional<address_space::place> address_space::page_in(std::uint64_t frame) const {
    const std::uint64_t page = frames_.tenant(frame);
    const range* const r = page == frame_allocator::nobody ? nullptr : find(page);
    if (r == nullptr || page - r->begin >= r->frames.size() * page_size_) return std::nullopt;
    return place{r->process, page};
}

std::uint64_t address_space::move_page(std::uint32_t process, std::uint64_t address, unsigned to_gpu) {
    const std::uint64_t page = address / page_size_ * page_size_;
    (void)range_of(process, page, 1);
    const auto fresh = take_frame(to_gpu);
    if (!fresh) throw gpu_memory_full(to_gpu, {page_size_}, {0});
    mapper_.remap(process, page, *fresh);
    frames_.give_back(settle(process, page, *fresh));
    return *fresh;
}

}  // namespace contraflow::host
