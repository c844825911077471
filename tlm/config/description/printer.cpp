// SPDX-License-Identifier: Apache-2.0
#include "config/description/printer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "config/tree/value_path.h"

namespace contraflow::config {
namespace {

constexpr std::size_t widest_flow_list = 72;  // longer ones are written one element a line
constexpr std::size_t comment_column = 40;

bool is_word(std::string_view text) {
    static constexpr std::array<std::string_view, 8> taken{"null", "true", "false", "yes", "no", "on", "off", "y"};
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '/'; };
    if (text.empty() || !letter(text.front()) || !std::all_of(text.begin(), text.end(), inner)) return false;
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower != "n" && std::find(taken.begin(), taken.end(), lower) == taken.end();
}

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return text;
}

class printer {
public:
    explicit printer(const provenance* origins) : origins_(origins) {}
    std::string take() { return std::move(out_); }

    // `lead` goes before the first key: the dash of a list's element.
    void structure_lines(const structure& members, const void* object, std::size_t indent, std::string_view lead,
                         const std::string& path, bool explain) {
        bool first = true;
        for (const auto& f : members.fields) {
            const std::string margin = first && !lead.empty() ? std::string(lead) : std::string(indent, ' ');
            first = false;
            value_lines(*f.type, f.in(object), f, indent, fmt::format("{}{}:", margin, f.key), member_path(path, f.key),
                        explain);
        }
        if (const auto part = members.part_of(object); part.members != nullptr) {
            structure_lines(*part.members, part.object, indent, first ? lead : std::string_view(), path, explain);
        }
    }

private:
    // `head` is the line so far: "  key:" or "  -".
    void value_lines(const type_description& type, const void* value, const field& f, std::size_t indent,
                     const std::string& head, const std::string& path, bool explain) {
        switch (type.form) {
        case shape::optional:
            if (type.size(value) == 0) return line(head + " null", f, path, explain);
            return value_lines(*type.element(), type.at(value, 0), f, indent, head, path, explain);
        case shape::structure: {
            const auto& members = type.members();
            if (members.fields.empty()) return line(head + " {}", f, path, explain);
            line(head, f, {}, explain);
            return structure_lines(members, value, indent + 2, {}, path, explain);
        }
        case shape::list: return list_lines(type, value, f, indent, head, path, explain);
        default: return line(fmt::format("{} {}", head, scalar(type, value)), f, path, explain);
        }
    }

    void list_lines(const type_description& type, const void* list, const field& f, std::size_t indent,
                    const std::string& head, const std::string& path, bool explain) {
        const auto n = type.size(list);
        if (const auto flow = flow_list(type, list); !flow.empty()) {
            // A list counts as set if --set changed one of its elements.
            std::size_t set = 0;
            while (origins_ != nullptr && set < n && origins_->origin(element_path(path, set)) != "set") ++set;
            return line(fmt::format("{} {}", head, flow), f, set < n ? element_path(path, set) : path, explain);
        }
        line(head, f, path, explain);
        const auto& element = *type.element();
        const std::string dash = std::string(indent + 2, ' ') + "-";
        for (std::size_t i = 0; i < n; ++i) {
            const auto here = element_path(path, i);
            const bool fields = element.form == shape::structure && !element.members().fields.empty();
            // The keys' meanings are printed once for each list.
            if (fields)
                structure_lines(element.members(), type.at(list, i), indent + 4, dash + " ", here, explain && i == 0);
            else
                value_lines(element, type.at(list, i), f, indent + 2, dash, here, false);
        }
    }

    // "[1, 2, 3]", or nothing if it does not fit on one line.
    static std::string flow_list(const type_description& type, const void* list) {
        const auto& element = *type.element();
        if (type.size(list) == 0) return "[]";
        if (element.form == shape::list || scalar_of(element).form == shape::structure) return {};
        std::string flow;
        for (std::size_t i = 0; i < type.size(list); ++i) {
            const auto* value = type.at(list, i);
            const bool absent = element.form == shape::optional && element.size(value) == 0;
            if (element.form == shape::optional && !absent) value = element.at(value, 0);
            flow += fmt::format("{}{}", i == 0 ? "[" : ", ", absent ? "null" : scalar(scalar_of(element), value));
            if (flow.size() > widest_flow_list) return {};
        }
        return flow + "]";
    }

    static std::string scalar(const type_description& type, const void* value) {
        const auto text = type.write(value);
        return type.form == shape::text || type.form == shape::choice ? yaml_text(text) : text;
    }

    // An empty path marks a line that only opens a map and has no origin.
    void line(const std::string& content, const field& f, const std::string& path, bool explain) {
        std::string comment;
        if (explain) {
            comment = f.text;
            if (!f.unit.empty()) comment += fmt::format("{}({})", comment.empty() ? "" : " ", f.unit);
        }
        if (origins_ != nullptr && !path.empty()) {
            comment += fmt::format("{}[{}]", comment.empty() ? "" : " ", origins_->origin(path));
        }
        out_ += comment.empty() ? content : fmt::format("{:<{}} # {}", content, comment_column, one_line(comment));
        out_ += '\n';
    }

    const provenance* origins_;
    std::string out_;
};

}  // namespace

std::string yaml_text(std::string_view text) {
    if (is_word(text)) return std::string(text);
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const auto rest = text.substr(i);
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else if (rest.starts_with("\xEF\xBB\xBF")) {
            out += "\\uFEFF";  // a byte order mark; readers drop it
            i += 2;
        } else
            out += c;
    }
    return out + "\"";
}

std::string print_yaml(const structure& members, const void* object, const provenance* origins) {
    if (members.fields.empty()) return "{}\n";
    printer p(origins);
    p.structure_lines(members, object, 0, {}, {}, true);
    return p.take();
}

}  // namespace contraflow::config
