// SPDX-License-Identifier: Apache-2.0
#include "iss/rv32_core.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <sysc/kernel/sc_simcontext.h>
#include <unicorn/unicorn.h>

#include "iss/gdb_server.h"
#include "memory/port/peer_name.h"

namespace contraflow::iss {
namespace {

constexpr std::uint64_t address_space = std::uint64_t{1} << 32;
// there is no instruction here, so execution never ends by address
constexpr std::uint64_t nowhere = ~std::uint64_t{0};
constexpr std::uint64_t least_ahead = 64;
constexpr std::size_t stack_bytes = 512u << 10;  // the emulator translates on the thread's stack

void must(uc_err error, const char* what) {
    if (error != UC_ERR_OK) throw std::runtime_error(fmt::format("Unicorn: {}: {}", what, uc_strerror(error)));
}

}  // namespace

struct rv32_core::hooks {
    static void instruction(uc_engine*, std::uint64_t pc, std::uint32_t, void* core) {
        static_cast<rv32_core*>(core)->on_instruction(static_cast<std::uint32_t>(pc));
    }
    static void access(uc_engine*, uc_mem_type type, std::uint64_t address, int size, std::int64_t, void* core) {
        static_cast<rv32_core*>(core)->on_access(type == UC_MEM_WRITE, static_cast<std::uint32_t>(address),
                                                 static_cast<unsigned>(size));
    }
    static std::uint64_t load(uc_engine*, std::uint64_t, unsigned, void* core) {
        return static_cast<rv32_core*>(core)->access_bus(false, 0);
    }
    static void store(uc_engine*, std::uint64_t, unsigned, std::uint64_t value, void* core) {
        static_cast<rv32_core*>(core)->access_bus(true, static_cast<std::uint32_t>(value));
    }
};

rv32_core::rv32_core(const sc_core::sc_module_name& name, const rv32_spec& spec, core::scheduler& events,
                     observe::statistics& statistics)
    : sc_module(name),
      bus("bus"),
      spec_(spec),
      events_(events),
      code_(new std::uint8_t[spec.code.size.count]()),
      data_(new std::uint8_t[spec.data.size.count]()),
      code_base_(static_cast<std::uint32_t>(spec.code.base)),
      code_size_(static_cast<std::uint32_t>(spec.code.size.count)),
      data_base_(static_cast<std::uint32_t>(spec.data.base)),
      data_size_(static_cast<std::uint32_t>(spec.data.size.count)),
      code_load_more_(static_cast<std::int32_t>(spec.code.load.count) -
                      static_cast<std::int32_t>(spec.data.load.count)),
      table_(code_size_ / 2),
      entries_(table_.data()),
      ahead_(spec.quantum.count),
      csr_(spec.hart),
      timer_(events, *this),
      stat_instructions_(statistics, std::string(this->name()) + ".instructions", "instructions", "executed"),
      stat_cycles_(statistics, std::string(this->name()) + ".cycles", "cycles", "run, with those spent waiting"),
      stat_idle_(statistics, std::string(this->name()) + ".idle", "cycles",
                 "cycles in wfi, until an interrupt was pending"),
      stat_loads_(statistics, std::string(this->name()) + ".bus_loads", "accesses", "loads over the bus"),
      stat_stores_(statistics, std::string(this->name()) + ".bus_stores", "accesses", "stores over the bus"),
      stat_interrupts_(statistics, std::string(this->name()) + ".interrupts", "interrupts", "taken") {
    struct range {
        std::uint64_t begin, end;
    };
    range first{code_base_, code_base_ + spec.code.size.count};
    range second{data_base_, data_base_ + spec.data.size.count};
    if (second.begin < first.begin) std::swap(first, second);
    for (const config::problem& p : problems_of(spec))
        throw std::invalid_argument(fmt::format("{}: {}", this->name(), p.message));

    must(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &emulator_), "open");
    must(uc_mem_map_ptr(emulator_, code_base_, code_size_, UC_PROT_READ | UC_PROT_EXEC, code_.get()), "code memory");
    must(uc_mem_map_ptr(emulator_, data_base_, data_size_, UC_PROT_READ | UC_PROT_WRITE, data_.get()), "data memory");
    for (const range gap : {range{0, first.begin}, range{first.end, second.begin}, range{second.end, address_space}}) {
        if (gap.begin == gap.end) continue;
        must(uc_mmio_map(emulator_, gap.begin, gap.end - gap.begin, hooks::load, this, hooks::store, this), "bus");
    }
    uc_hook hook = 0;
    must(uc_hook_add(emulator_, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(hooks::instruction), this, 1, 0), "hook");
    must(uc_hook_add(emulator_, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(hooks::access),
                     this, 1, 0),
         "hook");
    must(uc_context_alloc(emulator_, &kept_registers_), "context");
    kept_.pc = pc_ = static_cast<std::uint32_t>(spec.reset_pc);

