// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a Verilated block by Verilator's own means (--savable). It writes them to files; these keep the bytes
// in memory. There is room for 256 KiB. Only for sources that instantiate a block, like verilated_pins.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <verilated_save.h>

namespace contraflow::cosim {

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

}  // namespace contraflow::cosim
