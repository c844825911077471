// SPDX-License-Identifier: Apache-2.0
// Feeds a text to yaml-cpp in pieces and stops it when it reads on without delivering a value. A bracket may turn out
// to begin a key, so yaml-cpp keeps everything after it as tokens (over 200 bytes each) until it closes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <streambuf>
#include <string_view>

namespace contraflow::config {

struct too_far_ahead : std::runtime_error {
    too_far_ahead() : std::runtime_error("too much without a complete value") {}
};

class lookahead_guard : public std::streambuf {
public:
    lookahead_guard(std::string_view text, std::uint32_t most_marks) : rest_(text), most_marks_(most_marks) {}

    // A value was delivered, so the count of bytes read without a value starts again.
    void delivered() {
        marks_ = 0;
        open_ = 0;
    }
    // Whether the text read without a value has this many more opening than closing brackets.
    bool nests_deeper_than(unsigned depth) const { return open_ > static_cast<std::int64_t>(depth); }

protected:
    int_type underflow() override {
        if (rest_.empty()) return traits_type::eof();
        const auto piece = rest_.substr(0, 2048);
        rest_.remove_prefix(piece.size());
        for (const char c : piece) {
            if (c == '[' || c == '{') ++open_;
            if (c == ']' || c == '}') --open_;
            if (std::string_view("[]{},:?!&*\"'").find(c) != std::string_view::npos) ++marks_;
        }
        if (marks_ > most_marks_) throw too_far_ahead();
        // The area is only read: putback never writes into it.
        auto* begin = const_cast<char*>(piece.data());
        setg(begin, begin, begin + piece.size());
        return traits_type::to_int_type(piece.front());
    }

private:
    std::string_view rest_;
    std::uint32_t most_marks_;
    std::uint32_t marks_ = 0;
    std::int64_t open_ = 0;
};

}  // namespace contraflow::config
