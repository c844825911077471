// SPDX-License-Identifier: Apache-2.0
// One direction of a link as its sender sees it: the time of a packet, and until when the wire is busy. DLLPs and TLPs
// share it: first come, first served, and nothing interrupts a packet.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/units.h"
#include "pcie/tlp.h"

namespace contraflow::pcie {

class wire {
public:
    wire(core::bandwidth raw, framing overhead, core::sim_time propagation)
        : framing_(overhead),
          propagation_(propagation) {
        set_rate(raw);
    }

    framing overhead() const { return framing_; }
    core::sim_time propagation() const { return propagation_; }
    core::sim_time free_at() const { return free_at_; }
    core::sim_time busy() const { return busy_; }
    core::sim_time duration(std::uint32_t bytes) const { return {(bytes * ps_per_byte_q20_ + half) >> fraction_bits}; }

    // Occupies the wire for that many bytes, from now or from when it is free; returns the start.
    core::sim_time occupy(core::sim_time now, std::uint32_t bytes) {
        const core::sim_time start = now < free_at_ ? free_at_ : now;
        const core::sim_time length = duration(bytes);
        free_at_ = busy_until_ = start + length;
        busy_ += length;
        return start;
    }
    // Drops what is on the wire.
    void clear(core::sim_time now) {
        if (busy_until_ > now) busy_ -= busy_until_ - now;
        busy_until_ = now;
        free_at_ = now;
    }
    // Nothing is sent before that time (the link retrains).
    void pause_until(core::sim_time when) {
        if (when > free_at_) free_at_ = when;
    }
    void set_rate(core::bandwidth raw) {
        ps_per_byte_q20_ = static_cast<std::uint64_t>(std::llround(1e12 / raw.bytes_per_s * (1u << fraction_bits)));
    }

private:
    static constexpr unsigned fraction_bits = 20;
    static constexpr std::uint64_t half = 1u << (fraction_bits - 1);

    framing framing_;
    core::sim_time propagation_;
    std::uint64_t ps_per_byte_q20_ = 0;
    core::sim_time free_at_{};
    core::sim_time busy_until_{};  // the end of the last packet; after it the wire may still be down
    core::sim_time busy_{};
};

}  // namespace contraflow::pcie
