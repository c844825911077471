// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/receive_case.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/text/diagnostics.h"

namespace contraflow::nic {
namespace {

using json = nlohmann::json;
using ordered = nlohmann::ordered_json;
using names = config::json_reader::names;

constexpr unsigned most_buffers = 4096;
constexpr unsigned most_rings = 256;
constexpr std::uint64_t any = ~0ull;

class reader : private config::json_reader {
public:
    using config::json_reader::json_reader;

    std::vector<receive_case> read_cases(const json& document) {
        return cases<receive_case>(document, R"([{"name": ..., "node": [0, 0, 0], "packets": [...]}, ...])",
                                   [this](const json& j, const std::string& path) { return read_case(j, path); });
    }

private:
    receive_case read_case(const json& j, const std::string& path) {
        static const names known{"name", "node", "max_payload", "tables", "buffers", "packets", "expected"};
        receive_case c;
        if (!is_object(j, path)) return c;
        check_keys(j, path, known, false);
        if (const json* value = member(j, path, "name")) c.name = one_line(*value, path + ".name");
        if (const json* node = member(j, path, "node")) c.node = read_position(*node, path + ".node");
        if (const auto at = j.find("max_payload"); at != j.end()) {
            const std::size_t before = problems();
            c.max_payload = number<std::uint32_t>(j, path, "max_payload", 64, 4096);
            if (problems() == before && !std::has_single_bit(c.max_payload))
                problem(path + ".max_payload", "a power of two from 64 to 4096 is wanted");
        }
        std::unordered_set<std::uint64_t> entries, indices;
        each(j, path, "tables", [&](const json& row, const std::string& at) {
            if (!row.is_array() || row.size() != 2) return problem(at, "[address, entry] is wanted");
            const std::size_t before = problems();
            const std::uint64_t address = hexadecimal(row[0], at + "[0]", any);
            if (address % 8 != 0) problem(at + "[0]", "an address of an entry is a multiple of 8");
            if (problems() == before && !entries.insert(address).second)
                problem(at + "[0]", fmt::format("a second entry at {:x}", address));
            c.tables.emplace_back(address, hexadecimal(row[1], at + "[1]", any));
        });
        each(j, path, "buffers", [&](const json& b, const std::string& at) {
            const std::size_t before = problems();
            const unsigned index = c.buffers.emplace_back(read_buffer(b, at)).first;
            if (problems() == before && !indices.insert(index).second)
                problem(at + ".index", fmt::format("a second buffer of index {}", index));
        });
        each(j, path, "packets",
             [&](const json& p, const std::string& at) { c.packets.push_back(read_packet(p, at)); });
        if (const auto at = j.find("expected"); at != j.end()) c.expected = read_expected(*at, path + ".expected");
        return c;
    }

    template <class Read> void each(const json& j, const std::string& path, const char* key, Read read) {
        const json* list = member(j, path, key);
        const std::string at = fmt::format("{}.{}", path, key);
        if (list == nullptr || !is_array(*list, at)) return;
        for (std::size_t i = 0; i < list->size(); ++i) read((*list)[i], fmt::format("{}[{}]", at, i));
    }
    template <class T>
    T number(const json& j, const std::string& path, const char* key, std::uint64_t low, std::uint64_t high) {
        const json* value = member(j, path, key);
        return static_cast<T>(value == nullptr ? low : whole(*value, fmt::format("{}.{}", path, key), low, high));
    }
    std::uint64_t hex(const json& j, const std::string& path, const char* key, std::uint64_t high) {
        const json* value = member(j, path, key);
        return value == nullptr ? 0 : hexadecimal(*value, fmt::format("{}.{}", path, key), high);
    }
    std::vector<std::uint8_t> data(const json& j, const std::string& path, const char* key) {
        const json* value = member(j, path, key);
        return value == nullptr ? std::vector<std::uint8_t>{}
                                : hexadecimal_bytes(*value, fmt::format("{}.{}", path, key));
    }
    bool flag(const json& j, const std::string& path, const char* key) {
        const json* value = member(j, path, key);
        return value != nullptr && truth(*value, fmt::format("{}.{}", path, key));
    }

    position read_position(const json& j, const std::string& path) {
        if (!j.is_array() || j.size() != 3) {
            problem(path, "[x, y, z] is wanted, each from 0 to 31");
            return {};
        }
        const auto part = [&](unsigned i) {
            return static_cast<std::uint8_t>(whole(j[i], fmt::format("{}[{}]", path, i), 0, 31));
        };
        return {part(0), part(1), part(2)};
    }
    position read_source(const json& j, const std::string& path) {
        const json* value = member(j, path, "source");
        return value == nullptr ? position{} : read_position(*value, path + ".source");
    }
    template <std::size_t N>
    unsigned choice(const json& j, const std::string& path, const char* key,
                    const std::array<std::string_view, N>& allowed) {
        const json* value = member(j, path, key);
        if (value == nullptr) return 0;
        for (unsigned i = 0; i < N; ++i)
            if (value->is_string() && *value == allowed[i]) return i;
        const std::string word = value->is_string() ? value->get<std::string>() : value->dump();
        problem(fmt::format("{}.{}", path, key),
                fmt::format("no {} {}; there are {}{}", key, config::quoted(word), fmt::join(allowed, ", "),
                            config::meant_aside(word, {allowed.begin(), allowed.end()})));
        return 0;
    }
    memory_space space(const json& j, const std::string& path) {
        return static_cast<memory_space>(choice(j, path, "space", space_names));
    }