    events_.keep_kernel_time();  // callbacks notify wake_, and count the instant's delta cycles
    SC_THREAD(run);
    set_stack_size(stack_bytes);
}

rv32_core::~rv32_core() {
    uc_context_free(kept_registers_);
    uc_close(emulator_);
}

void rv32_core::load(const elf_file& program) {
    for (const auto& s : program.segments()) {
        const auto place = memory(s.address, static_cast<std::uint32_t>(s.bytes.size()));
        if (place.empty())
            throw elf_error(fmt::format("{}: its segment at {:#x} of {} bytes lies outside of the memories of {}",
                                        program.name(), s.address, s.bytes.size(), name()));
        std::copy(s.bytes.begin(), s.bytes.end(), place.begin());
    }
    std::fill(table_.begin(), table_.end(), decoded{});
    profile_.load(program.functions());
    kept_.pc = pc_ = program.entry();
}

std::span<std::uint8_t> rv32_core::memory(std::uint32_t address, std::uint32_t size) {
    if (const std::uint32_t at = address - code_base_; at < code_size_ && size <= code_size_ - at)
        return {code_.get() + at, size};
    if (const std::uint32_t at = address - data_base_; at < data_size_ && size <= data_size_ - at)
        return {data_.get() + at, size};
    return {};
}

// --- time -----------------------------------------------------------------------------------------------------------

std::uint64_t rv32_core::cycle_at_or_after(core::sim_time t) const {
    auto n = static_cast<std::uint64_t>(t.seconds() * spec_.clock.hz);
    while (n > 0 && spec_.clock.time_of({n - 1}) >= t) --n;
    while (spec_.clock.time_of({n}) < t) ++n;
    return n;
}

// The first cycle at or after the oldest pending interrupt.
std::uint64_t rv32_core::interrupt_cycle() const {
    const std::uint32_t pending = csr_.lines() & csr_.interrupting_lines();
    if (pending == 0) return never;
    core::sim_time first = core::sim_time::never();
    for (unsigned line = 0; line < 32; ++line) {
        if (pending >> line & 1) first = std::min(first, raised_[line]);
    }
    return cycle_at_or_after(first);
}

void rv32_core::set_interrupt(unsigned line, bool level) {
    const std::uint32_t before = csr_.lines();
    csr_.set_line(line, level);
    const std::uint32_t risen = csr_.lines() & ~before;
    if (risen == 0) return;
    // The core acts in the second delta cycle of an instant at the earliest. A later interrupt counts from the next
    // boundary.
    const bool late = sc_core::sc_get_curr_simcontext()->delta_count_at_current_time() > 0;
    raised_[line] = events_.now() + core::sim_time{late ? 1u : 0u};
    if (waiting_ && (risen & (wfi_ ? csr_.waking_lines() : csr_.interrupting_lines()))) wake();
}

