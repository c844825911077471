// SPDX-License-Identifier: Apache-2.0
// Programs from ELF files: refused files, the report of a crash, the watchdog's message, and the profile.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>

#include <nlohmann/json.hpp>

#include "machine.h"
#include "observe/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace iss_test;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

namespace program_test {

const std::string receive_elf = CF_FIRMWARE "/iss_receive.elf";
const std::string busy_elf = CF_FIRMWARE "/iss_busy.elf";

std::string contents_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string refusal(std::string contents) {
    try {
        iss::elf_file::parse(contents, "fw.elf");
    } catch (const iss::elf_error& e) { return e.what(); }
    return "";
}

std::string patched(std::size_t at, std::initializer_list<int> bytes) {
    std::string elf = contents_of(receive_elf);
    for (const int b : bytes) elf[at++] = static_cast<char>(b);
    return refusal(elf);
}

TEST(Elf, what_is_not_for_the_core_is_refused_in_a_line) {
    EXPECT_EQ(patched(0, {0x7f}), "");
    EXPECT_EQ(patched(0, {'#'}), "fw.elf: is no ELF file");
    EXPECT_EQ(patched(18, {62, 0}), "fw.elf: is for x86-64; a RISC-V program of 32 bits is wanted");
    EXPECT_EQ(patched(18, {40, 0}), "fw.elf: is for Arm; a RISC-V program of 32 bits is wanted");
    EXPECT_EQ(patched(4, {2}), "fw.elf: is a RISC-V program of 64 bits; one of 32 bits is wanted");
    EXPECT_EQ(patched(5, {2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xf3}),
              "fw.elf: is big-endian; a little-endian program is wanted");
    EXPECT_EQ(patched(16, {1, 0}), "fw.elf: is not linked to an executable at fixed addresses");
    EXPECT_THAT(patched(36, {5}), HasSubstr("floating-point values in registers"));
    EXPECT_THAT(patched(36, {9}), HasSubstr("RV32E"));
    EXPECT_EQ(refusal(""), "fw.elf: is no ELF file");
    EXPECT_EQ(refusal("\177ELF"), "fw.elf: is cut short: its header ends after byte 16 of 4");
    EXPECT_EQ(refusal(contents_of("/proc/self/exe").substr(0, 4096)),
              "fw.elf: is for x86-64; a RISC-V program of 32 bits is wanted");
    EXPECT_THROW(iss::elf_file::read("nothing.elf"), iss::elf_error);
}

// A file that is cut or changed in its headers is refused or loaded: nothing else happens.
TEST(Elf, damaged_files_are_refused_and_read_nothing_outside) {
    const std::string whole = contents_of(receive_elf);
    for (std::size_t size = 0; size < whole.size(); size += 97) refusal(whole.substr(0, size));
    for (std::size_t at = 0; at < 52 + 3 * 32; ++at) {
        for (const char value : {'\0', '\x7f', '\xff'}) {
            std::string damaged = whole;
            damaged[at] = value;
            refusal(damaged);
        }
    }
    EXPECT_THAT(refusal(whole.substr(0, 60)), HasSubstr("cut short"));
}

TEST(Elf, a_segment_outside_of_the_memories_is_refused) {
    iss::rv32_spec spec;
    spec.data.base = 0x0020'0000;
    machine m(spec);
    const auto program = iss::elf_file::read(receive_elf);
    try {
        m.core.load(program);
        ADD_FAILURE() << "was loaded";
    } catch (const iss::elf_error& e) {
        EXPECT_THAT(e.what(), MatchesRegex(".*iss_receive.elf: its segment at 0x1000.* of .* bytes lies outside of the "
                                           "memories of core"));
    }
}

TEST(Elf, knows_its_routines_and_symbols) {
    const auto program = iss::elf_file::read(receive_elf);
    std::vector<std::string> names;
    for (const auto& f : program.functions()) names.push_back(f.name);
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("_start", "main", "receive", "port_interrupt"));
    EXPECT_EQ(program.entry(), 0u);
    EXPECT_EQ(program.address_of("_start"), 0u);
    EXPECT_THROW(program.address_of("nothing"), iss::elf_error);
}

// --- crashes --------------------------------------------------------------------------------------------------------

struct crashing {
    const char* name;
    std::vector<word> code;
    std::string line;  // the message without "core: "
};

void PrintTo(const crashing& c, std::ostream* out) { *out << c.name; }

class Crash : public ::testing::TestWithParam<crashing> {};

