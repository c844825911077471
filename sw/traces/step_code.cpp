// SPDX-License-Identifier: Apache-2.0
#include "traces/step_code.h"

#include <bit>

#include <fmt/format.h>

namespace contraflow::traces {
namespace {

using gpu::access_kind;
using gpu::mask;

// A step's first byte: its kind, whether work comes before it, and how many accesses it has or loads it uses (0: a
// number follows).
constexpr unsigned kind_bits = 3;
constexpr unsigned work_bit = 1u << kind_bits;
constexpr unsigned count_shift = kind_bits + 1;
constexpr unsigned most_counted = 15;

bool has_accesses(const step& s) { return s.kind == step_kind::accesses || s.kind == step_kind::loads; }

// An access' first byte: the next three, two bits each, then the logarithm of the element's bytes.
enum class code_kind : std::uint8_t { load, load_uncached, store, atomic };
enum class code_threads : std::uint8_t { all, first, some };
enum class code_pattern : std::uint8_t { same, side_by_side, strided, any };

code_kind kind_of(const access& a) {
    switch (a.kind) {
    case access_kind::store: return code_kind::store;
    case access_kind::atomic: return code_kind::atomic;
    default: return a.uncached ? code_kind::load_uncached : code_kind::load;
    }
}

code_threads threads_of(mask m, mask everything) {
    if (m == everything) return code_threads::all;
    return m == mask::first(m.count()) ? code_threads::first : code_threads::some;
}

// The distance from thread to thread, if it is the same between all active threads.
struct stride {
    bool regular = true;
    std::uint64_t bytes = 0;
};
stride stride_of(const access& a) {
    const unsigned first = a.active.lowest();
    const mask others = a.active.without_lowest();
    if (others.none()) return {};
    const unsigned second = others.lowest();
    const std::uint64_t apart = a.offset[second] - a.offset[first];
    const auto bytes = static_cast<std::int64_t>(apart) / static_cast<std::int64_t>(second - first);
    const stride s{true, static_cast<std::uint64_t>(bytes)};
    for (mask left = others; left.any(); left = left.without_lowest())
        if (a.offset[left.lowest()] != a.offset[first] + s.bytes * (left.lowest() - first)) return {false, 0};
    return s;
}

code_pattern pattern_of(const access& a, const stride& s) {
    if (!s.regular) return code_pattern::any;
    if (s.bytes == 0) return code_pattern::same;
    return s.bytes == a.element_bytes ? code_pattern::side_by_side : code_pattern::strided;
}

}  // namespace

void step_encoder::clear() {
    bytes_.clear();
    count_ = 0;
    last_.clear();
}

void step_encoder::add(const step& s) {
    const auto items = has_accesses(s) ? s.accesses.size() : s.kind == step_kind::use ? s.used.size() : 0;
    const bool counted = items <= most_counted;
    bytes_.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(s.kind) | (s.work != 0 ? work_bit : 0) |
                                               (counted ? static_cast<unsigned>(items) << count_shift : 0)));
    if (s.work != 0) put_number(bytes_, s.work);
    if (s.kind == step_kind::compute) put_number(bytes_, s.cycles);
    if (!counted) put_number(bytes_, items);
    if (has_accesses(s))
        for (const access& a : s.accesses) add(a);
    if (s.kind == step_kind::use)
        for (const std::uint64_t ago : s.used) put_number(bytes_, ago);
    ++count_;
}

void step_encoder::add(const access& a) {
    const stride s = stride_of(a);
    const auto pattern = pattern_of(a, s);
    const auto threads = threads_of(a.active, everything_);
    bytes_.push_back(static_cast<std::uint8_t>(
        static_cast<unsigned>(kind_of(a)) | static_cast<unsigned>(threads) << 2 | static_cast<unsigned>(pattern) << 4 |
        static_cast<unsigned>(std::countr_zero(unsigned{a.element_bytes})) << 6));
    if (a.kind == access_kind::atomic) {
        bytes_.push_back(
            static_cast<std::uint8_t>(static_cast<unsigned>(a.op) | static_cast<unsigned>(a.operand) << 4));
    }
    if (threads == code_threads::first) put_number(bytes_, a.active.count());
    if (threads == code_threads::some) put_number(bytes_, a.active.bits());
    put_number(bytes_, a.array);
    std::uint64_t& last = last_.of(a.array);
    const auto put_offset = [&](std::uint64_t offset, std::uint64_t& before) {
        put_signed(bytes_, static_cast<std::int64_t>(offset - before));
        before = offset;
    };
    put_offset(a.offset[a.active.lowest()], last);
    if (pattern == code_pattern::strided) put_signed(bytes_, static_cast<std::int64_t>(s.bytes));
    if (pattern != code_pattern::any) return;
    std::uint64_t before = last;
    for (mask left = a.active.without_lowest(); left.any(); left = left.without_lowest())
        put_offset(a.offset[left.lowest()], before);
}

