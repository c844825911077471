// SPDX-License-Identifier: Apache-2.0
// What a debugger and a core tell each other. Both sides talk while the core stands, and simulated time with it.
#pragma once

#include <cstdint>
#include <span>

namespace contraflow::iss {

enum class watch_kind : std::uint8_t { write, read, access };

struct stop_reason {
    enum class kind : std::uint8_t { begin, step, breakpoint, watchpoint, asked, crash };
    kind what = kind::begin;
    watch_kind watched = watch_kind::write;
    std::uint32_t address = 0;  // of what was watched
};

enum class resume : std::uint8_t { go_on, step, detach, kill };

// The core as a debugger sees it while it stands.
class debug_target_if {
public:
    static constexpr unsigned pc_register = 32;  // after x0 to x31

    virtual ~debug_target_if() = default;
    virtual std::uint32_t read_register(unsigned number) = 0;
    virtual void write_register(unsigned number, std::uint32_t value) = 0;
    // False: there is nothing, or not all of it. What is not the core's own is reached without side effect or time.
    virtual bool read_memory(std::uint32_t address, std::span<std::uint8_t> into) = 0;
    virtual bool write_memory(std::uint32_t address, std::span<const std::uint8_t> from) = 0;
    // False: there cannot be one.
    virtual bool set_breakpoint(std::uint32_t address, bool on) = 0;
    virtual bool set_watchpoint(watch_kind what, std::uint32_t address, std::uint32_t size, bool on) = 0;
};

class debugger_if {
public:
    virtual ~debugger_if() = default;
    // The core stands before the instruction at its pc; it goes on as told when this returns.
    virtual resume stopped(debug_target_if& core, const stop_reason& why) = 0;
    // Asked once in a while as the core runs: whether it is to stop.
    virtual bool wants_stop() = 0;
};

}  // namespace contraflow::iss
