// SPDX-License-Identifier: Apache-2.0
// Errors in an input: the problem, its position, and what is allowed. Errors are collected, so that one run shows them
// all. Lines and columns count from 1; columns count bytes, as in compilers.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::config {

// line 0: the file as a whole; an empty file name: no file at all.
struct location {
    std::string file;
    unsigned line = 0, column = 0;
    friend bool operator==(const location&, const location&) = default;
};

// "file:line:column", as far as they are known.
std::string to_text(const location& at);

class diagnostics {
public:
    // A hostile file can hold a million errors. Errors beyond this number are counted but not kept.
    static constexpr std::size_t most_kept = 200;

    void error(const location& at, std::string message, std::string hint = {});
    void warning(const location& at, std::string message, std::string hint = {});

    bool failed() const { return errors_ > 0; }
    std::size_t errors() const { return errors_; }
    // Each as one line, in the order of telling: "p1.yaml:14:7: what is odd; what is allowed".
    std::vector<std::string> warnings() const;
    // Drops all messages up to now.
    void clear();
    // Whether a further error would still be kept. If not, the search for a hint can be left out.
    bool keeps_more() const { return kept_.size() < most_kept; }

    // The text of a file named in locations, so that its lines can be shown with a caret.
    void add_source(std::string file, std::string text);

    // By source, then by position:
    //   p1.yaml:14:7: error: unknown key 'lane_wdith' in link
    //      14 |       lane_wdith: 16
    //         |       ^~~~~~~~~~  did you mean 'lane_width'? known: lanes, lane_width
    void print(std::ostream& out) const;

private:
    struct entry {
        location at;
        bool is_error;
        std::string message, hint;
    };
    struct text_of {
        std::size_t order;
        std::string text;
    };
    void keep(const location& at, bool is_error, std::string message, std::string hint);

    std::vector<entry> kept_;
    std::map<std::string, text_of, std::less<>> sources_;
    std::size_t errors_ = 0, warnings_ = 0;
};

// The known name closest to a misspelt one; "" if none is close.
std::string nearest(std::string_view wrong, const std::vector<std::string>& known);

// "did you mean 'lanes'? ", by the nearest name, before what else there is to say; that alone if none is close.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known, std::string_view rest = "");
// The same within a sentence: " (did you mean 'lanes'?)"; `otherwise` if none is close.
std::string meant_aside(std::string_view wrong, const std::vector<std::string>& known, std::string_view otherwise = "");

// The hint for an unknown key: "did you mean 'lanes'? known: lanes, lane_rate".
std::string known_keys(std::string_view wrong, const std::vector<std::string>& known);

// A name or value of an input in quotes, made safe for a terminal: control characters are escaped, and the middle of
// what is longer than 64 bytes is left out (the name of a file is at the end of its path).
std::string quoted(std::string_view text);
// Keeps std::quoted out of overload resolution.
inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }
inline std::string quoted(const char* text) { return quoted(std::string_view(text)); }

}  // namespace contraflow::config
