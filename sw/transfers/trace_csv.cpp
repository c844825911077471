// SPDX-License-Identifier: Apache-2.0
#include "transfers/trace_csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "transfers/transfer_spec.h"

namespace contraflow::transfers {
namespace {

constexpr std::array<std::string_view, 4> columns{"start", "from", "to", "bytes"};
constexpr std::size_t most_errors = 20;
constexpr double latest_start_s = 1e6;  // simulated time ends at 1.8e7 s

struct cell {
    std::string_view text;
    unsigned column = 1;
};
using row = std::array<cell, 4>;

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class trace_reader {
public:
    trace_reader(const config::source& csv, const machines::endpoint_directory& endpoints,
                 std::vector<pcie::model::communication>& into, config::diagnostics& diag)
        : csv_(csv),
          endpoints_(endpoints),
          into_(into),
          diag_(diag) {}

    bool run() {
        std::string_view rest = csv_.text;
        if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
        std::size_t rows = 0;
        while (!rest.empty() && errors_ < most_errors) {
            ++line_;
            const auto end = rest.find('\n');
            const auto line = rest.substr(0, end);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            const auto content = trim(line);
            if (content.empty() || content.front() == '#') continue;
            row cells;
            if (!split(line, cells)) continue;
            if (rows == 0 && is_header(cells)) continue;
            if (++rows > most_trace_rows) {
                error(1, fmt::format("more than {} rows", most_trace_rows), "a trace has at most that many");
                break;
            }
            read(cells);
        }
        if (errors_ == 0 && rows == 0) error(0, "the trace has no rows", "each is start,from,to,bytes");
        if (errors_ == most_errors)
            error(0, fmt::format("{} errors in the trace; what follows was not read", most_errors));
        if (errors_ > 0) diag_.add_source(csv_.name, csv_.text);
        return errors_ == 0;
    }

private:
    config::location at(unsigned column) const { return {csv_.name, column == 0 ? 0 : line_, column}; }

    void error(unsigned column, std::string message, std::string hint = {}) {
        ++errors_;
        diag_.error(at(column), std::move(message), std::move(hint));
    }

    bool split(std::string_view line, row& cells) {
        std::size_t begin = 0;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto comma = line.find(',', begin);
            const bool last = i + 1 == cells.size();
            if ((comma == std::string_view::npos) != last) {
                const auto column = static_cast<unsigned>(last ? comma + 1 : line.size() + 1);
                error(column, last ? "more than 4 fields" : fmt::format("{} field{} only", i + 1, i == 0 ? "" : "s"),
                      "a row is start,from,to,bytes");
                return false;
            }
            auto text = line.substr(begin, last ? std::string_view::npos : comma - begin);
            const auto lead = text.find_first_not_of(" \t");
            cells[i].column = static_cast<unsigned>(begin + (lead == std::string_view::npos ? 0 : lead)) + 1;
            text = trim(text);
            // The form in which spreadsheets write texts.
            if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
            cells[i].text = text;
            begin = comma + 1;
        }
        return true;
    }

    static bool is_header(const row& cells) {
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (cells[i].text != columns[i]) return false;
        return true;
    }

    void read(const row& cells) {
        const auto before = errors_;
        pcie::model::communication c;
        c.start_s = read_start(cells[0]);
        const auto from = read_end(cells[1]);
        const auto to = read_end(cells[2]);
        c.size = read_size(cells[3]);
        if (from && to && *from == *to)
            error(cells[2].column, fmt::format("{} sends to itself", config::quoted(cells[2].text)),
                  "from and to differ");
        if (errors_ != before) return;
        c.from = *from;
        c.to = *to;
        if (!endpoints_.joined(c.from, c.to, at(cells[2].column), diag_)) ++errors_;
        c.name = fmt::format("trace:{}", line_);
        into_.push_back(std::move(c));
    }

    double read_start(const cell& from) {
        double seconds = 0;
        const char* const end = from.text.data() + from.text.size();
        const auto [after, ec] = std::from_chars(from.text.data(), end, seconds);
        const bool number = ec == std::errc{} && after == end;
        if (!number || seconds != 0) {  // 0 is the same in every unit
            const auto time = core::parse_unit<core::sim_time>(from.text);
            if (number)
                return error(from.column, fmt::format("start {} has no unit", config::quoted(from.text)),
                             fmt::format("a time such as {0}us or {0}s", from.text)),
                       0;
            if (!time)
                return error(from.column, fmt::format("{} is no start", config::quoted(from.text)),
                             "a time with a unit, such as 1.5ms"),
                       0;
            seconds = time.value.seconds();
        }
        if (!(seconds >= 0 && seconds <= latest_start_s))
            return error(from.column, fmt::format("start {} is out of range", config::quoted(from.text)),
                         fmt::format("0 to {} seconds", latest_start_s)),
                   0;
        return seconds;
    }

    std::optional<pcie::node_id> read_end(const cell& from) {
        if (const auto id = endpoints_.find(from.text)) return id;
        ++errors_;
        return endpoints_.find(from.text, at(from.column), diag_);
    }

    core::bytes read_size(const cell& from) {
        std::uint64_t count = 0;
        const char* const end = from.text.data() + from.text.size();
        const auto [after, ec] = std::from_chars(from.text.data(), end, count);
        if (ec != std::errc{} || after != end) {
            const auto size = core::parse_unit<core::bytes>(from.text);
            if (!size)
                return error(from.column, fmt::format("{} is no size", config::quoted(from.text)),
                             "a count of bytes such as 4096, or a size such as 4KiB"),
                       core::bytes{};
            count = size.value.count;
        }
        if (count == 0 || count > largest_send.count)
            return error(from.column, fmt::format("size {} is out of range", config::quoted(from.text)),
                         fmt::format("1 byte to {}", core::to_text(largest_send))),
                   core::bytes{};
        return {count};
    }

    const config::source& csv_;
    const machines::endpoint_directory& endpoints_;
    std::vector<pcie::model::communication>& into_;
    config::diagnostics& diag_;
    unsigned line_ = 0;
    std::size_t errors_ = 0;
};

}  // namespace

bool read_trace(const config::source& csv, const machines::endpoint_directory& endpoints,
                std::vector<pcie::model::communication>& into, config::diagnostics& diag) {
    return trace_reader(csv, endpoints, into, diag).run();
}

}  // namespace contraflow::transfers