    std::pair<unsigned, buffer_entry> read_buffer(const json& j, const std::string& path) {
        static const names known{"index", "valid", "process", "base", "length", "space", "writable", "root", "ring"};
        buffer_entry b;
        if (!is_object(j, path)) return {0, b};
        check_keys(j, path, known, true);
        const auto index = number<unsigned>(j, path, "index", 0, most_buffers - 1);
        b.valid = flag(j, path, "valid");
        b.process = number<std::uint16_t>(j, path, "process", 0, 0xffff);
        b.base = hex(j, path, "base", address_space - 1);
        b.length = number<std::uint64_t>(j, path, "length", 0, address_space);
        b.space = space(j, path);
        b.writable = flag(j, path, "writable");
        b.root = hex(j, path, "root", any);
        if (b.root % 8 != 0) problem(path + ".root", "the address of a table is a multiple of 8");
        b.ring = number<std::uint8_t>(j, path, "ring", 0, most_rings - 1);
        return {index, b};
    }

    std::vector<std::uint8_t> read_packet(const json& j, const std::string& path) {
        std::vector<std::uint8_t> words;
        if (!is_array(j, path)) return words;
        for (std::size_t i = 0; i < j.size(); ++i) {
            const std::string at = fmt::format("{}[{}]", path, i);
            const std::size_t before = problems();
            const auto word = hexadecimal_bytes(j[i], at);
            if (problems() == before && word.size() != word_bytes)
                problem(at, fmt::format("a word has {} bytes", word_bytes));
            words.insert(words.end(), word.begin(), word.end());
        }
        return words;
    }

    receive_result read_expected(const json& j, const std::string& path) {
        receive_result r;
        if (!is_object(j, path)) return r;
        each(j, path, "actions",
             [&](const json& a, const std::string& at) { r.actions.push_back(read_action(a, at)); });
        const json* counters = member(j, path, "counters");
        const std::string at = path + ".counters";
        if (counters == nullptr || !is_object(*counters, at)) return r;
        names known{"accepted", "mailbox", "bytes"};
        known.insert(known.end(), drop_names.begin(), drop_names.begin() + reasons_of_packets);
        check_keys(*counters, at, known, true);
        r.counters.accepted = number<std::uint64_t>(*counters, at, "accepted", 0, any);
        r.counters.mailbox = number<std::uint64_t>(*counters, at, "mailbox", 0, any);
        r.counters.bytes = number<std::uint64_t>(*counters, at, "bytes", 0, any);
        for (unsigned i = 0; i < reasons_of_packets; ++i)
            r.counters.drops[i] = number<std::uint64_t>(*counters, at, std::string(drop_names[i]).c_str(), 0, any);
        return r;
    }