// Waits until simulated time has reached the current boundary. False if an interrupt needs an earlier one.
bool rv32_core::catch_up() {
    const core::sim_time here = spec_.clock.time_of({cycles_});
    ++synchronised_;
    while (events_.now() < here) {
        const std::uint64_t interrupt = interrupt_cycle();
        if (interrupt < cycles_ && interrupt != arranged_ && kept_.cycles < cycles_) {
            arranged_ = interrupt;
            ahead_ = std::max(std::min(least_ahead, spec_.quantum.count), ahead_ / 2);
            timer_.cancel();
            return false;
        }
        waiting_ = true;
        if (!timer_.armed()) timer_.arm(here);
        sc_core::wait(wake_);
        waiting_ = false;
    }
    timer_.cancel();
    if (arranged_ <= cycles_) arranged_ = never;
    return true;
}

// Makes everything that was run so far final.
void rv32_core::keep(std::uint32_t pc) {
    uc_context_save(emulator_, kept_registers_);
    for (const stay& s : stays_) profile_.enter(s.routine, s.at_its_first, s.cycle);
    profile_.advance(cycles_);
    stat_instructions_ += instructions_ - kept_.instructions;
    stat_cycles_ += cycles_ - kept_.cycles;
    stays_.clear();
    overwritten_.clear();
    kept_ = {cycles_, instructions_, pc, routine_};
    if (const std::uint64_t interrupt = interrupt_cycle(); interrupt > cycles_) arranged_ = interrupt;
    limit_ = std::min(cycles_ + (step_ ? 1 : ahead_), arranged_);
}

void rv32_core::undo() {
    uc_context_restore(emulator_, kept_registers_);
    for (auto word = overwritten_.rbegin(); word != overwritten_.rend(); ++word)
        std::memcpy(data_.get() + word->offset, &word->value, sizeof word->value);
    undone_ += instructions_ - kept_.instructions;
    overwritten_.clear();
    stays_.clear();
    watch_hit_ = false;
    cycles_ = kept_.cycles;
    instructions_ = kept_.instructions;
    routine_ = kept_.routine;
    pc_ = next_pc_ = kept_.pc;
    taken_ = 0;
    limit_ = std::min(cycles_ + (step_ ? 1 : ahead_), arranged_);
}

// --- called by the emulator -----------------------------------------------------------------------------------------

// Called for every instruction, so it calls other functions only at its end.
void rv32_core::on_instruction(std::uint32_t pc) {
    const std::uint32_t index = (pc - code_base_) >> 1;
    if (index >= code_size_ / 2) [[unlikely]]
        return on_rare_instruction(pc, nowhere_);
    decoded& entry = entries_[index];
    const std::uint64_t now = cycles_ + (pc != next_pc_ ? static_cast<std::uint64_t>(std::int64_t{taken_}) : 0);
    if (now >= limit_ || entry.attention != 0 || entry.routine != routine_) [[unlikely]]
        return on_rare_instruction(pc, entry);
    cycles_ = now;
    begin(pc, entry);
}

inline void rv32_core::begin(std::uint32_t pc, const decoded& entry) {
    cycles_ += entry.cost;
    next_pc_ = pc + entry.length;
    taken_ = entry.taken;
    pc_ = pc;
    ++instructions_;
}

void rv32_core::on_rare_instruction(std::uint32_t pc, decoded& entry) {
    if (pc != next_pc_) {
        cycles_ += static_cast<std::uint64_t>(std::int64_t{taken_});
        next_pc_ = pc;
        taken_ = 0;
    }
    if ((cycles_ >= limit_ || entry.attention != 0) && !attend(pc, entry)) return;
    if (entry.routine != routine_) note_stay(pc, entry.routine);
    begin(pc, entry);
}

void rv32_core::note_stay(std::uint32_t pc, routine_profile::routine now) {
    stays_.push_back({cycles_, now, profile_.begins(now, pc)});
    routine_ = now;
}