TEST_P(Crash, is_told_in_a_line_with_pc_cause_and_address) {
    machine m;
    m.program(GetParam().code);
    try {
        m.run_cycles(10'000);
        ADD_FAILURE() << "no crash";
    } catch (const iss::firmware_crash& e) { EXPECT_EQ(e.what(), "core: " + GetParam().line); }
}

constexpr word to_data = lui(11, data_base);
constexpr word to_nothing = lui(10, 0x5000'0000);
constexpr word flw = 0x0000'2007;

INSTANTIATE_TEST_SUITE_P(
    Each, Crash,
    ::testing::Values(
        crashing{"zeros", {nop, 0}, "illegal instruction 0x0000 at pc 0x4 in '(no routine)'"},
        crashing{"float", {flw}, "illegal instruction 0x00002007 at pc 0x0 in '(no routine)'"},
        crashing{"no_csr", {csrrs(1, 0x7c0, 0)}, "illegal instruction 0x7c0020f3 at pc 0x0 in '(no routine)'"},
        crashing{"fixed_csr", {csrrw(0, mhartid, 1)}, "illegal instruction 0xf1409073 at pc 0x0 in '(no routine)'"},
        crashing{"load", {to_data, lw(1, 11, 2)}, "misaligned load from 0x100002 at pc 0x4 in '(no routine)'"},
        crashing{"store", {to_data, sh(1, 11, 1)}, "misaligned store to 0x100001 at pc 0x4 in '(no routine)'"},
        crashing{"to_code", {sw(1, 0, 64)}, "store to 0x40, which is code memory at pc 0x0 in '(no routine)'"},
        crashing{"nothing",
                 {to_nothing, lw(1, 10, 8)},
                 "load from 0x50000008: there is nothing at pc 0x4 in '(no routine)'"},
        crashing{"fetch",
                 {to_nothing, jalr(0, 10, 0)},
                 "no memory to fetch an instruction from at pc 0x50000000 in '(no routine)'"},
        crashing{"fetch_data",
                 {to_data, jalr(0, 11, 0)},
                 "no memory to fetch an instruction from at pc 0x100000 in '(no routine)'"},
        crashing{"ecall", {ecall}, "ecall without a trap handler at pc 0x0 in '(no routine)'"},
        crashing{"ebreak", {ebreak}, "ebreak at pc 0x0 in '(no routine)'"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Crashes, a_misaligned_access_is_none_where_it_is_allowed) {
    iss::rv32_spec spec;
    spec.misaligned = true;
    machine m(spec);
    m.program({lui(11, data_base), lui(1, 0x1234'5000), addi(1, 1, 0x678), sw(1, 11, 3), lw(2, 11, 3), lh(3, 11, 5),
               jal(0, 0)});
    m.run_cycles(100);
    EXPECT_EQ(m.data(0), 0x7800'0000u);
    EXPECT_EQ(m.data(4), 0x0012'3456u);
    EXPECT_EQ(m.core.read_register(2), 0x1234'5678u);
    EXPECT_EQ(m.core.read_register(3), 0x1234u);
}

TEST(Crashes, happen_at_their_time) {
    machine m;
    m.program({addi(1, 0, 1000), addi(1, 1, -1), bne(1, 0, -4), 0});
    EXPECT_THROW(m.run_cycles(10'000), iss::firmware_crash);
    EXPECT_EQ(sc_core::sc_time_stamp().value(), (1 + 1000 + 999 * 3 + 1) * cycle_ps);
}

TEST(Traps, ecall_goes_to_a_handler) {
    machine m;
    m.program({addi(1, 0, 0x40), csrrw(0, mtvec, 1), ecall, nop, jal(0, 0)});
    m.program({csrrs(2, mepc, 0), csrrs(3, mcause, 0), addi(2, 2, 4), csrrw(0, mepc, 2), mret}, 0x40);
    m.run_cycles(100);
    EXPECT_EQ(m.core.read_register(2), 12u);
    EXPECT_EQ(m.core.read_register(3), 11u);
    EXPECT_EQ(m.core.read_register(iss::rv32_core::pc_register), 16u);
}

// --- the watchdog ---------------------------------------------------------------------------------------------------

std::string hang_of(machine& m) {
    observe::watchdog dog(m.simulation, core::sim_time::from_us(100));
    dog.watch(m.core);
    dog.set_outstanding([] { return 1; });
    dog.set_progress([] { return 0; });
    dog.run(core::sim_time::from_us(10'000));
    std::string text;
    for (const auto& line : dog.wait_chain()) text += line + "\n";
    return text;
}

TEST(Watchdog, names_the_access_that_is_never_answered) {
    machine m;
    m.program({lui(10, bus_base + 0x1000), addi(1, 0, 100),
               lw(1, 10, static_cast<std::int32_t>(registers::never_answers) - 0x1000)});
    EXPECT_THAT(
        hang_of(m),
        HasSubstr("core waits for an answer at pc 0x8 in '(no routine)'; last bus access: load from 0x40000c00 at "
                  "10ns of registers (since 10ns)"));
}

TEST(Watchdog, names_what_a_core_polls) {
    machine m;
    m.program({lui(10, bus_base), lw(1, 10, 0x40), beq(1, 0, -4), jal(0, 0)});
    EXPECT_THAT(hang_of(m),
                ::testing::ContainsRegex(
                    "core waits for something else while it runs at pc 0x[48] in '\\(no routine\\)'; last bus "
                    "access: load from 0x40000040 at .* of registers"));
}

TEST(Watchdog, names_the_routine_that_waits_for_an_interrupt) {
    machine m;
    m.core.load(iss::elf_file::read(receive_elf));
    EXPECT_THAT(hang_of(m),
                ::testing::ContainsRegex("core waits for an interrupt at pc 0x[0-9a-f]+ in 'main' of core.interrupts"));
}

// --- the profile ----------------------------------------------------------------------------------------------------

const iss::routine_profile::row& row_of(const machine& m, const std::string& name) {
    for (const auto& r : m.core.profile().rows()) {
        if (r.name == name) return r;
    }
    throw std::logic_error(name);
}

TEST(Profile, sums_to_the_total_and_counts_entries) {
    machine m;
    m.core.load(iss::elf_file::read(receive_elf));
    for (unsigned i = 1; i <= 5; ++i) m.interrupt_at(i * 1000 * cycle_ps);
    m.run_cycles(6000);
    m.core.finish();
    std::uint64_t sum = 0;
    for (const auto& r : m.core.profile().rows()) sum += r.cycles;
    EXPECT_EQ(sum, 6000u);
    EXPECT_EQ(m.core.cycles(), 6000u);
    EXPECT_EQ(m.stat("core.cycles"), 6000);
    EXPECT_EQ(row_of(m, "receive").entries, 5u);
    EXPECT_EQ(row_of(m, "port_interrupt").entries, 5u);
    EXPECT_EQ(row_of(m, "main").entries, 1u);
    EXPECT_EQ(row_of(m, "(no routine)").cycles, 0u);
    EXPECT_EQ(static_cast<double>(row_of(m, "(waits for an interrupt)").cycles), m.stat("core.idle"));
    EXPECT_GT(row_of(m, "(waits for an interrupt)").cycles, 4000u);
    EXPECT_EQ(m.stat("core.interrupts"), 5);
    EXPECT_EQ(m.stat("core.bus_loads"), 15);
    EXPECT_EQ(m.stat("core.bus_stores"), 10);
}

// Worked by hand: `f` is entered ten times, of 1 + 2 cycles; the caller has 1 + 10 x (2 + 1) + 9 x 3 + 1, and ends.
TEST(Profile, by_hand) {
    std::vector<iss::elf_file::symbol> routines{{"caller", 0, 0x40}, {"f", 0x40, 8}};
    iss::routine_profile profile;
    profile.load(routines);
    EXPECT_EQ(profile.name(profile.at(0x3c)), "caller");
    EXPECT_EQ(profile.name(profile.at(0x44)), "f");
    EXPECT_EQ(profile.name(profile.at(0x48)), "(no routine)");
    profile.enter(profile.at(0), true, 0);
    profile.enter(profile.at(0x40), true, 3);
    profile.enter(profile.at(8), false, 6);
    profile.advance(10);
    EXPECT_EQ(profile.rows()[2].cycles, 3u + 4);
    EXPECT_EQ(profile.rows()[2].entries, 1u);
    EXPECT_EQ(profile.rows()[3].cycles, 3u);
    EXPECT_EQ(profile.total(), 10u);
}

TEST(Profile, the_trace_has_a_slice_for_each_stay) {
    std::ostringstream out;
    machine m;
    m.core.load(iss::elf_file::read(receive_elf));
    {
        observe::trace trace(out);
        m.core.set_trace(&trace);
        m.interrupt_at(1000 * cycle_ps + 1);
        m.run_cycles(2000);
        m.core.finish();
        m.core.set_trace(nullptr);
    }
    const auto events = nlohmann::json::parse(out.str());
    std::vector<std::string> names;
    double end = 0;
    for (const auto& e : events) {
        if (e["ph"] != "X") continue;
        names.push_back(e["name"]);
        EXPECT_NEAR(e["ts"].get<double>(), end, 1e-9) << names.back();  // each begins where the last one ended
        end = e["ts"].get<double>() + e["dur"].get<double>();
        if (names.back() == "port_interrupt") { EXPECT_NEAR(e["ts"].get<double>(), 1001 * 0.005, 0.0201); }
    }
    EXPECT_EQ(end, 10);
    EXPECT_EQ(names, (std::vector<std::string>{"_start", "main", "(waits for an interrupt)", "main", "port_interrupt",
                                               "main", "receive", "main", "(waits for an interrupt)"}));
}

TEST(Program, of_c_computes_what_the_host_computes) {
    machine m;
    m.core.load(iss::elf_file::read(busy_elf));
    m.simulation.run();
    ASSERT_EQ(m.device.accesses.size(), 1u);
    // The same program in C++.
    std::uint32_t words[1024] = {}, length[64] = {}, seed = 1;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 128; ++i) words[i] = seed = seed * 1664525u + 1013904223u;
        std::uint32_t sum = seed;
        for (int i = 0; i < 128; ++i) {
            sum ^= words[i / 4] >> 8 * (i % 4) & 0xff;
            for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
        }
        seed += sum;
        std::sort(words, words + 64);
        sum = 0;
        for (auto& l : length) l = (sum += l) / 3;
        seed += sum;
    }
    EXPECT_EQ(m.device.accesses[0].value, seed);
}

}  // namespace program_test
