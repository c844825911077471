// SPDX-License-Identifier: Apache-2.0
#include "iss/rv32_spec.h"

#include <utility>

#include <fmt/format.h>

namespace contraflow::iss {
namespace {

constexpr core::cycles least{1};
constexpr core::cycles most{200};

constexpr std::uint64_t page = 4096;  // in the emulator's memory map

bool whole_pages(std::uint64_t n) { return n % page == 0; }

}  // namespace

void core_memory_spec::describe(config::fields<core_memory_spec>& f) {
    f("base", &core_memory_spec::base)
        .in(std::uint64_t{0}, std::uint64_t{0xffff'f000})
        .check(whole_pages, "a multiple of 4096")
        .text("address of its first byte");
    f("size", &core_memory_spec::size)
        .in(core::bytes{page}, core::bytes{16u << 20})
        .check([](core::bytes b) { return whole_pages(b.count); }, "a multiple of 4KiB")
        .text("bytes of the memory");
    f("load", &core_memory_spec::load).in(least, most).text("a load from it");
    f("store", &core_memory_spec::store).in(least, most).text("a store to it");
}

void cycle_table::describe(config::fields<cycle_table>& f) {
    f("alu", &cycle_table::alu).in(least, most).text("an instruction without a cost of its own, fences among them");
    f("branch_untaken", &cycle_table::branch_untaken)
        .in(least, most)
        .text("a conditional branch that goes on, or jumps to where it would go on");
    f("branch_taken", &cycle_table::branch_taken).in(least, most).text("a conditional branch that jumps");
    f("jump", &cycle_table::jump).in(least, most).text("jal and jalr");
    f("multiply", &cycle_table::multiply).in(least, most).text("mul, mulh, mulhu, mulhsu");
    f("divide", &cycle_table::divide).in(least, most).text("div, divu, rem, remu, whatever the operands");
    f("csr", &cycle_table::csr).in(least, most).text("an access to a control register; wfi that need not wait");
    f("bus_load", &cycle_table::bus_load).in(least, most).text("a load over the bus, beside the time to its answer");
    f("bus_store", &cycle_table::bus_store).in(least, most).text("a store over the bus, beside the time to its answer");
    f("trap_entry", &cycle_table::trap_entry)
        .in(least, most)
        .text("time from the boundary to the handler's first instruction");
    f("trap_return", &cycle_table::trap_return).in(least, most).text("mret");
}

void rv32_spec::describe(config::fields<rv32_spec>& f) {
    f("clock", &rv32_spec::clock).in(core::frequency{1e6}, core::frequency{1e10}).text("the core's clock");
    f("code", &rv32_spec::code).text("memory of the program, which the core cannot write");
    f("data", &rv32_spec::data).text("memory of the data");
    f("cycles", &rv32_spec::cycles).text("what each class of instruction costs");
    f("reset_pc", &rv32_spec::reset_pc)
        .in(std::uint64_t{0}, std::uint64_t{0xffff'fffe})
        .check([](std::uint64_t pc) { return pc % 2 == 0; }, "an even address")
        .text("address of the first instruction, unless a loaded program has an entry point");
    f("hart", &rv32_spec::hart).in(0, 1023).text("what mhartid reads");
    f("quantum", &rv32_spec::quantum)
        .in(least, core::cycles{1'000'000})
        .text("how far the core may run ahead of simulated time; results don't depend on it");
    f("misaligned", &rv32_spec::misaligned).text("loads and stores of the core's memories may be misaligned");
}

std::vector<config::problem> problems_of(const rv32_spec& s) {
    constexpr std::uint64_t address_space = std::uint64_t{1} << 32;
    std::vector<config::problem> found;
    const auto end_of = [](const core_memory_spec& m) { return m.base + m.size.count; };
    for (const auto& [memory, name] : {std::pair{&s.code, "code"}, {&s.data, "data"}})
        if (end_of(*memory) > address_space)
            found.push_back({fmt::format("the core's {} memory ends at {:#x}, after 4 GiB", name, end_of(*memory)),
                             {{fmt::format("{}.base", name),
                               fmt::format("at most {}, as decimal", address_space - memory->size.count)}}});
    if (s.code.base < end_of(s.data) && s.data.base < end_of(s.code))
        found.push_back({fmt::format("the core's memories overlap: code from {:#x} to {:#x}, data from {:#x} to {:#x}",
                                     s.code.base, end_of(s.code), s.data.base, end_of(s.data)),
                         {{"data.base", "where the code's memory is not"}, {"code.base", "where the data's is not"}}});
    return found;
}

}  // namespace contraflow::iss
