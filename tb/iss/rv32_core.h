// SPDX-License-Identifier: Apache-2.0
// An RV32IMC core as a TLM-2.0 initiator. Unicorn executes the instructions. This class adds their cost, the control
// registers, interrupts and the order with the rest of the machine.
//
// The core runs ahead of simulated time, by `quantum` cycles at most, as long as it uses only its own memories. Before
// it touches anything else (the bus, a control register) it waits until simulated time has caught up. If an interrupt
// comes meanwhile, the instructions after it are undone, and execution is repeated up to the first instruction boundary
// at or after it. So everything happens at its exact time for any quantum. Within one instant, a bus access comes after
// what the scheduler does at that time; an interrupt that is raised in the first delta cycle counts at a boundary of
// that instant, a later one at the next boundary.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "core/scheduler.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "iss/csr_file.h"
#include "iss/debugging.h"
#include "iss/elf_file.h"
#include "iss/instruction.h"
#include "iss/routine_profile.h"
#include "iss/rv32_spec.h"
#include "observe/statistics.h"

struct uc_struct;
struct uc_context;

namespace contraflow::iss {

class gdb_server;

// Ends the run: "nic.core: illegal instruction 0x00000000 at pc 0x104 in 'main'", one line.
class firmware_crash : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Ends the run: the debugger has killed the program, or the wait for a debugger was given up.
class killed_by_debugger : public std::runtime_error {
public:
    // `met`: there was a debugger.
    killed_by_debugger(const std::string& core, bool met)
        : std::runtime_error(core + (met ? ": killed by the debugger" : ": no debugger came")),
          met_(met) {}
    // What the run did then: it was stopped while ...
    const char* meanwhile() const { return met_ ? "a debugger had its firmware" : "it waited for a debugger"; }

private:
    bool met_;
};

class rv32_core : public sc_core::sc_module, public core::waiter_if {
public:
    SC_HAS_PROCESS(rv32_core);
    rv32_core(const sc_core::sc_module_name& name, const rv32_spec& spec, core::scheduler& events,
              observe::statistics& statistics);
    ~rv32_core() override;

    // Accesses outside the core's own memories: b_transport of 1, 2 or 4 bytes, aligned. It may wait and may add to the
    // delay; the core stands until both are over.
    tlm_utils::simple_initiator_socket<rv32_core> bus;

    // Call before the run. A segment outside the core's memories is an elf_error.
    void load(const elf_file& program);
    // Null: no debugger.
    void set_debugger(gdb_server* debugger) { debugger_ = debugger; }
    void set_trace(observe::trace* trace) { profile_.set_trace(trace, name(), spec_.clock); }
    // A bit for each routine, set while the core is in it. Call it when the program has been loaded.
    void set_waves(observe::wave_sink_if& waves, const std::string& scope) {
        profile_.set_waves(waves, scope, spec_.clock);
    }

    // Sets the level of an interrupt line from now on. Local lines: interrupt_line::local + n.
    void set_interrupt(unsigned line, bool level);
    void set_interrupt(interrupt_line line, bool level) { set_interrupt(static_cast<unsigned>(line), level); }

    // Counts of the core's final work. Simulated time may be up to an instruction behind.
    std::uint64_t instructions() const { return kept_.instructions; }
    std::uint64_t cycles() const { return kept_.cycles; }
    std::uint32_t pc() const { return kept_.pc; }
    std::string routine() const { return profile_.name(profile_.at(kept_.pc)); }
    bool waits_for_interrupt() const { return wfi_; }
    const routine_profile& profile() const { return profile_; }
    // Counts of the host's work: instructions run again because of an interrupt, and waits for simulated time.
    std::uint64_t undone() const { return undone_; }
    std::uint64_t synchronised() const { return synchronised_; }
    // Accounts for the time up to now and ends the open slice of the trace; call it at the end of the run.
    void finish();

    // The core's own memory, for loading and checking; empty unless the range lies in one memory.
    std::span<std::uint8_t> memory(std::uint32_t address, std::uint32_t size);
    // The present values, which may be ahead of simulated time.
    std::uint32_t read_register(unsigned number);

    // "is in 'poll' at pc 0x44; last bus access: load of 0x40000000 at 12us".
    std::string whereabouts() const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    // For a debugger, while the core, and with it simulated time, is stopped.
    static constexpr unsigned pc_register = 32;  // after x0 to x31
    void write_register(unsigned number, std::uint32_t value);
    // False if there is no memory or only for a part. Memory outside the core is accessed without side effects or time.
    bool read_memory(std::uint32_t address, std::span<std::uint8_t> into);
    bool write_memory(std::uint32_t address, std::span<const std::uint8_t> from);
    // False if there cannot be one.
    bool set_breakpoint(std::uint32_t address, bool on);
    bool set_watchpoint(watch_kind what, std::uint32_t address, std::uint32_t size, bool on);

private:
    enum attention : std::uint8_t {  // why an instruction needs more than the emulator
        undecoded = 1,
        trapping = 2,  // illegal, or no memory to fetch it from
        system = 4,
        outside = 8,  // has accessed something other than memory once
        breakpoint = 16,
    };
    struct decoded {
        std::uint16_t cost = 0;
        std::int16_t taken = 0;  // extra cost if the next instruction is not the following one
        routine_profile::routine routine = 0;
        std::uint8_t length = 4;
        std::uint8_t attention = undecoded;
    };
    enum class outcome { undo, interrupt, system, debug, crash };
    struct position {  // the state that running changes, apart from registers and memory
        std::uint64_t cycles = 0;
        std::uint64_t instructions = 0;
        std::uint32_t pc = 0;
        routine_profile::routine routine = 0;
    };
    struct old_word {
        std::uint32_t offset;
        std::uint32_t value;
    };
    struct stay {
        std::uint64_t cycle;
        routine_profile::routine routine;
        bool at_its_first;
    };
    struct bus_access {
        bool write = false;
        std::uint32_t address = 0;
        unsigned size = 0;
        core::sim_time at{};
    };
    struct watchpoint {
        watch_kind what;
        std::uint32_t address;
        std::uint32_t size;
    };
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    // How often a core that waits for an interrupt asks its debugger.
    static constexpr core::sim_time debugger_look = core::sim_time::from_us(100);