// Called before an instruction that needs attention. False: leave the emulator; the instruction is not run.
bool rv32_core::attend(std::uint32_t pc, decoded& entry) {
    if (leaving_) return false;
    if (entry.attention & undecoded) decode(pc, entry);
    bool stand = false;
    if (keep_next_) {
        keep_next_ = false;
        keep(pc);
        stand = interrupt_cycle() != never;
    }
    stand = stand || cycles_ >= limit_ || entry.attention != 0 || (debugger_ && !begun_);
    if (!stand) return true;

    const bool whole = cycles_ >= kept_.cycles + ahead_;
    if (!catch_up()) {
        leave(outcome::undo, pc);
        return false;
    }
    if (whole) ahead_ = std::min(spec_.quantum.count, ahead_ * 2);
    keep(pc);
    if (interrupt_cycle() <= cycles_) {
        leave(outcome::interrupt, pc);
    } else if (stop_for_debugger(entry)) {
        leave(outcome::debug, pc);
    } else if (entry.attention & trapping) {
        crash_ = (pc - code_base_) < code_size_ ? fmt::format("illegal instruction {}", instruction_text(pc))
                                                : std::string("no memory to fetch an instruction from");
        leave(outcome::crash, pc);
    } else if (entry.attention & system) {
        leave(outcome::system, pc);
    } else {
        standing_at_ = instructions_;
        return true;
    }
    return false;
}

void rv32_core::leave(outcome why, std::uint32_t pc) {
    leaving_ = true;
    outcome_ = why;
    pc_ = pc;
    limit_ = 0;
    uc_emu_stop(emulator_);
}

void rv32_core::decode(std::uint32_t pc, decoded& entry) {
    entry.attention &= breakpoint;
    const std::uint32_t at = pc - code_base_;
    std::uint32_t bits = 0;
    if (at < code_size_) std::memcpy(&bits, code_.get() + at, std::min<std::uint32_t>(4, code_size_ - at));
    const instruction decoded_here = classify(bits);
    const cycle_table& cost = spec_.cycles;
    const auto costs = [&entry](core::cycles c) { entry.cost = static_cast<std::uint16_t>(c.count); };
    entry.taken = 0;
    entry.length = decoded_here.length;
    entry.routine = profile_.at(pc);
    switch (at < code_size_ ? decoded_here.what : instruction_class::illegal) {
    case instruction_class::alu: costs(cost.alu); break;
    case instruction_class::multiply: costs(cost.multiply); break;
    case instruction_class::divide: costs(cost.divide); break;
    case instruction_class::load: costs(spec_.data.load); break;
    case instruction_class::store: costs(spec_.data.store); break;
    case instruction_class::jump: costs(cost.jump); break;
    case instruction_class::branch:
        costs(cost.branch_untaken);
        entry.taken = static_cast<std::int16_t>(static_cast<int>(cost.branch_taken.count) -
                                                static_cast<int>(cost.branch_untaken.count));
        break;
    case instruction_class::system: entry.attention |= system; break;
    case instruction_class::illegal: entry.attention |= trapping; break;
    }
}

void rv32_core::on_access(bool write, std::uint32_t address, unsigned size) {
    const std::uint32_t offset = address - data_base_;
    const bool aligned = (address & (size - 1)) == 0;
    if (offset >= data_size_ || size > data_size_ - offset || (!aligned && !spec_.misaligned)) [[unlikely]] {
        elsewhere(write, address, size);
        return;
    }
    if (write) {
        for (std::uint32_t at = offset & ~3u; at < offset + size; at += 4) {
            old_word old{at, 0};
            std::memcpy(&old.value, data_.get() + at, sizeof old.value);
            overwritten_.push_back(old);
        }
    }
    if (watching_) [[unlikely]]
        watch(write, address, size);
}

