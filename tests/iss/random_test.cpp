// SPDX-License-Identifier: Apache-2.0
// Random programs of all instructions, full and compressed, compared with an interpreter of the tests' own:
// registers, memory and cycles.
#include <algorithm>
#include <random>

#include "machine.h"
#include "reference.h"

#include <gtest/gtest.h>

using namespace iss_test;

namespace random_test {

// Registers 2, 8 and 9 hold addresses in the middle of the data memory, and are left alone.
class program_maker {
public:
    explicit program_maker(unsigned seed) : random_(seed) {}

    std::vector<std::uint16_t> make(unsigned instructions) {
        for (const unsigned base : {2u, 8u, 9u}) {
            full(lui(base, data_base + 0x4000));
            full(addi(base, base, static_cast<std::int32_t>(base * 4)));
        }
        for (const unsigned r : free_) {
            full(lui(r, random_()));
            full(addi(r, r, pick(4096) - 2048));
        }
        for (unsigned i = 0; i < instructions; ++i) one();
        for (unsigned r = 1; r < 32; ++r) full(sw(r, 8, static_cast<std::int32_t>(r * 4)));
        full(jal(0, 0));
        return code_;
    }

private:
    std::int32_t pick(unsigned below) { return static_cast<std::int32_t>(random_() % below); }
    unsigned free() { return free_[static_cast<std::size_t>(pick(free_.size()))]; }
    unsigned any() { return static_cast<unsigned>(pick(32)); }
    unsigned small() { return static_cast<unsigned>(10 + pick(6)); }  // in the numbering of compressed instructions
    word c_small(unsigned r) { return r - 8; }
    void full(word i) {
        code_.push_back(static_cast<std::uint16_t>(i));
        code_.push_back(static_cast<std::uint16_t>(i >> 16));
    }
    void half(word i) { code_.push_back(static_cast<std::uint16_t>(i)); }

    void one() {
        const unsigned base = pick(2) ? 8u : 9u;
        switch (pick(26)) {
        case 0: full(lui(free(), random_())); break;
        case 1: full(auipc(free(), random_())); break;
        case 2:
        case 3:
        case 4: full(register_form()); break;
        case 5:
        case 6: full(immediate_form()); break;
        case 7: full(r_type(1, any(), any(), static_cast<word>(pick(8)), free(), 0x33)); break;
        case 8:
        case 9: {  // loads, aligned
            constexpr word kinds[] = {0, 1, 2, 4, 5};
            const word f3 = kinds[pick(5)];
            full(i_type((pick(1024) - 512) & -(1 << (f3 & 3)), base, f3, free(), 0x03));
            break;
        }
        case 10:
        case 11: {
            const word f3 = static_cast<word>(pick(3));
            full(s_type((pick(1024) - 512) & -(1 << f3), any(), base, f3));
            break;
        }
        case 12:  // over one full instruction, taken or not
        case 13: {
            constexpr word kinds[] = {0, 1, 4, 5, 6, 7};
            full(b_type(8, any(), any(), kinds[pick(6)]));
            full(immediate_form());
            break;
        }
        case 14:
            full(jal(pick(2) ? free() : 0, 8));
            full(immediate_form());
            break;
        case 15: {
            const unsigned r = free();
            full(auipc(r, 0));
            full(jalr(free(), r, 12));
            full(immediate_form());
            break;
        }
        case 16: half(0x0001 | free() << 7 | random_() % 32 << 2 | random_() % 2 << 12); break;  // c.addi
        case 17: half(0x4001 | free() << 7 | random_() % 32 << 2 | random_() % 2 << 12); break;  // c.li
        case 18:
            half(0x6001 | free() << 7 | static_cast<word>(1 + pick(31)) << 2 | random_() % 2 << 12);
            break;  // c.lui
        case 19: {
            const word d = c_small(small()) << 7;
            switch (pick(4)) {
            case 0: half(0x8001 | d | random_() % 32 << 2); break;                                    // c.srli
            case 1: half(0x8401 | d | random_() % 32 << 2); break;                                    // c.srai
            case 2: half(0x8801 | d | random_() % 32 << 2 | random_() % 2 << 12); break;              // c.andi
            default: half(0x8c01 | d | random_() % 4 << 5 | c_small(8 + random_() % 8) << 2); break;  // others
            }
            break;
        }
        case 20:
            half(0xc001 | pick(2) << 13 | random_() % 8 << 7 | 0x10);  // c.beqz, c.bnez over two bytes
            half(0x0001 | free() << 7 | 3 << 2);
            break;
        case 21:
            half(pick(2) ? 0xa011 : 0x2011);  // c.j, c.jal: four bytes on
            half(0x0001 | free() << 7 | 5 << 2);
            break;
        case 22: half(0x0002 | free() << 7 | random_() % 32 << 2); break;  // c.slli
        case 23:
            half((pick(2) ? 0x8002u : 0x9002u) | free() << 7 | static_cast<word>(1 + pick(31)) << 2);  // c.mv, c.add
            break;
        case 24:
            switch (pick(5)) {
            case 0: half(0x4002 | free() << 7 | random_() % 8 << 4 | random_() % 2 << 12); break;            // c.lwsp
            case 1: half(0xc002 | any() << 2 | random_() % 16 << 9); break;                                  // c.swsp
            case 2: half(0x4000 | c_small(base) << 7 | c_small(small()) << 2 | random_() % 8 << 10); break;  // c.lw
            case 3: half(0xc000 | c_small(base) << 7 | c_small(small()) << 2 | random_() % 8 << 10); break;  // c.sw
            default: half(0x0000 | c_small(small()) << 2 | static_cast<word>(1 + pick(255)) << 5); break;  // c.addi4spn
            }
            break;
        default: full(pick(2) ? 0x0000'100f : 0x0ff0'000f); break;  // fence.i, fence
        }
    }

