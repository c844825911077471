// SPDX-License-Identifier: Apache-2.0
// A second RV32IMC, written from the manual for the tests alone: one instruction at a time, with the cycles that the
// default table gives. A compressed instruction is run directly, not through the full one.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace iss_test {

class reference {
public:
    using u32 = std::uint32_t;
    using i32 = std::int32_t;

    std::array<u32, 32> x{};
    u32 pc = 0;
    std::uint64_t cycles = 0;
    std::vector<std::uint8_t> code, data;  // data stands at data_at
    u32 data_at = 0x0010'0000;

    // False at `jal x0, 0`, where the program ends.
    bool step() {
        u32 i = 0;
        std::memcpy(&i, &code[pc], pc + 4 <= code.size() ? 4 : 2);
        if (i == 0x6f) return false;
        next_ = pc + ((i & 3) == 3 ? 4 : 2);
        cost_ = 1;
        if ((i & 3) == 3)
            full(i);
        else
            compressed(i & 0xffff);
        x[0] = 0;
        cycles += cost_;
        pc = next_;
        return true;
    }

private:
    static u32 bits(u32 i, int from, int to) { return i >> to & (from - to == 31 ? ~0u : (1u << (from - to + 1)) - 1); }
    static i32 sign(u32 v, int width) { return static_cast<i32>(v << (32 - width)) >> (32 - width); }

    std::uint8_t* at(u32 address) { return address >= data_at ? &data[address - data_at] : &code[address]; }
    u32 load(u32 address, int size, bool is_signed) {
        cost_ = 2;
        u32 v = 0;
        std::memcpy(&v, at(address), static_cast<std::size_t>(size));
        return is_signed ? static_cast<u32>(sign(v, 8 * size)) : v;
    }
    void store(u32 address, int size, u32 v) {
        cost_ = 1;
        std::memcpy(at(address), &v, static_cast<std::size_t>(size));
    }
    void branch(bool take, u32 to) {
        cost_ = take ? 3 : 1;
        if (take) next_ = to;
    }

    static u32 multiply(u32 what, u32 a, u32 b) {
        const auto sa = static_cast<std::int64_t>(static_cast<i32>(a)),
                   sb = static_cast<std::int64_t>(static_cast<i32>(b));
        const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
        switch (what) {
        case 0: return a * b;
        case 1: return static_cast<u32>(static_cast<std::uint64_t>(sa * sb) >> 32);
        case 2: return static_cast<u32>(static_cast<std::uint64_t>(sa * static_cast<std::int64_t>(ub)) >> 32);
        default: return static_cast<u32>(ua * ub >> 32);
        }
    }
    static u32 divide(u32 what, u32 a, u32 b) {
        const i32 sa = static_cast<i32>(a), sb = static_cast<i32>(b);
        const bool overflow = sa == std::numeric_limits<i32>::min() && sb == -1;
        switch (what) {
        case 4: return b == 0 ? ~0u : overflow ? a : static_cast<u32>(sa / sb);
        case 5: return b == 0 ? ~0u : a / b;
        case 6: return b == 0 ? a : overflow ? 0 : static_cast<u32>(sa % sb);
        default: return b == 0 ? a : a % b;
        }
    }

    void full(u32 i) {
        const u32 rd = bits(i, 11, 7), f3 = bits(i, 14, 12), f7 = bits(i, 31, 25);
        const u32 a = x[bits(i, 19, 15)], b = x[bits(i, 24, 20)];
        const i32 imm = sign(bits(i, 31, 20), 12);
        switch (i & 0x7f) {
        case 0x37: x[rd] = i & 0xfffff000; break;
        case 0x17: x[rd] = pc + (i & 0xfffff000); break;
        case 0x6f:
            x[rd] = next_;
            next_ = pc + static_cast<u32>(sign(bits(i, 31, 31) << 20 | bits(i, 19, 12) << 12 | bits(i, 20, 20) << 11 |
                                                   bits(i, 30, 21) << 1,
                                               21));
            cost_ = 2;
            break;
        case 0x67: {
            const u32 to = (a + static_cast<u32>(imm)) & ~1u;
            x[rd] = next_;
            next_ = to;
            cost_ = 2;
            break;
        }
        case 0x63: {
            const u32 to =
                pc + static_cast<u32>(sign(
                         bits(i, 31, 31) << 12 | bits(i, 7, 7) << 11 | bits(i, 30, 25) << 5 | bits(i, 11, 8) << 1, 13));
            const bool less = f3 & 2 ? a < b : static_cast<i32>(a) < static_cast<i32>(b);
            const bool holds = f3 & 4 ? less : a == b;
            branch(holds != ((f3 & 1) != 0), to);
            break;
        }
        case 0x03: x[rd] = load(a + static_cast<u32>(imm), 1 << (f3 & 3), f3 < 4); break;
        case 0x23: store(a + static_cast<u32>(sign(bits(i, 31, 25) << 5 | rd, 12)), 1 << f3, b); break;
        case 0x13:
            x[rd] =
                arithmetic(f3, f3 == 5 && (f7 & 0x20), a, f3 == 1 || f3 == 5 ? bits(i, 24, 20) : static_cast<u32>(imm));
            break;
        case 0x33:
            if (f7 == 1) {
                cost_ = f3 < 4 ? 3 : 37;
                x[rd] = f3 < 4 ? multiply(f3, a, b) : divide(f3, a, b);
            } else {
                x[rd] = f3 == 0 && f7 ? a - b : arithmetic(f3, f7 != 0, a, b);
            }
            break;
        default: break;  // fence
        }
    }