// Handles an access that is not a plain access to the data memory.
void rv32_core::elsewhere(bool write, std::uint32_t address, unsigned size) {
    if (leaving_) return;
    const bool aligned = (address & (size - 1)) == 0;
    const std::uint32_t offset = address - code_base_;
    const bool in_code = offset < code_size_ && size <= code_size_ - offset;
    if (in_code && !write && (aligned || spec_.misaligned)) {
        cycles_ += static_cast<std::uint64_t>(std::int64_t{code_load_more_});
        if (watching_) watch(write, address, size);
        return;
    }
    // Time must catch up first; this is then done again.
    if (standing_at_ + 1 != instructions_) {
        table_[(pc_ - code_base_) >> 1].attention |= outside;
        leave(outcome::undo, pc_);
        return;
    }
    const char* const what = write ? "store to" : "load from";
    if (!aligned) {
        crash_ = fmt::format("misaligned {} {:#x}", what, address);
        leave(outcome::crash, pc_);
    } else if (in_code) {
        crash_ = fmt::format("{} {:#x}, which is code memory", what, address);
        leave(outcome::crash, pc_);
    } else {
        last_access_ = {write, address, size, events_.now()};
        accessed_ = bus_due_ = true;
        if (watching_) watch(write, address, size);
    }
}

std::uint32_t rv32_core::access_bus(bool write, std::uint32_t value) {
    if (!bus_due_) return 0;  // must not be done, or was a fetch
    bus_due_ = false;
    payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload_.set_address(last_access_.address);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload_.set_data_length(last_access_.size);
    payload_.set_streaming_width(last_access_.size);
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    bus_waits_ = true;
    bus->b_transport(payload_, delay);
    bus_waits_ = false;
    ++(write ? stat_stores_ : stat_loads_);

    const std::uint64_t answered = cycle_at_or_after(events_.now() + core::sim_time{delay.value()});
    cycles_ = answered + (write ? spec_.cycles.bus_store : spec_.cycles.bus_load).count;
    keep_next_ = true;
    limit_ = 0;
    if (!payload_.is_response_ok()) {
        crash_ = fmt::format("{} {:#x}: {}", write ? "store to" : "load from", last_access_.address,
                             payload_.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE
                                 ? std::string("there is nothing")
                                 : "the bus answered with " + payload_.get_response_string());
        leave(outcome::crash, pc_);
    }
    return value;
}

void rv32_core::end_of_elaboration() { peer_ = memory::instance_behind(bus.get_interface(), bus); }

// --- the thread -----------------------------------------------------------------------------------------------------

void rv32_core::run() {
    keep_next_ = true;
    for (;;) {
        execute();
        switch (outcome_) {
        case outcome::undo: undo(); break;
        case outcome::interrupt: take_interrupt(); break;
        case outcome::system: execute_system(); break;
        case outcome::debug: debug(watch_); break;
        case outcome::crash: end_run(); break;
        }
    }
}

void rv32_core::execute() {
    leaving_ = false;
    next_pc_ = pc_;
    taken_ = 0;
    if (keep_next_) limit_ = 0;
    const uc_err error = uc_emu_start(emulator_, pc_, nowhere, 0, 0);
    if (leaving_) return;
    // The fetch failed: no instruction's hook was called, and the one before may have been a branch.
    uc_reg_read(emulator_, UC_RISCV_REG_PC, &pc_);
    if (pc_ != next_pc_) cycles_ += static_cast<std::uint64_t>(std::int64_t{taken_});
    if (keep_next_) {
        keep_next_ = false;
        keep(pc_);
    }
    if (!catch_up()) {
        outcome_ = outcome::undo;
        return;
    }
    keep(pc_);
    crash_ = (error == UC_ERR_FETCH_PROT || error == UC_ERR_FETCH_UNMAPPED)
                 ? std::string("no memory to fetch an instruction from")
                 : fmt::format("the emulator stopped: {}", uc_strerror(error));
    outcome_ = interrupt_cycle() <= cycles_ ? outcome::interrupt : outcome::crash;
}

