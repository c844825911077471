// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/host_pipe.h"

#include <algorithm>
#include <cstring>

namespace contraflow::gpu {

bool host_pipe::ready(const host_transfer& t, std::uint64_t, unsigned length) {
    const core::sim_time now = events_.now();
    if (t.part->kind == copy_kind::from_device) {
        if (out_ <= now + spec_.held) return true;
        user_.host_ready(out_ - spec_.held);
        return false;
    }
    if (in_ + spec_.held < now) in_ = now - spec_.held;
    const core::sim_time here = std::max(in_, t.begun + spec_.latency) + spec_.bandwidth.time_of({length});
    if (here > now) {
        user_.host_ready(here);
        return false;
    }
    in_ = here;
    return true;
}

void host_pipe::take(const host_transfer& t, std::uint64_t offset, std::uint8_t* to, unsigned length) {
    std::memcpy(to, t.part->host.data + offset, length);
}

void host_pipe::put(const host_transfer& t, std::uint64_t offset, const std::uint8_t* from, unsigned length) {
    std::memcpy(t.part->host.data + offset, from, length);
    out_ = std::max(out_, events_.now()) + spec_.bandwidth.time_of({length});
}

}  // namespace contraflow::gpu
