// SPDX-License-Identifier: Apache-2.0
// A kernel and its grid: kernel_launch("triad", blocks_for(n, 256), 256, this, &triad::body).
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/units.h"
#include "gpu/kernel/grid.h"
#include "gpu/kernel/task.h"
#include "gpu/kernel/wave.h"

namespace contraflow::gpu {

class kernel_launch {
public:
    // Called once for each wavefront; its captures live until the kernel has ended.
    using entry = std::function<kernel(wave)>;

    // `shared`: scratchpad of each CTA. Throws std::invalid_argument on an empty grid, block or entry.
    kernel_launch(std::string_view name, dim3 grid, dim3 block, const entry& body, core::bytes shared = {});
    // A lambda; one that is written inside a co_await expression has its captures destroyed twice by GCC 12, so they
    // must not mind. Anything else goes into an entry of its own, or into the object of the next two.
    template <class Lambda>
    requires(std::is_class_v<Lambda> && !std::same_as<Lambda, entry>)
        kernel_launch(std::string_view name, dim3 grid, dim3 block, const Lambda& body, core::bytes shared = {})
        : kernel_launch(name, grid, block, entry(body), shared) {
        static_assert(std::is_trivially_destructible_v<Lambda>,
                      "capture pointers, numbers and arrays only, or make a kernel_launch::entry before co_await");
    }
    template <class T>
    kernel_launch(std::string_view name, dim3 grid, dim3 block, T* object, kernel (T::*body)(wave),
                  core::bytes shared = {})
        : kernel_launch(
              name, grid, block, [object, body](wave w) { return (object->*body)(w); }, shared) {}
    template <class T>
    kernel_launch(std::string_view name, dim3 grid, dim3 block, const T* object, kernel (T::*body)(wave) const,
                  core::bytes shared = {})
        : kernel_launch(
              name, grid, block, [object, body](wave w) { return (object->*body)(w); }, shared) {}

    const std::string& name() const { return name_; }
    dim3 grid() const { return grid_; }
    dim3 block() const { return block_; }
    core::bytes shared() const { return shared_; }
    std::uint64_t ctas() const { return grid_.count(); }
    // Of wavefronts of so many threads.
    unsigned waves_per_cta(unsigned wave_width) const { return waves_of(block_, wave_width); }
    kernel start(wave w) const;
    void clear_body() { body_ = nullptr; }
    // The process whose addresses the kernel uses; 0 if there is only one address space.
    std::uint32_t process() const { return process_; }
    void set_process(std::uint32_t number) { process_ = number; }

private:
    std::string name_;
    dim3 grid_;
    dim3 block_;
    entry body_;
    core::bytes shared_;
    std::uint32_t process_ = 0;
};

}  // namespace contraflow::gpu
