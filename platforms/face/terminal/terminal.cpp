// SPDX-License-Identifier: Apache-2.0
#include "face/terminal/terminal.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "face/terminal/text_layout.h"

namespace contraflow::face {
namespace {

constexpr std::size_t gap = 2;                 // columns between two columns of a table
constexpr std::size_t narrowest_wrapped = 12;  // a text column is not squeezed below this

void print_line(std::ostream& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
}

// Puts `first` before the first line, and the same number of spaces before the others.
void print_wrapped(std::ostream& out, std::string_view first, std::string_view text, std::size_t width) {
    const std::size_t indent = display_width(first);
    std::string lead(first);
    for (const std::string& line : wrap(printable(text), width > indent + 20 ? width - indent : 20)) {
        print_line(out, lead + line);
        lead.assign(indent, ' ');
    }
}

void print_note(std::ostream& out, const std::string& note, page_width width) {
    if (!note.empty()) print_wrapped(out, "  ", note, width.prose);
}

// A table's column as text.
struct text_column {
    std::string name, unit;
    std::vector<std::string> cells;
    bool right = false;
    std::size_t width = 0;
};

text_column text_of(const table& t, std::size_t index) {
    text_column out{printable(t.columns[index].name), printable(t.columns[index].unit), {}, false, 0};
    std::vector<double> numbers;
    for (const auto& row : t.rows) {
        if (const double* value = index < row.size() ? std::get_if<double>(&row[index]) : nullptr) {
            numbers.push_back(*value);
        }
    }
    const std::vector<std::string> formatted = number_column(numbers, t.columns[index].unit);
    std::size_t next = 0;
    std::size_t numeric = 0;
    for (const auto& row : t.rows) {
        if (index >= row.size()) {
            out.cells.emplace_back();
        } else if (const auto* text = std::get_if<std::string>(&row[index])) {
            out.cells.push_back(printable(*text));
        } else {
            const auto* whole = std::get_if<std::int64_t>(&row[index]);
            out.cells.push_back(whole ? with_separators(*whole) : formatted[next++]);
            ++numeric;
        }
    }
    out.right = numeric > 0;  // among numbers, text is a "-" or the like
    out.width = std::max(display_width(out.name), display_width(out.unit));
    for (const std::string& c : out.cells) {
        for (std::string_view rest = c; !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            out.width = std::max(out.width, display_width(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return out;
}

// Takes columns from the widest text column until the table fits, or none can give any more.
void fit(std::vector<text_column>& columns, std::size_t available) {
    std::size_t total = 0;
    for (const text_column& c : columns) total += c.width + gap;
    total -= std::min(total, gap);
    while (total > available) {
        text_column* widest = nullptr;
        for (text_column& c : columns) {
            if (!c.right && c.width > narrowest_wrapped && (!widest || c.width > widest->width)) widest = &c;
        }
        if (!widest) return;
        --widest->width;
        --total;
    }
}

void print_row(std::ostream& out, const std::vector<text_column>& columns,
               const std::vector<std::vector<std::string>>& cells) {
    std::size_t height = 1;
    for (const auto& lines : cells) height = std::max(height, lines.size());
    for (std::size_t line = 0; line < height; ++line) {
        std::string text;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::string_view part = line < cells[i].size() ? std::string_view(cells[i][line]) : "";
            text += columns[i].right ? pad_left(part, columns[i].width) : pad_right(part, columns[i].width);
            text.append(gap, ' ');
        }
        print_line(out, std::move(text));
    }
}

cell load_cell(double load) {
    if (load < 0) return "-";
    return load * 100;
}

// The tree's names with their branches, one row a node.
void add_nodes(table& t, const tree_node& node, const std::string& branch, const std::string& below) {
    t.rows.push_back({branch + node.name, node.kind, node.link, load_cell(node.up_load), node.up_note,
                      load_cell(node.down_load), node.down_note});
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const bool last = i + 1 == node.children.size();
        add_nodes(t, node.children[i], below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "));
    }
}

void drop_empty_columns(table& t) {
    for (std::size_t i = t.columns.size(); i-- > 0;) {
        const bool empty =
            std::all_of(t.rows.begin(), t.rows.end(), [i](const auto& row) { return row[i] == cell(std::string()); });
        if (!empty) continue;
        t.columns.erase(t.columns.begin() + static_cast<std::ptrdiff_t>(i));
        for (auto& row : t.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void print_steps(std::ostream& out, const steps& s, page_width width) {
    if (!s.title.empty()) print_wrapped(out, "", s.title, width.prose);
    const std::size_t digits = fmt::format("{}", s.items.size()).size();
    for (std::size_t i = 0; i < s.items.size(); ++i) {
        print_wrapped(out, fmt::format("  {:>{}}. ", i + 1, digits), s.items[i], width.prose);
    }
    print_note(out, s.note, width);
}

struct item_printer {
    std::ostream& out;
    page_width width;

    void operator()(const text_block& t) const {
        if (!t.on_terminal) return;
        out << '\n';
        print_wrapped(out, "", t.text, width.prose);
    }
    void operator()(const table& t) const {
        if (!t.on_terminal) return;
        out << '\n';
        print_table(out, t, width);
    }
    void operator()(const tree_view& t) const {
        if (!t.on_terminal) return;
        out << '\n';
        print_tree(out, t, width);
    }
    void operator()(const steps& s) const {
        if (!s.on_terminal) return;
        out << '\n';
        print_steps(out, s, width);
    }
    // Only the page shows pictures.
    void operator()(const chart&) const {}
    void operator()(const timeline&) const {}
};

}  // namespace

void print_table(std::ostream& out, const table& t, page_width width) {
    if (!t.title.empty()) print_wrapped(out, "", t.title, width.prose);
    std::vector<text_column> columns;
    for (std::size_t i = 0; i < t.columns.size(); ++i) columns.push_back(text_of(t, i));
    fit(columns, width.table);
    std::vector<std::vector<std::string>> names, units;
    for (const text_column& c : columns) {
        names.push_back(wrap(c.name, c.width));
        units.push_back({c.unit});
    }
    print_row(out, columns, names);
    if (std::any_of(columns.begin(), columns.end(), [](const text_column& c) { return !c.unit.empty(); })) {
        print_row(out, columns, units);
    }
    for (std::size_t row = 0; row < t.rows.size(); ++row) {
        std::vector<std::vector<std::string>> cells;
        for (const text_column& c : columns) {
            // A cell that fits keeps its spaces: they may be an indentation.
            const bool fits = display_width(c.cells[row]) <= c.width && c.cells[row].find('\n') == std::string::npos;
            cells.push_back(fits ? std::vector<std::string>{c.cells[row]} : wrap(c.cells[row], c.width));
        }
        print_row(out, columns, cells);
    }
    print_note(out, t.note, width);
}

void print_tree(std::ostream& out, const tree_view& t, page_width width) {
    table as_table{t.id, t.title, {{"node"}, {"kind"}, {"link"}, {"up", "%"}, {""}, {"down", "%"}, {""}}, {}, t.note};
    add_nodes(as_table, t.root, "", "");
    drop_empty_columns(as_table);
    print_table(out, as_table, width);
}

void print_report(std::ostream& out, const report_data& report, page_width width, bool brief) {
    std::string title = report.title.empty() ? report.platform : report.platform + ": " + report.title;
    std::string levels;
    for (const auto& [part, level] : report.levels) { levels += (levels.empty() ? " (" : ", ") + part + ": " + level; }
    if (!levels.empty()) levels += ')';
    print_wrapped(out, "", title + levels, width.prose);
    for (const std::string& sentence : report.headline) print_wrapped(out, "", sentence, width.prose);
    for (const std::string& warning : report.warnings) print_wrapped(out, "warning: ", warning, width.prose);
    if (brief) return;
    for (const section& s : report.sections) {
        for (const item& i : s.items) std::visit(item_printer{out, width}, i);
    }
}

}  // namespace contraflow::face
