// SPDX-License-Identifier: Apache-2.0
#include "face/command_line/number_list.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "config/text/diagnostics.h"
#include "face/command_line/errors.h"

namespace contraflow::face {

std::vector<unsigned> numbers_in(std::string_view option, const std::string& text, std::string_view noun,
                                 unsigned first, unsigned last) {
    const auto refuse = [&](const std::string& why) {
        throw usage_error(fmt::format("{} {}: {}; {}s {} to {} are allowed, each once, such as {} {}{}", option,
                                      text.empty() ? "\"\"" : text, why, noun, first, last, option, first,
                                      last > first ? fmt::format(",{}", first + 1) : ""));
    };
    std::vector<unsigned> all;
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
        end = text.find(',', at);
        const std::string word = text.substr(at, end == std::string::npos ? end : end - at);
        unsigned number = 0;
        const auto [stop, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (failure != std::errc{} || stop != word.data() + word.size())
            refuse(fmt::format("{} is no {}'s number", config::quoted(word), noun));
        if (number < first || number > last) refuse(fmt::format("there is no {} {}", noun, number));
        if (std::ranges::find(all, number) != all.end()) refuse(fmt::format("{} {} twice", noun, number));
        all.push_back(number);
    }
    return all;
}

}  // namespace contraflow::face
