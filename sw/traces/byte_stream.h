// SPDX-License-Identifier: Apache-2.0
// Bytes of a trace: numbers with seven bits in each byte, the lowest first, the eighth bit set in all but the last;
// signed numbers have their sign in the lowest bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::traces {

// An error of a trace, and its place in the bytes.
class bad_trace : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

using bytes = std::vector<std::uint8_t>;

void put_number(bytes& out, std::uint64_t value);
void put_signed(bytes& out, std::int64_t value);
void put_text(bytes& out, std::string_view text);

// FNV-1a: detects changes by a disk or a copy. `so_far`: the checksum of the bytes before.
inline constexpr std::uint64_t empty_checksum = 0xcbf29ce484222325;
std::uint64_t checksum(std::span<const std::uint8_t> of, std::uint64_t so_far = empty_checksum);

// Reads from bytes that the caller keeps; a read beyond the end throws bad_trace.
class byte_reader {
public:
    byte_reader() = default;
    explicit byte_reader(std::span<const std::uint8_t> from, std::size_t first = 0) : bytes_(from), next_(first) {}

    std::uint8_t byte();
    std::uint64_t number();
    // Throws bad_trace, with the name `what`, if the number is above `most`.
    std::uint64_t number(std::uint64_t most, std::string_view what);
    std::int64_t signed_number();
    std::string text(std::size_t longest, std::string_view what);
    std::span<const std::uint8_t> take(std::uint64_t count);

    bool at_end() const { return next_ == bytes_.size(); }
    std::size_t place() const { return next_; }
    [[noreturn]] void refuse(std::string_view why) const;

private:
    std::span<const std::uint8_t> bytes_;
    std::size_t next_ = 0;
};

}  // namespace contraflow::traces
