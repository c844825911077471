// SPDX-License-Identifier: Apache-2.0
// Descriptors and completions in their form in memory, and the refused ones.
#include "nic/transmit/descriptor.h"

#include <functional>

#include <gmock/gmock.h>

#include "config/config.h"
#include "nic/transmit/transmit_spec.h"

using namespace contraflow;
using namespace contraflow::nic;

namespace {

descriptor good() {
    descriptor d;
    d.space = memory_space::gpu2;
    d.process = 0x1234;
    d.length = 0x00abcdef;
    d.source = 0x1122'3344'5566'7788;
    d.address = 0x9abc'def0'1234;
    d.tag = 0x5a5;
    d.notify = true;
    d.target = {1, 30, 17};
    return d;
}
std::array<std::uint8_t, descriptor::size> bytes_of(const descriptor& d) {
    std::array<std::uint8_t, descriptor::size> b;
    d.encode(b);
    return b;
}

TEST(descriptor, stands_in_memory_as_documented) {
    const auto b = bytes_of(good());
    const std::array<std::uint8_t, 32> expected{0,    3,    0x34, 0x12, 0xef, 0xcd, 0xab, 0,    0x88, 0x77, 0x66,
                                                0x55, 0x44, 0x33, 0x22, 0x11, 0x34, 0x12, 0xf0, 0xde, 0xbc, 0x9a,
                                                0,    0,    0xa5, 0x05, 0xc1, 0x47, 1,    0,    0,    0};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), b.begin()));
    const auto d = descriptor::decode(b);
    ASSERT_TRUE(d);
    EXPECT_EQ(bytes_of(*d), b);
    EXPECT_EQ(d->target, (position{1, 30, 17}));
    EXPECT_EQ(descriptor::tag_of(b), 0x5a5);
}

TEST(descriptor, is_refused_where_it_is_not_as_documented) {
    const std::vector<std::function<void(descriptor&)>> wrong{
        [](auto& d) { d.kind = static_cast<packet_kind>(2); },
        [](auto& d) { d.space = static_cast<memory_space>(5); },
        [](auto& d) { d.length = 0; },
        [](auto& d) { d.tag = 0x1000; },
        [](auto& d) { d.address = 1ull << 48; },
        [](auto& d) { d.address = (1ull << 48) - d.length + 1; },
        [](auto& d) { d.source = ~0ull; },
        [](auto& d) { d.payload[3] = 1; },
        [](auto& d) { d.space = memory_space::host, d.source = 4095, d.length = 2; },
        [](auto& d) { d.space = memory_space::host, d.source = 0, d.length = 4097; },
        [](auto& d) { d.kind = packet_kind::get_request; },
        [](auto& d) { d.kind = packet_kind::get_request, d.space = memory_space::host, d.source = 0, d.length = 15; },
        [](auto& d) { d.kind = packet_kind::get_request, d.space = memory_space::host, d.source = 8, d.length = 16; },
    };
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        descriptor d = good();
        wrong[i](d);
        EXPECT_FALSE(descriptor::decode(bytes_of(d))) << i;
    }
    for (const unsigned at : {27u, 28u, 29u, 31u, 48u, 63u}) {
        auto b = bytes_of(good());
        b[at] |= 0x80;
        EXPECT_FALSE(descriptor::decode(b)) << at;
    }
    descriptor d = good();
    d.space = memory_space::host;
    d.source = 0x1000;
    d.length = 4096;
    EXPECT_TRUE(descriptor::decode(bytes_of(d)));
    d.kind = packet_kind::get_request;
    d.source = 0;
    d.length = 16;
    d.payload[15] = 9;
    ASSERT_TRUE(descriptor::decode(bytes_of(d)));
    EXPECT_EQ(descriptor::decode(bytes_of(d))->payload[15], 9);
}

TEST(transmit_completion, comes_back_as_it_was_written) {
    std::array<std::uint8_t, transmit_completion::size> b;
    transmit_completion{0x01020304, 0xabc, transmit_status::timed_out, 0x11223344}.encode(b);
    const std::array<std::uint8_t, 16> expected{4, 3, 2, 1, 0xbc, 0x0a, 4, 0, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 0};
    EXPECT_EQ(b, expected);
    const auto c = transmit_completion::decode(b);
    EXPECT_EQ(c.sequence, 0x01020304u);
    EXPECT_EQ(c.tag, 0xabc);
    EXPECT_EQ(c.status, transmit_status::timed_out);
    EXPECT_EQ(c.length, 0x11223344u);
}

TEST(transmit_spec, refuses_what_cannot_be) {
    for (const char* wrong :
         {"buffer=4096B", "buffer=65536B", "packets=0", "window=2KiB", "window=5000B", "generation=v4", "reading=dma",
          "requests=0", "answer_timeout=1ns", "messages=0", "clock=0Hz"}) {
        config::diagnostics diag;
        config::load<transmit_spec>(std::nullopt, {wrong}, diag);
        EXPECT_TRUE(diag.failed()) << wrong;
    }
    config::diagnostics diag;
    const auto got = config::load<transmit_spec>(
        std::nullopt, {"window=4KiB", "generation=v3", "reading=bar1", "request_interval=76ns"}, diag);
    EXPECT_FALSE(diag.failed());
    EXPECT_EQ(got.value.window.count, 4096u);
    EXPECT_EQ(got.value.generation, gpu_generation::v3);
}

}  // namespace