void rv32_core::take_interrupt() {
    const std::uint32_t pending = csr_.lines() & csr_.interrupting_lines();
    pc_ = csr_.enter_interrupt(csr_file::first_of(pending), pc_);
    cycles_ += spec_.cycles.trap_entry.count;
    ++stat_interrupts_;
    keep_next_ = true;
}

// Control registers, wfi, mret, ecall and ebreak. Simulated time is at the instruction.
void rv32_core::execute_system() {
    const std::uint32_t at = pc_ - code_base_;
    std::uint32_t bits = 0;
    std::memcpy(&bits, code_.get() + at, std::min<std::uint32_t>(4, code_size_ - at));
    decoded& entry = table_[at >> 1];
    const std::uint32_t next = pc_ + entry.length;
    const auto illegal = [this] {
        crash_ = fmt::format("illegal instruction {}", instruction_text(pc_));
        end_run();
    };
    if (entry.routine != routine_) note_stay(pc_, entry.routine);

    const csr_file::counters now{cycles_, instructions_};
    ++instructions_;
    keep_next_ = true;
    cycles_ += spec_.cycles.csr.count;
    const unsigned funct3 = bits >> 12 & 7;
    if (entry.length == 2 || bits == 0x0010'0073) {  // ebreak
        crash_ = "ebreak";
        end_run();
    } else if (bits == 0x0000'0073) {  // ecall
        if (!csr_.has_handler()) {
            crash_ = "ecall without a trap handler";
            end_run();
        }
        cycles_ += spec_.cycles.trap_entry.count - spec_.cycles.csr.count;
        pc_ = csr_.enter_exception(11, 0, pc_);
    } else if (bits == 0x3020'0073) {  // mret
        cycles_ += spec_.cycles.trap_return.count - spec_.cycles.csr.count;
        pc_ = csr_.leave_trap();
    } else if (bits == 0x1050'0073) {
        wait_for_interrupt();
        pc_ = next;
    } else if (funct3 == 0) {
        illegal();
    } else {
        const unsigned number = bits >> 20;
        const unsigned rd = bits >> 7 & 31;
        const unsigned rs1 = bits >> 15 & 31;
        const std::uint32_t operand = funct3 & 4 ? rs1 : read_register(rs1);
        const bool writes = (funct3 & 3) == 1 || rs1 != 0;
        const auto old = csr_.read(number, now);
        if (!old) illegal();
        const std::uint32_t value = (funct3 & 3) == 1 ? operand : (funct3 & 3) == 2 ? *old | operand : *old & ~operand;
        if (writes && !csr_.write(number, value, now)) illegal();
        if (rd != 0) write_register(rd, *old);
        pc_ = next;
    }
}

void rv32_core::wait_for_interrupt() {
    if (csr_.lines() & csr_.waking_lines()) return;
    // Everything before is final, and must be visible while the core waits.
    const std::uint64_t begin = cycles_;
    wfi_ = true;
    waiting_since_ = events_.now();
    while (!(csr_.lines() & csr_.waking_lines())) {
        waiting_ = true;
        // Where nothing else will happen the run ends, and the debugger hears of that.
        if (debugger_ && sc_core::sc_pending_activity()) timer_.arm_after(debugger_look);
        sc_core::wait(wake_);
        waiting_ = false;
        if (debugger_ && debugger_->wants_stop()) {
            stop_asked_ = true;
            break;
        }
    }
    timer_.cancel();
    wfi_ = false;
    core::sim_time woken = events_.now();
    for (unsigned line = 0; line < 32; ++line) {
        if (csr_.lines() & csr_.waking_lines() & 1u << line) woken = std::max(woken, raised_[line]);
    }
    cycles_ = std::max(begin, cycle_at_or_after(woken));
    if (cycles_ == begin) return;
    stat_idle_ += cycles_ - begin;
    stays_.push_back({begin, routine_profile::idle, false});
    stays_.push_back({cycles_, routine_, false});
}

