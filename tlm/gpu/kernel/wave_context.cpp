// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel/wave_context.h"

#include <stdexcept>

#include <fmt/format.h>

#include "gpu/kernel/kernel_launch.h"

namespace contraflow::gpu {

void cta_context::start(const kernel_launch& k, std::uint64_t cta_number) {
    launch = &k;
    grid = k.grid();
    block = k.block();
    number = cta_number;
    process = k.process();
    shared.assign(k.shared().count, std::byte{});
    live = k.waves_per_cta();
    at_barrier = 0;
}

void wave_context::start(wave_executor_if& executor, cta_context& cta, unsigned index) {
    executor_ = &executor;
    cta_ = &cta;
    index_ = index;
    at_barrier_ = false;
    const std::uint64_t first = std::uint64_t{index} * wave_width;
    const std::uint64_t left = cta.block.count() - first;
    threads_ = active_ = mask::first(left < wave_width ? static_cast<unsigned>(left) : wave_width);
    work_ = 0;
    shared_taken_ = 0;
    cta.launch->start(wave(*this)).start_on(stack_);
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
