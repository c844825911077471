// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel/wave_operations.h"

#include <fmt/format.h>

#include "gpu/kernel/kernel_launch.h"

namespace contraflow::gpu::detail {

void refuse_index(const wave_context& w, unsigned thread, std::uint64_t index, std::size_t size, const char* what) {
    throw std::out_of_range(fmt::format("kernel {}, CTA {}, wavefront {}, thread {}: {} of element {} of {}",
                                        w.cta().launch->name(), w.cta().number, w.index(), thread, what, index, size));
}

void refuse_second_use(const wave_context& w) {
    throw std::logic_error(
        fmt::format("kernel {}, CTA {}, wavefront {}: the value of a load is used a second time; keep it in a variable",
                    w.cta().launch->name(), w.cta().number, w.index()));
}

}  // namespace contraflow::gpu::detail
