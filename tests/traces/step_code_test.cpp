// SPDX-License-Identifier: Apache-2.0
// Steps stay the same through encoding and decoding, and usual ones take few bytes.
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"
#include "traces/step_code.h"

namespace contraflow::traces {
namespace {

using gpu::access_kind;
using gpu::default_wave_width;
using gpu::mask;

const std::vector<std::uint64_t> sizes{1u << 20, 64, 1u << 30};

step accesses_of(std::vector<access> all) {
    step s;
    s.kind = step_kind::accesses;
    s.accesses = std::move(all);
    return s;
}

access access_of(std::uint32_t array, std::uint8_t bytes, mask active, auto offset) {
    access a;
    a.array = array;
    a.element_bytes = bytes;
    a.active = active;
    for (unsigned i = 0; i < default_wave_width; ++i)
        if (active[i]) a.offset[i] = offset(i);
    return a;
}

std::vector<step> decoded(const step_encoder& from) {
    step_decoder d;
    d.begin(byte_reader(from.encoded()), sizes);
    std::vector<step> out;
    for (step s; d.next(s);) out.push_back(s);
    return out;
}

std::size_t bytes_of(const std::vector<step>& steps) {
    step_encoder e;
    for (const auto& s : steps) e.add(s);
    EXPECT_EQ(decoded(e), steps);
    EXPECT_EQ(e.count(), steps.size());
    return e.encoded().size();
}

TEST(step_code, barriers_fences_and_computations_are_a_byte_or_two) {
    step barrier, fence, compute;
    fence.kind = step_kind::fence;
    compute.kind = step_kind::compute;
    compute.cycles = 100;
    EXPECT_EQ(bytes_of({barrier}), 1u);
    EXPECT_EQ(bytes_of({fence}), 1u);
    EXPECT_EQ(bytes_of({compute}), 2u);
    compute.work = 5;
    EXPECT_EQ(bytes_of({compute, barrier, compute}), 3u + 1 + 3);
}

TEST(step_code, a_loop_over_an_array_takes_five_bytes_a_round) {
    std::vector<step> loop;
    for (std::uint64_t round = 0; round < 100; ++round) {
        loop.push_back(accesses_of({access_of(0, 4, mask::first(default_wave_width),
                                              [&](unsigned i) { return 1024 * round + 4 * std::uint64_t{i}; })}));
    }
    EXPECT_LE(bytes_of(loop), 5u * 100);
}

TEST(step_code, every_pattern_of_threads_and_addresses_survives) {
    const auto far = [](unsigned i) { return std::uint64_t{1} << 29 >> i % 20; };
    const auto down = [](unsigned i) { return 4096 - 24 * std::uint64_t{i}; };
    const auto same = [](unsigned) { return std::uint64_t{56}; };
    for (const mask m : {mask::first(default_wave_width), mask::first(1), mask::first(31), mask::thread(31),
                         mask(0x80000001), mask(0x55555555), mask(0xfffffff0)}) {
        for (const std::uint8_t bytes : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{4}, std::uint8_t{8}}) {
            auto store = access_of(0, bytes, m, down);
            store.kind = access_kind::store;
            auto uncached = access_of(2, bytes, m, far);
            uncached.uncached = true;
            bytes_of({accesses_of({access_of(2, bytes, m, far), store, access_of(1, bytes, m, same), uncached})});
        }
    }
}

TEST(step_code, atomic_operations_survive) {
    for (unsigned op = 1; op <= static_cast<unsigned>(memory::atomic_op::bit_xor); ++op) {
        for (unsigned type = 0; type <= static_cast<unsigned>(memory::operand_type::f64); ++type) {
            access a;
            a.kind = access_kind::atomic;
            a.op = static_cast<memory::atomic_op>(op);
            a.operand = static_cast<memory::operand_type>(type);
            a.element_bytes = static_cast<std::uint8_t>(size_of(a.operand));
            if (memory::is_defined(a.op, a.operand))
                bytes_of({accesses_of({a})});
            else  // bitwise on floating point
                EXPECT_ANY_THROW(bytes_of({accesses_of({a})}));
        }
    }
}

// More accesses than the first byte can count.
TEST(step_code, many_accesses_together_survive) {
    core::random_source random(1);
    for (const std::size_t n : {15u, 16u, 200u}) {
        std::vector<access> all;
        for (std::size_t i = 0; i < n; ++i)
            all.push_back(access_of(0, 8, mask(random.next() | 1) & mask::first(default_wave_width),
                                    [&](unsigned) { return random.next() % (sizes[0] / 8) * 8; }));
        bytes_of({accesses_of(all)});
    }
}

TEST(step_code, loads_ahead_and_their_uses_survive) {
    step ahead =
        accesses_of({access_of(0, 4, mask::first(default_wave_width), [](unsigned i) { return 4 * std::uint64_t{i}; }),
                     access_of(1, 8, mask::thread(0), [](unsigned) { return std::uint64_t{8}; })});
    ahead.kind = step_kind::loads;
    step use;
    use.kind = step_kind::use;
    use.used = {1};
    step uses = use;
    uses.used = {2, 4};
    EXPECT_LE(bytes_of({ahead, use, ahead, uses}), 2 * bytes_of({ahead}) + 2 + 3);
    uses.used = {5};
    step_encoder e;
    for (const step& s : {ahead, ahead, uses}) e.add(s);
    EXPECT_THROW(decoded(e), bad_trace);  // five loads ago, and there are four
}

TEST(step_code, what_lies_beyond_an_array_is_refused) {
    for (const std::uint64_t beyond : {std::uint64_t{61}, std::uint64_t{64}, ~std::uint64_t{0}, ~std::uint64_t{3}}) {
        step_encoder e;
        e.add(accesses_of({access_of(1, 4, mask::thread(3), [&](unsigned) { return beyond; })}));
        EXPECT_THROW(decoded(e), bad_trace) << beyond;
    }
    step_encoder e;
    e.add(accesses_of({access_of(3, 4, mask::thread(3), [&](unsigned) { return 0; })}));
    EXPECT_THROW(decoded(e), bad_trace);
}

}  // namespace
}  // namespace contraflow::traces
