// SPDX-License-Identifier: Apache-2.0
#include "workloads/support/placement.h"

namespace contraflow::workloads {
namespace {

constexpr std::uint64_t words_a_page = 4096 / 4;  // for the smallest pages

}  // namespace

gpu::host_task place_at_first_socket(gpu::gpu_system_if& gpu, gpu::array<std::uint32_t> words) {
    const std::uint64_t pages = (words.size() + words_a_page - 1) / words_a_page;
    co_await gpu.launch({"place", 1, 256, [words, pages](gpu::wave w) -> gpu::kernel {
                             for (auto page : w.own(pages)) co_await w.store(words, page * words_a_page, 0u);
                         }});
}

}  // namespace contraflow::workloads
