// SPDX-License-Identifier: Apache-2.0
// The formats, byte by byte: software on a GPU writes and reads them without this code.
#include <gmock/gmock.h>

#include "nic/queue_pair/queue_pair_spec.h"
#include "nic/queue_pair/region_table.h"
#include "nic/queue_pair/work_entry.h"

using namespace contraflow;
using namespace contraflow::nic;

namespace {

using bytes = std::array<std::uint8_t, work_entry_bytes>;

TEST(work_entry, a_write_has_its_fields_where_stores_of_8_bytes_put_them) {
    work_entry e;
    e.signalled = true;
    e.number = 0x01020304;
    e.remote_address = 0x1122334455667788;
    e.remote_key = 0xa1a2a3a4;
    e.local_address = 0x99aabbccddeeff00;
    e.local_key = 0xb1b2b3b4;
    e.length = 0xc1c2c3c4;
    bytes b;
    e.encode(b);
    std::uint64_t words[8];
    for (unsigned i = 0; i < 8; ++i) std::memcpy(&words[i], b.data() + 8 * i, 8);
    EXPECT_EQ(words[0], 0x01020304'0000'0101u);
    EXPECT_EQ(words[1], 0u);
    EXPECT_EQ(words[2], 0x1122334455667788u);
    EXPECT_EQ(words[3], 0xa1a2a3a4u);
    EXPECT_EQ(words[4], 0x99aabbccddeeff00u);
    EXPECT_EQ(words[5], 0xc1c2c3c4'b1b2b3b4u);
    EXPECT_EQ(words[6], 0u);
    EXPECT_EQ(words[7], 0u);
    const auto back = work_entry::decode(b);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->length, e.length);
    EXPECT_EQ(back->local_key, e.local_key);
    EXPECT_EQ(work_entry::number_of(b), e.number);
}

TEST(work_entry, inline_data_and_operands_follow_the_remote_segment) {
    work_entry e;
    e.inline_data = e.fence = true;
    e.length = 32;
    for (unsigned i = 0; i < 32; ++i) e.data[i] = static_cast<std::uint8_t>(i + 1);
    bytes b;
    e.encode(b);
    EXPECT_EQ(b[1], 6);
    EXPECT_EQ(b[2], 32);
    EXPECT_EQ(b[32], 1);
    EXPECT_EQ(b[63], 32);
    EXPECT_EQ(work_entry::decode(b)->data, e.data);
    work_entry a;
    a.opcode = work_opcode::compare_swap;
    a.length = 8;
    a.operand = 5;
    a.compare = 7;
    a.encode(b);
    EXPECT_EQ(b[0], 4);
    EXPECT_EQ(b[48], 5);
    EXPECT_EQ(b[56], 7);
    EXPECT_EQ(work_entry::decode(b)->compare, 7u);
}

TEST(work_entry, what_is_no_entry_is_refused) {
    bytes b{};
    EXPECT_FALSE(work_entry::decode(b));  // memory of zeros
    work_entry e;
    e.encode(b);
    EXPECT_TRUE(work_entry::decode(b));
    b[0] = 5;
    EXPECT_FALSE(work_entry::decode(b));
    b[0] = 1;
    b[1] = 8;
    EXPECT_FALSE(work_entry::decode(b));
    b[1] = 4;
    b[2] = 33;
    EXPECT_FALSE(work_entry::decode(b));
    b[2] = 32;
    EXPECT_TRUE(work_entry::decode(b));
    b[0] = 2;  // a read has no inline data
    EXPECT_FALSE(work_entry::decode(b));
    e.opcode = work_opcode::fetch_add;
    e.length = 4;
    e.encode(b);
    EXPECT_FALSE(work_entry::decode(b));
}

TEST(queue_completion, is_read_from_its_first_8_bytes_and_its_phase_changes_with_each_pass) {
    bytes b;
    queue_completion{work_status::flushed, 3, true, 0x11223344, 0x55667788, 9}.encode(b);
    std::uint64_t first;
    std::memcpy(&first, b.data(), 8);
    EXPECT_EQ(first, 0x11223344'00010308u);
    const auto back = queue_completion::decode(b);
    EXPECT_EQ(back.bytes, 0x55667788u);
    EXPECT_EQ(back.queue, 9u);
    EXPECT_TRUE(queue_completion::phase_of(1, 4));
    EXPECT_TRUE(queue_completion::phase_of(4, 4));
    EXPECT_FALSE(queue_completion::phase_of(5, 4));
    EXPECT_TRUE(queue_completion::phase_of(9, 4));
}

TEST(region, is_the_same_after_the_registers) {
    const registered_region r{
        true, {true, false, true, false}, memory_space::gpu0, 0x123456789000, 0x1122334455, 0x998877665544, 3, 4};
    const registered_region back = registered_region::decode(r.encode());
    EXPECT_EQ(back.encode(), r.encode());
    EXPECT_EQ(back.base, r.base);
    EXPECT_TRUE(back.allows(access::local_write));
    EXPECT_FALSE(back.allows(access::remote_read));
    EXPECT_TRUE(back.allows(access::remote_write));
    EXPECT_FALSE(back.allows(access::remote_atomic));
    const queue_setup s{1ull << 40, 1ull << 41, 64, 32, 3, 7, 11, 13};
    EXPECT_EQ(queue_setup::decode(s.encode()).encode(), s.encode());
}

}  // namespace
