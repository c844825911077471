// SPDX-License-Identifier: Apache-2.0
#include "sweep/effective_configuration.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "config/binding/loader.h"
#include "config/tree/node_tree.h"
#include "config/tree/provenance.h"
#include "config/tree/value_path.h"
#include "face/command_line/errors.h"
#include "sweep/child_process.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;
using config::node_kind;
using config::node_tree;

void flatten(const node_tree& tree, node_tree::node_id node, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& out) {
    switch (tree.kind(node)) {
    case node_kind::map:
        for (std::size_t i = 0; i < tree.size(node); ++i)
            flatten(tree, tree.value(node, i), config::member_path(path, tree.text(tree.key(node, i))), out);
        return;
    case node_kind::list:
        if (tree.size(node) == 0) out.emplace_back(path, "[]");
        for (std::size_t i = 0; i < tree.size(node); ++i)
            flatten(tree, tree.item(node, i), config::element_path(path, i), out);
        return;
    case node_kind::scalar: {
        const std::string text(tree.text(node));
        const bool like_another = tree.is_quoted(node) && (text == "null" || text == "[]");
        out.emplace_back(path, like_another ? fmt::format("\"{}\"", text) : text);
        return;
    }
    case node_kind::null: out.emplace_back(path, "null"); return;
    case node_kind::unusable: return;
    }
}

// "t2.yaml:14:3" -> file, line, column; without numbers at its end all of it is the file.
config::location location_in(std::string_view text) {
    config::location at;
    std::vector<unsigned> numbers;
    while (numbers.size() < 2) {
        const std::size_t colon = text.rfind(':');
        unsigned n = 0;
        if (colon == std::string_view::npos) break;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data() + colon + 1, end, n);
        if (read.ec != std::errc() || read.ptr != end) break;
        numbers.insert(numbers.begin(), n);
        text = text.substr(0, colon);
    }
    at.file = text;
    if (!numbers.empty()) at.line = numbers[0];
    if (numbers.size() > 1) at.column = numbers[1];
    return at;
}

// "   14 |   lane_wdith: 16" is skipped, "      |   ^~~~~  did you mean" has the hint.
void read_excerpt(std::string_view line, complaint& into) {
    const std::size_t bar = line.find('|');
    const std::size_t caret = line.find('^');
    if (caret == std::string_view::npos || bar == std::string_view::npos) return;
    if (line.find_first_not_of(' ', bar + 1) != caret) return;
    const std::size_t behind = line.find_first_not_of("^~", caret);
    if (behind == std::string_view::npos) return;
    const std::size_t hint = line.find_first_not_of(' ', behind);
    if (hint != std::string_view::npos) into.hint = line.substr(hint);
}

std::string last_line(std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

std::optional<std::string> effective_configuration::value(std::string_view path) const {
    for (const auto& [known, text] : values) {
        if (known == path) return text;
    }
    return std::nullopt;
}

std::optional<std::size_t> effective_configuration::elements(std::string_view path) const {
    std::optional<std::size_t> most;
    const std::string prefix = fmt::format("{}[", path);
    for (const auto& [known, text] : values) {
        if (known == path && text == "[]") return 0;
        std::size_t n = 0;
        if (!known.starts_with(prefix)) continue;
        std::from_chars(known.data() + prefix.size(), known.data() + known.size(), n);
        most = std::max(most.value_or(0), n + 1);
    }
    return most;
}

std::vector<std::string> platform_command(const fs::path& binary, const std::optional<fs::path>& configuration,
                                          const std::vector<std::string>& sets) {
    std::vector<std::string> words{binary.string()};
    if (configuration) words.push_back(configuration->string());
    for (const std::string& set : sets) {
        words.emplace_back("--set");
        words.push_back(set);
    }
    return words;
}

std::vector<std::pair<std::string, std::string>> values_of(const std::string& text) {
    config::diagnostics ignored;
    std::vector<std::pair<std::string, std::string>> out;
    const auto tree = config::parse_yaml("", text, ignored);
    if (tree) flatten(*tree, tree->root(), "", out);
    return out;
}

std::vector<complaint> complaints_in(std::string_view text) {
    std::vector<complaint> out;
    bool of_error = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        // "FILE:LINE:COLUMN: error: ...", or "error: ..." alone.
        constexpr std::string_view mark = ": error: ", alone = "error: ";
        const std::size_t at = line.find(mark);
        if (line.starts_with(' ')) {
            if (of_error) read_excerpt(line, out.back());
            continue;
        }
        of_error = at != std::string_view::npos || line.starts_with(alone);
        if (!of_error) continue;
        complaint said;
        if (at != std::string_view::npos) said.at = location_in(line.substr(0, at));
        said.message = line.substr(at != std::string_view::npos ? at + mark.size() : alone.size());
        out.push_back(std::move(said));
    }
    return out;
}

std::vector<unsigned> without_effect_in(std::string_view text) {
    std::vector<unsigned> out;
    constexpr std::string_view mark = ": warning: ";
    for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
        end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::size_t at = line.find(mark);
        if (at == std::string_view::npos || line.find(config::without_effect, at) == std::string_view::npos) continue;
        const config::location said_of = location_in(line.substr(0, at));
        if (said_of.file == config::set_source) out.push_back(said_of.line);
    }
    return out;
}

effective_configuration ask_platform(const platform_program& platform, const std::optional<fs::path>& configuration,
                                     const std::vector<std::string>& sets, const fs::path& folder) {
    std::vector<std::string> words = platform_command(platform.binary, configuration, sets);
    words.emplace_back("--print-config");
    const child_result said = run_child(words, folder);
    effective_configuration out;
    if (said.status == face::exit_ok) {
        out.values = values_of(said.out);
        out.without_effect = without_effect_in(said.err);
        return out;
    }
    out.complaints = complaints_in(said.err);
    if (out.complaints.empty()) {
        complaint odd;
        odd.message = fmt::format("{} --print-config ended with exit status {}", platform.name, said.status);
        odd.hint = last_line(said.err);
        out.complaints.push_back(std::move(odd));
    }
    return out;
}

std::vector<fs::path> files_named_in(const std::vector<std::pair<std::string, std::string>>& values,
                                     const std::vector<fs::path>& folders) {
    std::vector<fs::path> out;
    std::error_code error;
    for (const auto& [path, text] : values) {
        if (text.empty() || text.size() > 4096 || text.find('\0') != std::string::npos) continue;
        for (const fs::path& folder : folders) {
            const fs::path file = folder / text;  // an absolute text is itself
            if (fs::is_regular_file(file, error)) out.push_back(file);
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace contraflow::sweep
