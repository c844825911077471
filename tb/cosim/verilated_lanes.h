// SPDX-License-Identifier: Apache-2.0
// The Verilated block of any lane count behind one face: its pins as numbers, its registers by name. For lane_block.cpp
// only: what Verilator generates must not meet <systemc>.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <verilated.h>

#include "cosim/lane_block.h"

namespace contraflow::cosim {

// A register of the RTL, wherever Verilator keeps it.
class rtl_register {
public:
    rtl_register() = default;
    rtl_register(void* data, unsigned bytes) : data_(data), bytes_(bytes) {}
    std::uint64_t get() const {
        switch (bytes_) {
        case 1: return *static_cast<const CData*>(data_);
        case 2: return *static_cast<const SData*>(data_);
        case 4: return *static_cast<const IData*>(data_);
        default: return *static_cast<const QData*>(data_);
        }
    }
    void set(std::uint64_t v) const {
        switch (bytes_) {
        case 1: *static_cast<CData*>(data_) = static_cast<CData>(v); break;
        case 2: *static_cast<SData*>(data_) = static_cast<SData>(v); break;
        case 4: *static_cast<IData*>(data_) = static_cast<IData>(v); break;
        default: *static_cast<QData*>(data_) = v;
        }
    }
    void add(std::int64_t n) const { set(get() + static_cast<std::uint64_t>(n)); }

private:
    void* data_ = nullptr;
    unsigned bytes_ = 0;
};

struct lane_block::model {
    model() = default;
    virtual ~model() = default;
    model(const model&) = delete;
    model& operator=(const model&) = delete;

    virtual void eval() = 0;
    virtual void clock(bool high) = 0;
    virtual void reset(bool on) = 0;
    virtual void events(bool launch, std::uint32_t failing) = 0;
    virtual void valid(std::uint32_t on_a, std::uint32_t on_b) = 0;
    virtual void bus(bool select, bool enable, std::uint32_t address, std::uint32_t data) = 0;
    virtual bool bus_error() const = 0;
    virtual void show_registers(lane_view& v) const = 0;  // what comes from registers
    virtual void show_all(lane_view& v) const = 0;        // and what depends on the cycle's inputs

    // After the constructor of the Verilated class: where its registers are.
    void find_registers(const VerilatedContext& context, const std::string& name);

    unsigned lanes_per_direction = 0;  // of the build
    // What moves when nothing happens.
    rtl_register cycle, wait, sample_time, switch_time, turns, windows;
    rtl_register leave, back;  // lanes that do with the next edge
    link::by_direction<rtl_register> busy, capacity;
    struct lane {
        rtl_register timer, state, to_ba;
    };
    std::vector<lane> lanes;
    std::vector<rtl_register> others;  // every other register

    // Whether an edge changes any of these.
    void remember() {
        before_.clear();
        for (const auto& r : others) before_.push_back(r.get());
    }
    bool unchanged() const {
        for (std::size_t i = 0; i < others.size(); ++i)
            if (others[i].get() != before_[i]) return false;
        return true;
    }

private:
    std::vector<std::uint64_t> before_;
};

// One for each lane count that is built; null for another. `waves` may be null.
std::unique_ptr<lane_block::model> make_lane_model(unsigned lanes_per_direction, const std::string& name,
                                                   wave::wave_file* waves);

}  // namespace contraflow::cosim