void rv32_core::finish() {
    const std::uint64_t now = cycle_at_or_after(events_.now());
    if (now > kept_.cycles) {
        if (wfi_) {
            for (const stay& s : stays_) profile_.enter(s.routine, s.at_its_first, s.cycle);
            stays_.clear();
            profile_.enter(routine_profile::idle, false, std::min(now, cycles_));
            stat_idle_ += now - std::min(now, cycles_);
        }
        profile_.advance(now);
        stat_cycles_ += now - kept_.cycles;
        kept_.cycles = now;
    }
    profile_.end_trace(profile_.total());
}

// The kernel would turn an exception thrown here into its own report.
void rv32_core::end_run() {
    crash_ = fmt::format("{}: {} at {}", name(), crash_, place(pc_));
    if (debugger_) {
        stop_reason why;
        why.what = stop_reason::kind::crash;
        if (debugger_->stopped(*this, why) == resume::kill) end_by_debugger();
    }
    events_.fail(std::make_exception_ptr(firmware_crash(crash_)));
    for (;;) sc_core::wait(ended_);
}

void rv32_core::end_by_debugger() {
    events_.fail(std::make_exception_ptr(killed_by_debugger(name(), debugger_->met())));
    for (;;) sc_core::wait(ended_);
}

// --- reports --------------------------------------------------------------------------------------------------------

std::string rv32_core::place(std::uint32_t pc) const {
    return fmt::format("pc {:#x} in '{}'", pc, profile_.name(profile_.at(pc)));
}

std::string rv32_core::instruction_text(std::uint32_t pc) const {
    std::uint32_t bits = 0;
    const std::uint32_t at = pc - code_base_;
    std::memcpy(&bits, code_.get() + at, std::min<std::uint32_t>(4, code_size_ - at));
    return (bits & 3) == 3 ? fmt::format("{:#010x}", bits) : fmt::format("{:#06x}", bits & 0xffff);
}

std::string rv32_core::whereabouts() const {
    std::string text = place(wfi_ || bus_waits_ ? pc_ : kept_.pc);
    if (accessed_)
        text += fmt::format("; last bus access: {} {:#x} at {}", last_access_.write ? "store to" : "load from",
                            last_access_.address, core::rounded_text(last_access_.at));
    return text;
}

void rv32_core::report_waits(std::vector<core::wait_edge>& edges) const {
    if (wfi_) {
        edges.push_back(
            {name(), "an interrupt at " + whereabouts(), std::string(name()) + ".interrupts", waiting_since_});
    } else if (bus_waits_) {
        edges.push_back({name(), "an answer at " + whereabouts(), peer_, last_access_.at});
    } else if (accessed_) {
        // It runs: if nothing moves, it polls the address it read last.
        edges.push_back({name(), "something else while it runs at " + whereabouts(), peer_, last_access_.at});
    }
}

// --- the debugger's view --------------------------------------------------------------------------------------------

bool rv32_core::stop_for_debugger(const decoded& entry) {
    if (!debugger_ || resumed_at_ == instructions_) return false;
    using kind = stop_reason::kind;
    if (watch_hit_) {
        // watch_ tells what.
    } else if (!begun_) {
        watch_ = {};
    } else if (entry.attention & breakpoint) {
        watch_ = {kind::breakpoint};
    } else if (step_) {
        watch_ = {kind::step};
    } else if (stop_asked_ || debugger_->wants_stop()) {
        watch_ = {kind::asked};
    } else {
        return false;
    }
    return true;
}

