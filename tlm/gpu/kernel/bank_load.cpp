// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel/bank_load.h"

#include <algorithm>
#include <array>

namespace contraflow::gpu {
namespace {

constexpr unsigned word_bytes = 4;

// The distinct words of each bank.
class words_of_banks {
public:
    explicit words_of_banks(unsigned banks) : last_bank_(banks - 1) {}

    void add(std::uint32_t word) {
        bank& b = banks_[word & last_bank_];
        // Words mostly come in ascending order, so few have to be looked for.
        if (b.words != 0 && word <= b.highest && has(b, word)) return;
        b.highest = b.words == 0 ? word : std::max(b.highest, word);
        words_[count_] = {word, b.newest};
        b.newest = static_cast<std::uint8_t>(count_++);
        most_ = std::max<unsigned>(most_, ++b.words);
    }
    bank_load load() const { return {most_, (count_ + last_bank_) / (last_bank_ + 1)}; }

private:
    struct bank {
        std::uint32_t highest;
        std::uint8_t words = 0;
        std::uint8_t newest;  // place of its newest word
    };
    struct entry {
        std::uint32_t word;
        std::uint8_t older;
    };
    bool has(const bank& b, std::uint32_t word) const {
        std::uint8_t at = b.newest;
        for (unsigned n = b.words; n > 0; --n, at = words_[at].older)
            if (words_[at].word == word) return true;
        return false;
    }

    const std::uint32_t last_bank_;
    unsigned count_ = 0;
    unsigned most_ = 0;
    std::array<bank, max_banks> banks_{};
    std::array<entry, 2 * max_wave_width> words_;
};

}  // namespace

bank_load load_of_banks(const per_thread<std::uint32_t>& first_byte, mask threads, unsigned bytes, unsigned banks) {
    words_of_banks all(banks);
    for (mask left = threads; left.any(); left = left.without_lowest()) {
        const std::uint32_t begin = first_byte[left.lowest()];
        for (std::uint32_t word = begin / word_bytes; word <= (begin + bytes - 1) / word_bytes; ++word) all.add(word);
    }
    return all.load();
}

}  // namespace contraflow::gpu