    word register_form() {
        const word f3 = static_cast<word>(pick(8));
        const word f7 = (f3 == 0 || f3 == 5) && pick(2) ? 0x20 : 0;
        return r_type(f7, any(), any(), f3, free(), 0x33);
    }
    word immediate_form() {
        const word f3 = static_cast<word>(pick(8));
        std::int32_t imm = pick(4096) - 2048;
        if (f3 == 1) imm &= 31;
        if (f3 == 5) imm = (imm & 31) | (pick(2) ? 0x400 : 0);
        return i_type(imm, any(), f3, free(), 0x13);
    }

    std::mt19937 random_;
    std::vector<std::uint16_t> code_;
    const std::vector<unsigned> free_{1,  3,  4,  5,  6,  7,  10, 11, 12, 13, 14, 15, 16, 17,
                                      18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
};

TEST(Random, programs_end_as_the_interpreter_says) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        const auto code = program_maker(seed).make(1500);
        machine m;
        const auto place = m.core.memory(0, static_cast<word>(code.size() * 2));
        std::memcpy(place.data(), code.data(), place.size());

        reference r;
        r.code.assign(place.begin(), place.end());
        r.data.resize(0x10000);
        std::uint64_t instructions = 0;
        while (r.step()) ++instructions;

        m.run_cycles(r.cycles + 20'000);  // work of the core ahead of the simulation is not final yet
        const auto data = m.core.memory(data_base, 0x10000);
        ASSERT_TRUE(std::equal(data.begin(), data.end(), r.data.begin())) << "seed " << seed;
        for (unsigned x = 1; x < 32; ++x) ASSERT_EQ(m.core.read_register(x), r.x[x]) << "x" << x << ", seed " << seed;
        // It is now in the endless loop of two cycles per iteration, which it entered after r.cycles.
        ASSERT_EQ((m.core.cycles() - r.cycles) % 2, 0u) << "seed " << seed;
        ASSERT_EQ(m.core.cycles() - r.cycles, 2 * (m.core.instructions() - instructions)) << "seed " << seed;
    }
}

// Multiplication and division at their corners, whose results the manual gives (Volume I, 7.2).
TEST(Random, division_by_zero_and_overflow) {
    machine m;
    m.program({lui(1, 0x8000'0000), addi(2, 0, -1), lui(11, data_base), r_type(1, 2, 1, 4, 3, 0x33),
               r_type(1, 2, 1, 6, 4, 0x33), r_type(1, 0, 1, 4, 5, 0x33), r_type(1, 0, 1, 5, 6, 0x33),
               r_type(1, 0, 1, 6, 7, 0x33), r_type(1, 0, 1, 7, 8, 0x33), jal(0, 0)});
    m.run_cycles(400);
    EXPECT_EQ(m.core.read_register(3), 0x8000'0000u);
    EXPECT_EQ(m.core.read_register(4), 0u);
    EXPECT_EQ(m.core.read_register(5), ~0u);
    EXPECT_EQ(m.core.read_register(6), ~0u);
    EXPECT_EQ(m.core.read_register(7), 0x8000'0000u);
    EXPECT_EQ(m.core.read_register(8), 0x8000'0000u);
}

}  // namespace random_test