void rv32_core::debug(stop_reason why) {
    begun_ = true;
    watch_hit_ = stop_asked_ = step_ = false;
    const resume how = debugger_->stopped(*this, why);
    resumed_at_ = instructions_;
    keep_next_ = true;
    switch (how) {
    case resume::go_on: break;
    case resume::step: step_ = true; break;
    case resume::detach:
        debugger_ = nullptr;
        watchpoints_.clear();
        watching_ = false;
        for (decoded& d : table_) d.attention &= static_cast<std::uint8_t>(~breakpoint);
        break;
    case resume::kill: end_by_debugger();
    }
}

void rv32_core::watch(bool write, std::uint32_t address, unsigned size) {
    if (watch_hit_) return;
    for (const watchpoint& w : watchpoints_) {
        const bool overlaps = address < std::uint64_t{w.address} + w.size && w.address < std::uint64_t{address} + size;
        if (!overlaps || w.what == (write ? watch_kind::read : watch_kind::write)) continue;
        watch_hit_ = true;
        watch_ = {stop_reason::kind::watchpoint, w.what, std::max(address, w.address)};
        limit_ = 0;
        return;
    }
}

std::uint32_t rv32_core::read_register(unsigned number) {
    if (number == pc_register) return pc_;
    std::uint32_t value = 0;
    if (number != 0) uc_reg_read(emulator_, UC_RISCV_REG_X0 + static_cast<int>(number), &value);
    return value;
}

void rv32_core::write_register(unsigned number, std::uint32_t value) {
    if (number == pc_register)
        pc_ = value & ~1u;
    else if (number != 0)
        uc_reg_write(emulator_, UC_RISCV_REG_X0 + static_cast<int>(number), &value);
}

unsigned rv32_core::debug_transport(bool write, std::uint32_t address, std::uint8_t* bytes, std::size_t size) {
    tlm::tlm_generic_payload p;
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(address);
    p.set_data_ptr(bytes);
    p.set_data_length(static_cast<unsigned>(size));
    p.set_streaming_width(static_cast<unsigned>(size));
    return bus->transport_dbg(p);
}

bool rv32_core::read_memory(std::uint32_t address, std::span<std::uint8_t> into) {
    const auto own = memory(address, static_cast<std::uint32_t>(into.size()));
    if (own.empty()) return debug_transport(false, address, into.data(), into.size()) == into.size();
    std::copy(own.begin(), own.end(), into.begin());
    return true;
}

bool rv32_core::write_memory(std::uint32_t address, std::span<const std::uint8_t> from) {
    const auto own = memory(address, static_cast<std::uint32_t>(from.size()));
    if (own.empty()) {
        std::vector<std::uint8_t> bytes(from.begin(), from.end());
        return debug_transport(true, address, bytes.data(), bytes.size()) == bytes.size();
    }
    std::copy(from.begin(), from.end(), own.begin());
    if (const std::uint32_t at = address - code_base_; at < code_size_) {
        const std::size_t last = (at + from.size() - 1) / 2;
        // The instruction before may extend into the changed bytes.
        for (std::size_t i = at / 2 > 0 ? at / 2 - 1 : 0; i <= last; ++i) table_[i].attention |= undecoded;
        uc_ctl_remove_cache(emulator_, std::uint64_t{address}, std::uint64_t{address} + from.size());
    }
    return true;
}

bool rv32_core::set_breakpoint(std::uint32_t address, bool on) {
    const std::uint32_t index = (address - code_base_) >> 1;
    if (address % 2 != 0 || index >= table_.size()) return false;
    auto& attention = table_[index].attention;
    attention = static_cast<std::uint8_t>(on ? attention | breakpoint : attention & ~breakpoint);
    return true;
}

bool rv32_core::set_watchpoint(watch_kind what, std::uint32_t address, std::uint32_t size, bool on) {
    if (size == 0) return false;
    if (on)
        watchpoints_.push_back({what, address, size});
    else
        std::erase_if(watchpoints_,
                      [&](const watchpoint& w) { return w.what == what && w.address == address && w.size == size; });
    watching_ = !watchpoints_.empty();
    return true;
}

}  // namespace contraflow::iss