    action read_action(const json& j, const std::string& path) {
        if (!j.is_object() || j.size() != 1) {
            problem(path, "one of write, window, event, mailbox, drop is wanted");
            return {};
        }
        const std::string& kind = j.begin().key();
        const json& a = j.begin().value();
        const std::string at = fmt::format("{}.{}", path, kind);
        if (!is_object(a, at)) return {};
        const auto process = [&] { return number<std::uint16_t>(a, at, "process", 0, 0xffff); };
        const auto tag = [&] { return number<std::uint16_t>(a, at, "tag", 0, 0xfff); };
        if (kind == "write") return data_write{space(a, at), hex(a, at, "address", any), data(a, at, "data")};
        if (kind == "window")
            return window_move{space(a, at),
                               {hex(a, at, "page", any), number<std::uint16_t>(a, at, "token", 0, 0x7fff)}};
        if (kind == "event")
            return completion_event{number<unsigned>(a, at, "ring", 0, most_rings - 1),
                                    process(),
                                    tag(),
                                    read_source(a, at),
                                    hex(a, at, "address", address_space - 1),
                                    number<std::uint32_t>(a, at, "length", 0, most_payload)};
        if (kind == "mailbox")
            return mailbox_message{process(), tag(), read_source(a, at), hex(a, at, "address", address_space - 1),
                                   data(a, at, "payload")};
        if (kind == "drop")
            return drop_action{static_cast<drop_reason>(choice(a, at, "reason", drop_names)), process(), tag(),
                               read_source(a, at)};
        unknown_key(path, kind, {"write", "window", "event", "mailbox", "drop"});
        return {};
    }
};

std::string digits(const std::vector<std::uint8_t>& bytes) {
    std::string text;
    for (const std::uint8_t b : bytes) text += fmt::format("{:02x}", b);
    return text;
}
ordered list(const position& p) { return {p.x, p.y, p.z}; }
std::string hex(std::uint64_t value) { return fmt::format("{:x}", value); }

struct as_json {
    ordered operator()(const data_write& w) const {
        return {{"write",
                 {{"space", space_names[static_cast<unsigned>(w.space)]},
                  {"address", hex(w.address)},
                  {"data", digits(w.data)}}}};
    }
    ordered operator()(const window_move& w) const {
        return {{"window",
                 {{"space", space_names[static_cast<unsigned>(w.space)]},
                  {"page", hex(w.page.page)},
                  {"token", w.page.token}}}};
    }
    ordered operator()(const completion_event& e) const {
        return {{"event",
                 {{"ring", e.ring},
                  {"process", e.process},
                  {"tag", e.tag},
                  {"source", list(e.source)},
                  {"address", hex(e.address)},
                  {"length", e.length}}}};
    }
    ordered operator()(const mailbox_message& m) const {
        return {{"mailbox",
                 {{"process", m.process},
                  {"tag", m.tag},
                  {"source", list(m.source)},
                  {"address", hex(m.address)},
                  {"payload", digits(m.payload)}}}};
    }
    ordered operator()(const drop_action& d) const {
        return {{"drop",
                 {{"reason", to_text(d.reason)}, {"process", d.process}, {"tag", d.tag}, {"source", list(d.source)}}}};
    }
};

ordered counters_json(const receive_counters& c) {
    ordered j{{"accepted", c.accepted}, {"mailbox", c.mailbox}, {"bytes", c.bytes}};
    for (unsigned i = 0; i < reasons_of_packets; ++i) j[std::string(drop_names[i])] = c.drops[i];
    return j;
}

}  // namespace

receive_case_file parse_receive_cases(std::string_view text) {
    receive_case_file file;
    file.problems = config::read_json(text, [&](const json& document, std::vector<config::json_problem>& problems) {
        file.cases = reader(problems).read_cases(document);
    });
    return file;
}

std::string to_json(const receive_case& c) {
    ordered tables = ordered::array(), buffers = ordered::array(), packets = ordered::array();
    for (const auto& [address, entry] : c.tables) tables.push_back({hex(address), hex(entry)});
    for (const auto& [index, b] : c.buffers)
        buffers.push_back({{"index", index},
                           {"valid", b.valid},
                           {"process", b.process},
                           {"base", hex(b.base)},
                           {"length", b.length},
                           {"space", space_names[static_cast<unsigned>(b.space)]},
                           {"writable", b.writable},
                           {"root", hex(b.root)},
                           {"ring", b.ring}});
    for (const auto& p : c.packets) {
        ordered words = ordered::array();
        for (std::size_t at = 0; at < p.size(); at += word_bytes)
            words.push_back(digits({p.begin() + static_cast<std::ptrdiff_t>(at),
                                    p.begin() + static_cast<std::ptrdiff_t>(std::min(at + word_bytes, p.size()))}));
        packets.push_back(words);
    }
    const ordered all{{"name", c.name},   {"node", list(c.node)}, {"max_payload", c.max_payload},
                      {"tables", tables}, {"buffers", buffers},   {"packets", packets}};
    return ordered::array({all}).dump(1) + "\n";
}

std::string to_json(const action& a) { return std::visit(as_json{}, a).dump(); }

std::string to_json(const std::string& name, const receive_result& r) {
    std::string text = fmt::format("{{\"name\": {}, \"actions\": [", ordered(name).dump());
    for (std::size_t i = 0; i < r.actions.size(); ++i)
        text += fmt::format("{}\n  {}", i == 0 ? "" : ",", to_json(r.actions[i]));
    return text + fmt::format("],\n \"counters\": {}}}", counters_json(r.counters).dump());
}

std::string first_difference(const receive_result& r, const receive_result& expected) {
    for (std::size_t i = 0; i < std::max(r.actions.size(), expected.actions.size()); ++i) {
        if (i >= r.actions.size()) return fmt::format("action {} is missing: {}", i, to_json(expected.actions[i]));
        if (i >= expected.actions.size()) return fmt::format("action {} is not expected: {}", i, to_json(r.actions[i]));
        if (r.actions[i] != expected.actions[i])
            return fmt::format("action {}: {}, expected {}", i, to_json(r.actions[i]), to_json(expected.actions[i]));
    }
    const ordered is = counters_json(r.counters), wanted = counters_json(expected.counters);
    for (const auto& [key, value] : is.items())
        if (value != wanted[key])
            return fmt::format("counter {} is {}, expected {}", key, value.dump(), wanted[key].dump());
    return "";
}

}  // namespace contraflow::nic
