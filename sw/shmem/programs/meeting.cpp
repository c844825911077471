// SPDX-License-Identifier: Apache-2.0
#include "shmem/programs/meeting.h"

namespace contraflow::shmem {

gpu::task<> meet(gpu::wave w, gpu::array<std::uint64_t> count, std::uint64_t all, std::uint64_t poll) {
    co_await w.barrier();
    if (w.wave_in_cta() == 0) {
        const gpu::mask first = gpu::mask::thread(0);
        std::uint64_t here = (co_await w.atomic_add(count, 0, std::uint64_t{1}, first))[0] + 1;
        while (here < all) {
            w.work(poll);
            here = (co_await w.load_uncached(count, 0, first))[0];
        }
    }
    co_await w.barrier();
}

}  // namespace contraflow::shmem
