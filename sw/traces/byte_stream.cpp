// SPDX-License-Identifier: Apache-2.0
#include "traces/byte_stream.h"

#include <fmt/format.h>

namespace contraflow::traces {
namespace {

constexpr unsigned bits_a_byte = 7;
constexpr std::uint8_t more_follow = 1u << bits_a_byte;

}  // namespace

void put_number(bytes& out, std::uint64_t value) {
    for (; value >= more_follow; value >>= bits_a_byte) out.push_back(static_cast<std::uint8_t>(value | more_follow));
    out.push_back(static_cast<std::uint8_t>(value));
}

void put_signed(bytes& out, std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    put_number(out, value < 0 ? ~(bits << 1) : bits << 1);
}

void put_text(bytes& out, std::string_view text) {
    put_number(out, text.size());
    out.insert(out.end(), text.begin(), text.end());
}

std::uint64_t checksum(std::span<const std::uint8_t> of, std::uint64_t so_far) {
    constexpr std::uint64_t prime = 0x100000001b3;
    for (const std::uint8_t b : of) so_far = (so_far ^ b) * prime;
    return so_far;
}

std::uint8_t byte_reader::byte() {
    if (at_end()) refuse("it ends too early");
    return bytes_[next_++];
}

std::uint64_t byte_reader::number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += bits_a_byte) {
        const std::uint8_t b = byte();
        const std::uint64_t part = b & (more_follow - 1u);
        if (shift >= 64 || (part << shift >> shift) != part) refuse("a number has more than 64 bits");
        value |= part << shift;
        if ((b & more_follow) == 0) return value;
    }
}

std::uint64_t byte_reader::number(std::uint64_t most, std::string_view what) {
    const std::uint64_t value = number();
    if (value > most) refuse(fmt::format("{} is {}, more than {}", what, value, most));
    return value;
}

std::int64_t byte_reader::signed_number() {
    const std::uint64_t bits = number();
    return static_cast<std::int64_t>((bits & 1) != 0 ? ~(bits >> 1) : bits >> 1);
}

std::string byte_reader::text(std::size_t longest, std::string_view what) {
    const auto part = take(number(longest, what));
    return {part.begin(), part.end()};
}

std::span<const std::uint8_t> byte_reader::take(std::uint64_t count) {
    if (count > bytes_.size() - next_) refuse("it ends too early");
    const auto part = bytes_.subspan(next_, static_cast<std::size_t>(count));
    next_ += part.size();
    return part;
}

void byte_reader::refuse(std::string_view why) const { throw bad_trace(fmt::format("byte {}: {}", next_, why)); }

}  // namespace contraflow::traces
