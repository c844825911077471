// SPDX-License-Identifier: Apache-2.0
#include "net/torus/link_protection.h"

#include <algorithm>
#include <cmath>

#include <zlib.h>

#include "core/little_endian.h"

namespace contraflow::net {
namespace {

std::uint64_t words_until_error(core::random_source& draw, double rate) {
    return rate == 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::log(draw.unit()) / std::log1p(-rate));
}

}  // namespace

link_protection::link_protection(observe::statistics& group, const std::string& path, const torus_spec& s,
                                 unsigned number)
    : word_time_(s.word_time()),
      until_error_(never),
      short_of_room_(s.retry_buffer < s.round_trip()),
      round_trip_(s.word_time() * s.round_trip()),
      error_rate_(s.error_rate),
      seed_(core::mix64(s.seed) ^ number),
      draw_(seed_),
      acknowledged_(short_of_room_ ? s.retry_buffer : 0),
      damaged_(group, path + ".damaged", "words", "words that the wire damaged and the CRC found"),
      resent_(group, path + ".resent", "words", "words sent again: damaged ones, and what followed them too soon"),
      unseen_(group, path + ".unseen", "words", "damaged words that the CRC let pass") {
    reset();
}

void link_protection::reset() {
    draw_ = core::random_source(seed_);
    until_error_ = words_until_error(draw_, error_rate_);
    std::fill(acknowledged_.begin(), acknowledged_.end(), core::sim_time{});
}

bool link_protection::next_is_damaged() {
    if (error_rate_ == 0) return false;
    if (until_error_ > 0) {
        --until_error_;
        return false;
    }
    until_error_ = words_until_error(draw_, error_rate_);
    return true;
}

bool link_protection::seen(std::span<std::uint8_t> word) {
    std::array<std::uint8_t, word_bits / 8> sent{};
    std::copy(word.begin(), word.end(), sent.begin());
    const auto checksum = [&sent] { return static_cast<std::uint32_t>(crc32_z(0, sent.data(), torus_word_bytes)); };
    core::store_le<std::uint32_t>(sent.data() + torus_word_bytes, checksum());
    // One to three neighbouring bits.
    std::uint64_t bit = draw_.below(word_bits);
    for (std::uint64_t flips = 1 + draw_.below(3); flips > 0; --flips, bit = (bit + 1) % word_bits)
        sent[bit / 8] = static_cast<std::uint8_t>(sent[bit / 8] ^ 1u << bit % 8);
    if (core::load_le<std::uint32_t>(sent.data() + torus_word_bytes) != checksum()) return true;
    std::copy_n(sent.begin(), word.size(), word.begin());
    return false;
}

link_protection::transmission link_protection::send_word_by_word(core::sim_time now, std::uint32_t words,
                                                                 std::span<std::uint8_t> bytes) {
    transmission t{now, now};
    for (std::uint32_t i = 0; i < words; ++i) {
        core::sim_time at = t.finish;
        if (short_of_room_) at = std::max(at, acknowledged_[oldest_]);
        const std::size_t begin = std::min<std::size_t>(bytes.size(), std::size_t{i} * torus_word_bytes);
        const auto word = bytes.subspan(begin, std::min<std::size_t>(torus_word_bytes, bytes.size() - begin));
        while (next_is_damaged()) {
            if (!seen(word)) {
                ++unseen_;
                break;
            }
            ++damaged_;
            resent_ += std::min<std::uint64_t>(words - i, round_trip_.ps / word_time_.ps);
            at += round_trip_;
        }
        if (short_of_room_) {
            acknowledged_[oldest_] = at + round_trip_;
            oldest_ = oldest_ + 1 < acknowledged_.size() ? oldest_ + 1 : 0;
        }
        if (i == 0) t.header = at;
        t.finish = at + word_time_;
    }
    return t;
}

}  // namespace contraflow::net