    static u32 arithmetic(u32 what, bool other, u32 a, u32 b) {
        switch (what) {
        case 0: return a + b;
        case 1: return a << (b & 31);
        case 2: return static_cast<i32>(a) < static_cast<i32>(b);
        case 3: return a < b;
        case 4: return a ^ b;
        case 5: return other ? static_cast<u32>(static_cast<i32>(a) >> (b & 31)) : a >> (b & 31);
        case 6: return a | b;
        default: return a & b;
        }
    }

    void compressed(u32 i) {
        const u32 rd = bits(i, 11, 7), rs2 = bits(i, 6, 2), rdc = 8 + bits(i, 4, 2), rs1c = 8 + bits(i, 9, 7);
        const i32 imm6 = sign(bits(i, 12, 12) << 5 | bits(i, 6, 2), 6);
        const u32 word_offset = bits(i, 5, 5) << 6 | bits(i, 12, 10) << 3 | bits(i, 6, 6) << 2;
        switch ((i & 3) << 3 | i >> 13) {
        case 0:
            x[rdc] = x[2] + (bits(i, 10, 7) << 6 | bits(i, 12, 11) << 4 | bits(i, 5, 5) << 3 | bits(i, 6, 6) << 2);
            break;
        case 2: x[rdc] = load(x[rs1c] + word_offset, 4, false); break;
        case 6: store(x[rs1c] + word_offset, 4, x[rdc]); break;
        case 8: x[rd] += static_cast<u32>(imm6); break;
        case 9:
        case 13: {
            const u32 v = bits(i, 12, 12) << 11 | bits(i, 8, 8) << 10 | bits(i, 10, 9) << 8 | bits(i, 6, 6) << 7 |
                          bits(i, 7, 7) << 6 | bits(i, 2, 2) << 5 | bits(i, 11, 11) << 4 | bits(i, 5, 3) << 1;
            if (i >> 13 == 1) x[1] = next_;
            next_ = pc + static_cast<u32>(sign(v, 12));
            cost_ = 2;
            break;
        }
        case 10: x[rd] = static_cast<u32>(imm6); break;
        case 11:
            if (rd == 2)
                x[2] += static_cast<u32>(sign(bits(i, 12, 12) << 9 | bits(i, 4, 3) << 7 | bits(i, 5, 5) << 6 |
                                                  bits(i, 2, 2) << 5 | bits(i, 6, 6) << 4,
                                              10));
            else
                x[rd] = static_cast<u32>(imm6) << 12;
            break;
        case 12: {
            u32& d = x[rs1c];
            switch (bits(i, 11, 10)) {
            case 0: d >>= rs2; break;
            case 1: d = static_cast<u32>(static_cast<i32>(d) >> rs2); break;
            case 2: d &= static_cast<u32>(imm6); break;
            default: {
                const u32 s = x[rdc];
                switch (bits(i, 6, 5)) {
                case 0: d -= s; break;
                case 1: d ^= s; break;
                case 2: d |= s; break;
                default: d &= s; break;
                }
            }
            }
            break;
        }
        case 14:
        case 15: {
            const u32 v = bits(i, 12, 12) << 8 | bits(i, 6, 5) << 6 | bits(i, 2, 2) << 5 | bits(i, 11, 10) << 3 |
                          bits(i, 4, 3) << 1;
            branch((x[rs1c] == 0) == (i >> 13 == 6), pc + static_cast<u32>(sign(v, 9)));
            break;
        }
        case 16: x[rd] <<= rs2; break;
        case 18: x[rd] = load(x[2] + (bits(i, 3, 2) << 6 | bits(i, 12, 12) << 5 | bits(i, 6, 4) << 2), 4, false); break;
        case 20:
            if (rs2 != 0) {
                x[rd] = (bits(i, 12, 12) ? x[rd] : 0) + x[rs2];
            } else {
                const u32 to = x[rd] & ~1u;
                if (bits(i, 12, 12)) x[1] = next_;
                next_ = to;
                cost_ = 2;
            }
            break;
        case 22: store(x[2] + (bits(i, 8, 7) << 6 | bits(i, 12, 9) << 2), 4, x[rs2]); break;
        default: break;
        }
    }

    u32 next_ = 0;
    unsigned cost_ = 1;
};

}  // namespace iss_test
