// SPDX-License-Identifier: Apache-2.0
#include "core/little_endian.h"
#include "nic/packet.h"

#include <numeric>

#include <gtest/gtest.h>

namespace {

using namespace contraflow::nic;

// The first packet of the worked cases: its header word, by hand.
TEST(packet, header_of_a_worked_case) {
    const std::array<std::uint8_t, word_bytes> word{0x40, 0x00, 0x05, 0x00, 0x00, 0x10, 0x00, 0x00,
                                                    0x00, 0x7f, 0x00, 0x10, 0x00, 0x80, 0x00, 0x04};
    const packet_header h = packet_header::decode(word);
    EXPECT_EQ(h.length, 64);
    EXPECT_EQ(h.kind, 0);
    EXPECT_EQ(h.process, 5);
    EXPECT_EQ(h.address, 0x7f00'0000'1000u);
    EXPECT_EQ(h.tag, 0);
    EXPECT_TRUE(h.notify);
    EXPECT_EQ(h.reserved, 0);
    EXPECT_EQ(h.source, (position{0, 0, 0}));
    EXPECT_EQ(h.target, (position{1, 0, 2}));
}

// Every bit of a header word is in one field: a word of one bit survives decoding and encoding.
TEST(packet, each_bit_of_a_header_is_kept) {
    for (unsigned bit = 0; bit < 128; ++bit) {
        std::array<std::uint8_t, word_bytes> word{}, again{};
        word[bit / 8] = static_cast<std::uint8_t>(1u << bit % 8);
        packet_header::decode(word).encode(again);
        EXPECT_EQ(word, again) << "bit " << bit;
    }
}

TEST(packet, checksum_is_that_of_ethernet) {
    const std::string text = "123456789";  // check value of CRC-32/ISO-HDLC
    EXPECT_EQ(checksum({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}), 0xcbf43926u);
}

TEST(packet, last_payload_word_is_padded_with_zeros) {
    packet_header h;
    h.length = 17;
    std::vector<std::uint8_t> payload(17);
    std::iota(payload.begin(), payload.end(), std::uint8_t{1});
    const auto words = packet_words(h, payload);
    ASSERT_EQ(words.size(), 4 * word_bytes);
    EXPECT_EQ(words[16 + 16], 17);
    for (unsigned i = 17; i < 32; ++i) EXPECT_EQ(words[16 + i], 0);
    EXPECT_EQ(contraflow::core::load_le<std::uint32_t>(&words[48]), checksum({words.data(), 48}));
}

}  // namespace
