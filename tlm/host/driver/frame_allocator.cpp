// SPDX-License-Identifier: Apache-2.0
#include "host/driver/frame_allocator.h"

#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::host {

frame_allocator::frame_allocator(const memory::address_map& map, std::uint64_t page_size)
    : map_(map),
      page_size_(page_size),
      frames_(map.memory_for_pages().count / page_size),
      gpus_(map.sockets()) {}

std::uint64_t frame_allocator::free_frames(unsigned gpu) const {
    const gpu_frames& g = gpus_.at(gpu - 1);
    return frames_ - g.untouched + g.given_back.size();
}

std::uint64_t frame_allocator::take(unsigned gpu) {
    gpu_frames& g = gpus_.at(gpu - 1);
    if (!g.given_back.empty()) {
        const std::uint64_t physical = g.given_back.back();
        g.given_back.pop_back();
        return physical;
    }
    if (g.untouched == frames_) throw std::logic_error(fmt::format("GPU {} has no free page", gpu));
    g.tenants.push_back(nobody);
    return map_.base(gpu - 1) + g.untouched++ * page_size_;
}

void frame_allocator::give_back(std::uint64_t physical) {
    set_tenant(physical, nobody);
    gpus_.at(gpu_of(physical) - 1).given_back.push_back(physical);
}

void frame_allocator::set_tenant(std::uint64_t physical, std::uint64_t page) {
    gpus_.at(gpu_of(physical) - 1).tenants.at(map_.offset_of(physical) / page_size_) = page;
}

std::uint64_t frame_allocator::tenant(std::uint64_t physical) const {
    if (!map_.contains(physical)) return nobody;
    const std::vector<std::uint64_t>& tenants = gpus_[gpu_of(physical) - 1].tenants;
    const std::uint64_t number = map_.offset_of(physical) / page_size_;
    return number < tenants.size() ? tenants[number] : nobody;
}

}  // namespace contraflow::host
