// SPDX-License-Identifier: Apache-2.0
// The interface between a debugger and a core. Both use it while the core, and with it simulated time, is stopped.
#pragma once

#include <cstdint>
#include <span>

namespace contraflow::iss {

enum class watch_kind : std::uint8_t { write, read, access };

struct stop_reason {
    enum class kind : std::uint8_t { begin, step, breakpoint, watchpoint, asked, crash };
    kind what = kind::begin;
    watch_kind watched = watch_kind::write;
    std::uint32_t address = 0;  // address of the watched access
};

enum class resume : std::uint8_t { go_on, step, detach, kill };

// The core as seen by a debugger while it is stopped.
class debug_target_if {
public:
    static constexpr unsigned pc_register = 32;  // after x0 to x31

    virtual ~debug_target_if() = default;
    virtual std::uint32_t read_register(unsigned number) = 0;
    virtual void write_register(unsigned number, std::uint32_t value) = 0;
    // False if there is no memory or only for a part. Memory outside the core is accessed without side effects or time.
    virtual bool read_memory(std::uint32_t address, std::span<std::uint8_t> into) = 0;
    virtual bool write_memory(std::uint32_t address, std::span<const std::uint8_t> from) = 0;
    // False if there cannot be one.
    virtual bool set_breakpoint(std::uint32_t address, bool on) = 0;
    virtual bool set_watchpoint(watch_kind what, std::uint32_t address, std::uint32_t size, bool on) = 0;
};

class debugger_if {
public:
    virtual ~debugger_if() = default;
    // The core is stopped before the instruction at its pc. It continues as this returns.
    virtual resume stopped(debug_target_if& core, const stop_reason& why) = 0;
    // Asked regularly while the core runs: whether it should stop.
    virtual bool wants_stop() = 0;
};

}  // namespace contraflow::iss
