// SPDX-License-Identifier: Apache-2.0
#include "machines/input_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "config/text/file_form.h"
#include "config/text/input_watch.h"

namespace contraflow::machines {

std::optional<config::source> read_input(const std::string& what, const std::string& path, std::size_t most,
                                         std::string_view wanted, const config::location& named_at,
                                         config::diagnostics& diag) {
    const auto refuse = [&](std::string why) {
        diag.error(named_at, fmt::format("{}: {}", config::quoted(path), why), std::string(wanted));
        return std::nullopt;
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return refuse("is a directory");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) return refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
    // Block by block: a pipe or a device doesn't tell its size beforehand.
    config::source read{path, {}};
    std::array<char, std::size_t{1} << 16> block;
    while (read.text.size() <= most) {
        const auto got = std::fread(block.data(), 1, block.size(), file.get());
        read.text.append(block.data(), got);
        if (got < block.size()) break;
    }
    if (std::ferror(file.get()) != 0) return refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (read.text.size() > most) return refuse(fmt::format("is larger than {} MiB", most >> 20));
    if (read.text.find_first_not_of(" \t\r\n") == std::string::npos) return refuse("is empty");
    if (auto fault = config::fault_of_text(read.text)) {
        diag.error({path, fault->line, fault->column}, std::move(fault->why), std::string(wanted));
        return std::nullopt;
    }
    config::tell_input(what, path, &read.text);
    return read;
}

}  // namespace contraflow::machines
