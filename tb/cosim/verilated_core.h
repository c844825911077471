// SPDX-License-Identifier: Apache-2.0
// A Verilated cf_lane_core of any size, with checkpoints by Verilator's own means (--savable). Only for sources that
// instantiate it, like verilated_pins.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <verilated_save.h>

#include "cosim/lane_rtl.h"
#include "cosim/verilated_pins.h"

namespace contraflow::cosim {

// Verilator writes checkpoints to files; this keeps the bytes in memory. A core takes a few thousand; there is room for
// 256 KiB.
class saved_bytes final : public VerilatedSerialize {
public:
    void begin() { m_cp = m_bufp; }
    void copy_to(std::vector<std::uint8_t>& to) const { to.assign(m_bufp, m_cp); }
};
class restored_bytes final : public VerilatedDeserialize {
public:
    void begin(const std::vector<std::uint8_t>& from) {
        std::copy(from.begin(), from.end(), m_bufp);
        m_cp = m_bufp;
        m_endp = m_bufp + bufferSize();
    }

private:
    void fill() override {}
};

struct core_context {
    VerilatedContext context;
};

template <class Rtl> class verilated_core final : core_context, public verilated_pins<Rtl, lane_core_if> {
public:
    verilated_core() : verilated_pins<Rtl, lane_core_if>(&context, "core") { this->rtl_.eval(); }

    void save(std::vector<std::uint8_t>& to) override {
        thread_local saved_bytes bytes;
        bytes.begin();
        bytes << this->rtl_;
        bytes.copy_to(to);
    }
    void restore(const std::vector<std::uint8_t>& from) override {
        thread_local restored_bytes bytes;
        bytes.begin(from);
        bytes >> this->rtl_;
    }
};

}  // namespace contraflow::cosim
