// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/suite/disturbance.h"

#include <utility>

#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"
#include "nic_rx/suite/build.h"

namespace contraflow::testing {

namespace regs = nic::nic_rx_registers;

namespace {

constexpr unsigned counters = regs::counter_registers;
constexpr std::uint32_t refused = ~0u;

}  // namespace

disturbance::disturbance(rx_bench& b, core_program* core, cover& c, std::uint64_t seed)
    : b_(b),
      core_(core),
      cover_(c),
      random_(core::mix64(seed ^ 0xd157)) {
    b.core = [this] { cycle(); };
}

void disturbance::hold_commands(bool hold) {
    held_ = hold;
    if (!hold) return;
    b_.in().pause = false;
    for (unsigned i = 0; waiting_ && i < b_.longest_wait; ++i) b_.step();
    if (waiting_) b_.break_rule("a command is not answered");
}

void disturbance::cut_off() {
    held_ = true;
    waiting_ = moves_ = false;
    written_ = {};
}

void disturbance::end() {
    hold_commands(true);
    ended_ = true;
}

void disturbance::check_answer() {
    if (!waiting_ || !b_.command_ended()) return;
    waiting_ = false;
    if (std::exchange(moves_, false)) b_.leave_former_pages(removed_);
    if (any_answer_ ? b_.answer == refused : b_.answer != (refused_ ? refused : 0u))
        b_.break_rule("a command has the wrong answer");
}

void disturbance::cycle() {
    check_answer();
    if (core_ != nullptr && b_.out().irq) core_->serve();
    if (ended_) return;
    // A command that waits for completions, which wait for room in their rings, is answered while commands are held.
    if (reads_rings && (!held_ || waiting_) && random_.below(4) == 0)
        b_.consume_all(static_cast<unsigned>(random_.below(most_rings())));
    b_.in().transmit_irq = random_.below(8) == 0;
    b_.in().task_ready = core_ == nullptr && random_.below(3) == 0;
    if (random_.below(40) == 0) {
        b_.in().pause = !b_.in().pause;
        if (b_.in().pause) cover_.hit(group::pause, 0);
    }
    if (!held_ && !waiting_ && random_.below(50) == 0) command();
    if (random_.below(30) == 0) bus();
}

void disturbance::command() {
    const auto& list = b_.given.buffers;
    std::array<std::uint32_t, 8> data{};
    for (auto& d : data) d = static_cast<std::uint32_t>(random_.next());
    auto opcode = static_cast<std::uint8_t>(1 + random_.below(6));
    auto index = static_cast<std::uint16_t>(random_.next());
    refused_ = any_answer_ = false;
    // The core writes an entry word by word: between its first and its last word nothing is found in it.
    if (opcode == regs::command_opcode_set_buffer && !list.empty() && core_ == nullptr && !keeps_list) {
        const auto& [at, entry] = list[random_.below(list.size())];
        index = static_cast<std::uint16_t>(at);
        data = nic::encode(entry);
        data[7] = static_cast<std::uint32_t>(random_.next());  // of no meaning
        data[0] |= static_cast<std::uint32_t>(random_.below(8)) << 5;
        cover_.hit(group::command, 0);
        cover_.hit(group::list, 2);
    } else if (opcode == regs::command_opcode_invalidate) {
        if (!list.empty() && random_.below(2) == 0) {
            const std::uint64_t root = list[random_.below(list.size())].second.root;
            data[0] = static_cast<std::uint32_t>(root);
            data[1] = static_cast<std::uint32_t>(root >> 32);
            removed_ = root;
            b_.move_pages(removed_);
            moves_ = true;
        }
        cover_.hit(group::command, 2);
        cover_.state(group::invalidate, b_);
    } else if (opcode == regs::command_opcode_invalidate_all) {
        windows_closed = moves_ = true;
        removed_.reset();
        b_.move_pages(removed_);
        cover_.hit(group::command, 5);
    } else if (core_ != nullptr) {
        return;  // the core's program knows the others with good values only
    } else if (opcode == regs::command_opcode_read_counter) {
        if (random_.below(2) == 0) index = static_cast<std::uint16_t>(random_.below(counters));
        refused_ = index >= counters;
        any_answer_ = !refused_;
        cover_.hit(group::command, 4);
    } else {  // refused: what does not exist
        opcode =
            std::array<std::uint8_t, 4>{0, static_cast<std::uint8_t>(7 + random_.below(249)), 1, 2}[random_.below(4)];
        if (opcode == regs::command_opcode_set_ring) index = static_cast<std::uint16_t>(index % 0x100 + built().rings);
        if (opcode == regs::command_opcode_set_buffer) {
            if (random_.below(2) == 0) {
                index = static_cast<std::uint16_t>(index % 0x8000 + built().buffers);
            } else {
                index = static_cast<std::uint16_t>(index % built().buffers);
                data[0] = (data[0] & ~0xfffcu) |
                          (random_.below(2) == 0 || built().rings == 256 ? 5u << 2 : built().rings << 8);
            }
        }
        refused_ = true;
        cover_.hit(group::command, 6);
    }
    b_.begin_command(opcode, index, data);
    waiting_ = true;
}

// The registers that keep what is written: IRQ_ENABLE, LOOKUP_ENTRY, TASK, RING_BASE, RING_ENTRIES, TABLE_SEGMENT.
std::uint32_t disturbance::write_value(unsigned place, std::uint32_t value) {
    if (place == regs::irq_enable.offset / 4) return value & 0x1f;
    return value;
}

void disturbance::bus() {
    const auto value = static_cast<std::uint32_t>(random_.next());
    const auto in = [](unsigned place, const core::mapped_register& r, unsigned count) {
        return place >= r.offset / 4 && place < r.offset / 4 + count;
    };
    const auto place = static_cast<unsigned>(random_.below(80));
    const bool known = place < rx_bench::registers, write = random_.below(2) == 0;
    const bool task = in(place, regs::task, 8);
    const bool kept = in(place, regs::table_segment, 2) ||
                      (core_ == nullptr && (in(place, regs::irq_enable, 1) || in(place, regs::lookup_entry, 4) ||
                                            in(place, regs::ring_base, 2) || in(place, regs::ring_entries, 1)));
    if (!write) {
        // With a core, reading the head of a queue belongs to its work.
        if (core_ != nullptr && !kept) return;
        const auto odd = static_cast<unsigned>(random_.below(8) == 0 ? 1 + random_.below(3) : 0);
        const std::uint32_t read = b_.bus(false, 4 * place + odd);
        cover_.hit(group::bus, 0);
        if (b_.bus_error != (!known || odd != 0)) b_.break_rule("the bus answers a read in the wrong way");
        if (b_.bus_error && read != 0) b_.break_rule("a read that is refused shows something");
        if (!b_.bus_error && kept && read != written_[place]) b_.break_rule("a register is not as it was written");
        if (place == 0 && odd == 0 && read != regs::id.reset) b_.break_rule("ID is wrong");
    } else if (kept) {
        b_.bus(true, 4 * place, value);
        if (b_.bus_error) b_.break_rule("a write is refused");
        written_[place] = write_value(place, value);
        cover_.hit(group::bus, 1);
    } else if (in(place, regs::memory_error, 1)) {
        if (keeps_list) return;
        b_.bus(true, 4 * place, value);
        if (b_.bus_error || b_.bus(false, 4 * place) != 0) b_.break_rule("MEMORY_ERROR tells of good memories");
    } else if (core_ == nullptr && (task || in(place, regs::task_send, 1))) {
        b_.bus(true, 4 * place, value);  // refused while a task waits
        if (!b_.bus_error && task && b_.bus(false, 4 * place) != value)
            b_.break_rule("a task is not as it was written");
    } else if (core_ == nullptr && (in(place, regs::lookup_result, 1) || in(place, regs::command_done, 1))) {
        b_.bus(true, 4 * place, value);  // nothing waits for it
    } else if (core_ == nullptr && !in(place, regs::message_take, 1) && !in(place, regs::ring_set, 1)) {
        b_.bus(true, 4 * place, value);
        if (!b_.bus_error) b_.break_rule("a write that has no meaning is not refused");
        cover_.hit(group::bus, 2);
    }
}

}  // namespace contraflow::testing
