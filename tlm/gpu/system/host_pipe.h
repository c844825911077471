// SPDX-License-Identifier: Apache-2.0
// A GPU's link to its host without packets: a pipe with a bandwidth and a latency in each direction. Neither direction
// holds more bytes than take the time `held`.
#pragma once

#include "core/scheduler.h"
#include "gpu/system/host_side_if.h"

namespace contraflow::gpu {

class host_pipe final : public host_side_if {
public:
    struct spec {
        core::bandwidth bandwidth;
        core::sim_time latency{}, held{};
    };
    host_pipe(core::scheduler& events, const spec& s, host_side_user_if& user)
        : events_(events),
          spec_(s),
          user_(user) {}

    void begin(const host_transfer&) override {}
    std::uint64_t reach(const host_transfer& t, std::uint64_t offset) const override { return t.part->bytes - offset; }
    bool ready(const host_transfer& t, std::uint64_t offset, unsigned length) override;
    void take(const host_transfer& t, std::uint64_t offset, std::uint8_t* to, unsigned length) override;
    void put(const host_transfer& t, std::uint64_t offset, const std::uint8_t* from, unsigned length) override;
    void all_put(const host_transfer& t) override { user_.host_has(t.number, out_ + spec_.latency); }
    void reset() override { in_ = out_ = {}; }
    void report_waits(std::vector<core::wait_edge>&) const override {}

private:
    core::scheduler& events_;
    const spec spec_;
    host_side_user_if& user_;
    core::sim_time in_{};   // when everything so far has come from the host
    core::sim_time out_{};  // when everything so far has gone to the host
};

}  // namespace contraflow::gpu