    struct hooks;  // functions that Unicorn calls
    friend struct hooks;

    void end_of_elaboration() override;
    void run();
    void execute();
    void on_instruction(std::uint32_t pc);
    void on_rare_instruction(std::uint32_t pc, decoded& entry);
    void begin(std::uint32_t pc, const decoded& entry);
    void on_access(bool write, std::uint32_t address, unsigned size);
    bool attend(std::uint32_t pc, decoded& entry);
    bool stop_for_debugger(const decoded& entry);
    void elsewhere(bool write, std::uint32_t address, unsigned size);
    void watch(bool write, std::uint32_t address, unsigned size);
    void note_stay(std::uint32_t pc, routine_profile::routine now);
    void decode(std::uint32_t pc, decoded& entry);
    void leave(outcome why, std::uint32_t pc);

    bool catch_up();
    void keep(std::uint32_t pc);
    void undo();
    void wake() { wake_.notify(sc_core::SC_ZERO_TIME); }
    std::uint64_t cycle_at_or_after(core::sim_time t) const;
    std::uint64_t interrupt_cycle() const;

    void take_interrupt();
    void execute_system();
    void wait_for_interrupt();
    std::uint32_t access_bus(bool write, std::uint32_t value);
    void debug(stop_reason why);
    [[noreturn]] void end_run();
    [[noreturn]] void end_by_debugger();
    std::string place(std::uint32_t pc) const;
    std::string instruction_text(std::uint32_t pc) const;

    unsigned debug_transport(bool write, std::uint32_t address, std::uint8_t* bytes, std::size_t size);

    const rv32_spec spec_;
    core::scheduler& events_;
    uc_struct* emulator_ = nullptr;
    uc_context* kept_registers_ = nullptr;
    std::unique_ptr<std::uint8_t[]> code_, data_;
    std::uint32_t code_base_, code_size_, data_base_, data_size_;
    std::int32_t code_load_more_;  // more than a load from the data memory
    std::vector<decoded> table_;   // by half-word of the code memory
    decoded* const entries_;       // its elements
    decoded nowhere_;

    // The fast path.
    std::uint64_t cycles_ = 0;  // start of the current instruction
    std::uint64_t limit_ = 0;   // the core must check for events here
    std::uint64_t instructions_ = 0;
    std::uint32_t next_pc_ = 0;
    std::uint32_t pc_ = 0;
    std::int16_t taken_ = 0;
    routine_profile::routine routine_ = 0;
    bool watching_ = false;
    std::vector<old_word> overwritten_;  // since the kept position
    std::vector<stay> stays_;

    // The position that can no longer be undone.
    position kept_;
    bool keep_next_ = true;              // the next boundary follows something that cannot be undone
    std::uint64_t ahead_;                // adapts to how often work was undone
    std::uint64_t arranged_ = never;     // an interrupt of that cycle is taken at the current boundary
    std::uint64_t standing_at_ = never;  // number of the instruction that simulated time has reached
    bool leaving_ = false;
    outcome outcome_ = outcome::undo;

    csr_file csr_;
    core::sim_time raised_[32] = {};
    bool waiting_ = false;
    bool wfi_ = false;
    core::sim_time waiting_since_{};
    sc_core::sc_event wake_;
    sc_core::sc_event ended_;  // never notified
    core::timer<&rv32_core::wake> timer_;

    tlm::tlm_generic_payload payload_;
    std::string peer_;  // at the other end of the bus
    bool bus_due_ = false;
    bool bus_waits_ = false;
    bus_access last_access_;
    bool accessed_ = false;
    std::string crash_;

    gdb_server* debugger_ = nullptr;
    std::vector<watchpoint> watchpoints_;
    bool step_ = false;
    bool begun_ = false;
    std::uint64_t resumed_at_ = never;  // number of the instruction whose breakpoint was served
    bool stop_asked_ = false;
    bool watch_hit_ = false;
    stop_reason watch_;  // why it stops next

    routine_profile profile_;
    std::uint64_t undone_ = 0;
    std::uint64_t synchronised_ = 0;
    observe::counter stat_instructions_, stat_cycles_, stat_idle_, stat_loads_, stat_stores_, stat_interrupts_;
};

}  // namespace contraflow::iss