void step_decoder::begin(byte_reader from, std::span<const std::uint64_t> array_bytes, unsigned wave_width) {
    from_ = from;
    wave_width_ = wave_width;
    array_bytes_ = array_bytes;
    last_.clear();
    loads_ = 0;
}

bool step_decoder::next(step& s) {
    if (from_.at_end()) return false;
    const unsigned first = from_.byte();
    if ((first & (work_bit - 1)) > static_cast<unsigned>(step_kind::use))
        from_.refuse("an instruction that there is not");
    s.kind = static_cast<step_kind>(first & (work_bit - 1));
    s.work = (first & work_bit) != 0 ? from_.number() : 0;
    s.cycles = s.kind == step_kind::compute ? from_.number() : 0;
    if (s.kind == step_kind::compute && s.cycles == 0) from_.refuse("a computation of no cycles");
    std::uint64_t count = first >> count_shift;
    const bool counted = has_accesses(s) || s.kind == step_kind::use;
    if (!counted && count != 0) from_.refuse("accesses of what is no access");
    if (counted && count == 0) count = from_.number(most_accesses, "the number of accesses of an instruction");
    if (counted && count == 0) from_.refuse("an instruction without an access");
    s.used.clear();
    if (s.kind == step_kind::use) {
        for (; count > 0; --count) {
            s.used.push_back(from_.number(loads_, "how many loads ago"));
            if (s.used.back() == 0) from_.refuse("a use of a load that has not begun");
        }
    }
    s.accesses.resize(static_cast<std::size_t>(count));
    for (access& a : s.accesses) {
        read(a);
        if (a.kind == access_kind::load)
            ++loads_;
        else if (s.kind == step_kind::loads)
            from_.refuse("a load that is none");
    }
    return true;
}

void step_decoder::read(access& a) {
    const unsigned first = from_.byte();
    const auto kind = static_cast<code_kind>(first & 3);
    const auto threads = static_cast<code_threads>(first >> 2 & 3);
    const auto pattern = static_cast<code_pattern>(first >> 4 & 3);
    a.element_bytes = static_cast<std::uint8_t>(1u << (first >> 6));
    a.kind = kind == code_kind::store    ? access_kind::store
             : kind == code_kind::atomic ? access_kind::atomic
                                         : access_kind::load;
    a.uncached = kind == code_kind::load_uncached;
    a.op = memory::atomic_op::none;
    a.operand = memory::operand_type::u32;
    if (kind == code_kind::atomic) {
        const unsigned what = from_.byte();
        a.op = static_cast<memory::atomic_op>(what & 15);
        a.operand = static_cast<memory::operand_type>(what >> 4);
        if (a.op == memory::atomic_op::none || a.op > memory::atomic_op::bit_xor ||
            a.operand > memory::operand_type::f64 || size_of(a.operand) != a.element_bytes ||
            !memory::is_defined(a.op, a.operand))
            from_.refuse("an atomic operation that there is not");
    }
    switch (threads) {
    case code_threads::all: a.active = mask::first(wave_width_); break;
    case code_threads::first:
        a.active = mask::first(static_cast<unsigned>(from_.number(wave_width_ - 1, "the number of threads")));
        break;
    case code_threads::some: a.active = mask(from_.number(mask::first(wave_width_).bits(), "the threads")); break;
    default: from_.refuse("threads that there are not");
    }
    if (a.active.none()) from_.refuse("an access of no thread");
    const std::uint64_t array = from_.number();
    if (array >= array_bytes_.size()) from_.refuse(fmt::format("there is no array {}", array));
    a.array = static_cast<std::uint32_t>(array);
    a.offset = {};
    std::uint64_t& last = last_.of(a.array);
    last += static_cast<std::uint64_t>(from_.signed_number());
    const unsigned lowest = a.active.lowest();
    a.offset[lowest] = last;
    const std::uint64_t apart = pattern == code_pattern::side_by_side ? a.element_bytes
                                : pattern == code_pattern::strided ? static_cast<std::uint64_t>(from_.signed_number())
                                                                   : 0;
    std::uint64_t before = last;
    for (mask left = a.active.without_lowest(); left.any(); left = left.without_lowest()) {
        const unsigned thread = left.lowest();
        if (pattern == code_pattern::any) before += static_cast<std::uint64_t>(from_.signed_number());
        a.offset[thread] = pattern == code_pattern::any ? before : last + apart * (thread - lowest);
    }
    const std::uint64_t size = array_bytes_[a.array];
    for (mask left = a.active; left.any(); left = left.without_lowest()) {
        const std::uint64_t offset = a.offset[left.lowest()];
        if (size < a.element_bytes || offset > size - a.element_bytes)
            from_.refuse(fmt::format("an access at byte {} of an array of {}", offset, size));
    }
}

}  // namespace contraflow::traces
