// SPDX-License-Identifier: Apache-2.0
// The far side of a port that reads a memory, one word at a time: the word comes some cycles after its read.
#pragma once

#include <cstdint>

namespace contraflow::lib {

template <class Word> class memory_port {
public:
    // A read comes; `word` may go back from cycle `due` on. False: the word of the read before has not.
    [[nodiscard]] bool take(const Word& word, std::uint64_t due) {
        if (busy_) return false;
        busy_ = true;
        word_ = word;
        due_ = due;
        return true;
    }
    bool due(std::uint64_t now) const { return busy_ && due_ <= now; }
    const Word& give() {
        busy_ = false;
        return word_;
    }
    void reset() { busy_ = false; }

    bool busy() const { return busy_; }

private:
    bool busy_ = false;
    std::uint64_t due_ = 0;
    Word word_{};
};

}  // namespace contraflow::lib
