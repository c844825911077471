// SPDX-License-Identifier: Apache-2.0
#include "config/text/text_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "config/text/file_form.h"
#include "config/text/input_watch.h"

namespace contraflow::config {
namespace {

// The offset of the first byte that is not UTF-8 (or is NUL), or npos.
std::size_t first_bad_byte(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    for (std::size_t i = 0; i < text.size();) {
        const unsigned lead = byte(i);
        if (lead == 0) return i;
        if (lead < 0x80) {
            ++i;
            continue;
        }
        const unsigned length = lead >= 0xc2 && lead < 0xe0   ? 2
                                : lead >= 0xe0 && lead < 0xf0 ? 3
                                : lead >= 0xf0 && lead < 0xf5 ? 4
                                                              : 0;
        if (length == 0) return i;
        for (unsigned k = 1; k < length; ++k) {
            if ((byte(i + k) & 0xc0u) != 0x80u) return i;
        }
        // Overlong forms, surrogates, and code points beyond U+10FFFF.
        const unsigned second = byte(i + 1);
        if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) ||
            (lead == 0xf4 && second >= 0x90)) {
            return i;
        }
        i += length;
    }
    return std::string_view::npos;
}

bool check_text(const source& from, diagnostics& diag, const file_form& form) {
    const location whole{from.name, 0, 0};
    if (from.text.size() > largest_text) {
        diag.error(whole, fmt::format("the text is larger than {} MiB", largest_text >> 20), form.at_most);
        return false;
    }
    if (from.text.find_first_not_of(" \t\r\n") == std::string::npos) {
        diag.error(whole, "the file is empty", form.least);
        return false;
    }
    if (auto fault = fault_of_text(from.text)) {
        diag.error({from.name, fault->line, fault->column}, std::move(fault->why), form.wanted);
        return false;
    }
    return true;
}

}  // namespace

std::optional<text_fault> fault_of_text(std::string_view text) {
    const auto bad = first_bad_byte(text);
    if (bad == std::string_view::npos) return std::nullopt;
    const auto before = text.substr(0, bad);
    const auto line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return text_fault{static_cast<unsigned>(std::count(before.begin(), before.end(), '\n') + 1),
                      static_cast<unsigned>(bad - line_begin + 1),
                      fmt::format("not a text file: byte 0x{:02x}", static_cast<unsigned char>(text[bad]))};
}

bool check_text(const source& from, diagnostics& diag) { return check_text(from, diag, yaml_configuration); }

std::optional<source> read_source(const std::string& path, diagnostics& diag) {
    return read_source(path, diag, yaml_configuration);
}

std::optional<source> read_source(const std::string& path, diagnostics& diag, const file_form& form) {
    const location whole{path, 0, 0};
    std::error_code failure;
    if (std::filesystem::is_directory(path, failure)) {
        diag.error(whole, "is a directory", form.in_folder);
        return std::nullopt;
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) {
        diag.error(whole, fmt::format("cannot be read: {}", std::strerror(errno)));
        return std::nullopt;
    }
    // Read in blocks up to the limit, because a pipe or device does not tell its size.
    source read{path, {}};
    std::string block(std::size_t{1} << 16, '\0');
    while (read.text.size() <= largest_text) {
        const auto got = std::fread(block.data(), 1, block.size(), file.get());
        read.text.append(block, 0, got);
        if (got < block.size()) break;
    }
    if (std::ferror(file.get()) != 0) {
        diag.error(whole, fmt::format("cannot be read: {}", std::strerror(errno)));
        return std::nullopt;
    }
    if (!check_text(read, diag, form)) return std::nullopt;
    tell_input(form.what, path, &read.text);
    return read;
}

}  // namespace contraflow::config
