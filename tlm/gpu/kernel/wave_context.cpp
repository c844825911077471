// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel/wave_context.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "gpu/kernel/bank_load.h"
#include "gpu/kernel/kernel_launch.h"

namespace contraflow::gpu {

void cta_context::start(const kernel_launch& k, std::uint64_t cta_number, unsigned width_of_waves,
                        const scratchpad_timing& scratchpad) {
    timing = scratchpad;
    launch = &k;
    wave_width = width_of_waves;
    grid = k.grid();
    block = k.block();
    number = cta_number;
    process = k.process();
    shared.assign(k.shared().count, std::byte{});
    live = k.waves_per_cta(wave_width);
    at_barrier = 0;
}

void wave_context::start(wave_executor_if& executor, cta_context& cta, unsigned index) {
    executor_ = &executor;
    cta_ = &cta;
    index_ = index;
    at_barrier_ = false;
    const std::uint64_t first = std::uint64_t{index} * width();
    const std::uint64_t left = cta.block.count() - first;
    threads_ = active_ = mask::first(left < width() ? static_cast<unsigned>(left) : width());
    work_ = open_work_ = 0;
    shared_taken_ = 0;
    scratchpad_ = {};
    loads_begun_ = 0;
    open_.clear();
    free_loads_.clear();
    for (const auto& a : loads_) free_loads_.push_back(a.get());
    const running_wave this_one(width());  // the kernel's function may compute before it makes the coroutine
    cta.launch->start(wave(*this)).start_on(stack_);
}

void wave_context::begin_open() {
    if (open_.empty()) return;
    for (wave_access* a : open_) a->number = ++loads_begun_;
    executor_->begin_loads(*this, open_, open_work_);
    open_.clear();
}

void wave_context::put_in_order(std::span<wave_access* const> loads) {
    auto next = loads.begin();
    for (wave_access*& place : open_) {
        if (std::find(loads.begin(), loads.end(), place) == loads.end()) continue;
        while (*next == nullptr || (*next)->number != 0) ++next;  // has begun
        place = *next++;
    }
}

void wave_context::access_scratchpad(const per_thread<std::uint32_t>& first_byte, unsigned bytes) {
    const scratchpad_timing& t = cta_->timing;
    if (t.banks == 0) return add_work(1);
    const bank_load l = load_of_banks(first_byte, active_, bytes, t.banks);
    scratchpad_.cycles += l.cycles;
    scratchpad_.conflicts += l.cycles - l.least;
    add_work(std::max(1u, (l.cycles + t.issue_cycles - 1) / t.issue_cycles));
}

std::span<std::byte> wave_context::take_shared(std::size_t bytes) {
    constexpr std::size_t alignment = 16;
    const std::size_t begin = shared_taken_;
    const std::size_t end = begin + bytes;
    if (end > cta_->shared.size())
        throw std::length_error(fmt::format("kernel {} takes {} bytes of shared memory and was launched with {}",
                                            cta_->launch->name(), end, cta_->shared.size()));
    shared_taken_ = (end + alignment - 1) / alignment * alignment;
    return std::span(cta_->shared).subspan(begin, bytes);
}

}  // namespace contraflow::gpu
