// SPDX-License-Identifier: Apache-2.0
#include "ordering/test_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/text/diagnostics.h"

namespace contraflow::ordering {
namespace {

using json = nlohmann::json;
using names = config::json_reader::names;

// What follows an instruction's name; in the order of the enumeration.
struct instruction_form {
    std::string_view name;
    instruction::operation op;
    const char* operands;  // for messages
    std::size_t count;
};
constexpr std::array<instruction_form, 7> forms{
    {{"store", instruction::operation::store, ", VARIABLE, VALUE", 2},
     {"load", instruction::operation::load, ", VARIABLE, REGISTER", 2},
     {"wait_until", instruction::operation::wait_until, ", VARIABLE, VALUE", 2},
     {"ppb_invalidate", instruction::operation::ppb_invalidate, "", 0},
     {"doorbell", instruction::operation::doorbell, ", QUEUE, NUMBER", 2},
     {"wait", instruction::operation::wait, "", 0},
     {"kernel_end", instruction::operation::kernel_end, "", 0}}};

constexpr std::array<std::string_view, 3> entry_names{"put", "inline", "fence"};

template <class Named> std::optional<unsigned> index_of(const std::vector<Named>& all, const std::string& name) {
    for (unsigned i = 0; i < all.size(); ++i)
        if (all[i].name == name) return i;
    return std::nullopt;
}

class reader : private config::json_reader {
public:
    using config::json_reader::json_reader;

    std::vector<litmus_test> read_tests(const json& document) {
        return cases<litmus_test>(
            document,
            R"([{"name": ..., "nodes": 2, "variables": {...}, "queues": {...}, "threads": {...}, "outcomes": [...]}])",
            [this](const json& j, const std::string& path) { return read_test(j, path); });
    }

private:
    litmus_test read_test(const json& j, const std::string& path) {
        static const names known{"name",      "about",  "step",    "forbidden", "nodes",
                                 "variables", "queues", "threads", "outcomes"};
        litmus_test t;
        test_ = &t;
        if (!is_object(j, path)) return t;
        check_keys(j, path, known, true);
        if (const json* name = member(j, path, "name")) t.name = text(*name, path + ".name");
        if (j.contains("about")) t.about = text(j["about"], path + ".about");
        if (j.contains("step")) t.step = text(j["step"], path + ".step");
        t.nodes = static_cast<unsigned>(number(j, path, "nodes", 1, most_nodes));
        if (!read_named(j, path, "variables", t.variables, false,
                        [this](const json& v, const std::string& at, const std::string& name) {
                            return read_variable(v, at, name);
                        }) ||
            !read_named(j, path, "queues", t.queues, true,
                        [this](const json& q, const std::string& at, const std::string& name) {
                            return read_queue(q, at, name);
                        }) ||
            !read_named(j, path, "threads", t.threads, false,
                        [this](const json& p, const std::string& at, const std::string& name) {
                            return read_thread(p, at, name);
                        }))
            return t;
        check_names(path);
        if (j.contains("outcomes")) {
            t.expected.emplace();
            each(j["outcomes"], path + ".outcomes",
                 [&](const json& o, const std::string& at) { t.expected->push_back(complete(read_pattern(o, at))); });
            sort_by_text(t, *t.expected);
        }
        if (j.contains("forbidden"))
            each(j["forbidden"], path + ".forbidden", [&](const json& o, const std::string& at) {
                if (o.is_object() && o.empty()) problem(at, "every outcome would be forbidden");
                t.forbidden.push_back(read_pattern(o, at));
            });
        return t;
    }

    // {name: ...}: false if it is nothing that the rest of the test can be read against.
    template <class Named, class Read>
    bool read_named(const json& j, const std::string& path, const char* key, std::vector<Named>& into, bool optional,
                    Read read) {
        if (optional && !j.contains(key)) return true;
        const json* all = member(j, path, key);
        const std::string at = fmt::format("{}.{}", path, key);
        if (all == nullptr || !is_object(*all, at)) return false;
        if (all->size() > most_named) {
            problem(at, fmt::format("{} of them; at most {} are allowed", all->size(), most_named));
            return false;
        }
        const std::size_t before = problems();
        if (all->empty() && !optional) problem(at, "is empty");
        for (const auto& [name, given] : all->items()) {
            if (name.empty()) problem(at, "a name is empty");
            into.push_back(read(given, fmt::format("{}.{}", at, name), name));
            into.back().name = name;
        }
        return problems() == before;
    }
    template <class Read> void each(const json& list, const std::string& path, Read read) {
        if (!is_array(list, path)) return;
        for (std::size_t i = 0; i < list.size(); ++i) read(list[i], fmt::format("{}[{}]", path, i));
    }
    std::uint64_t number(const json& j, const std::string& path, const char* key, std::uint64_t low,
                         std::uint64_t high) {
        const json* found = member(j, path, key);
        return found == nullptr ? low : whole(*found, fmt::format("{}.{}", path, key), low, high);
    }
    unsigned node(const json& j, const std::string& path, const char* key) {
        return static_cast<unsigned>(number(j, path, key, 0, test_->nodes - 1));
    }

    // The index of what is named; it must be at `at_node`, if that is given.
    template <class Named>
    unsigned reference(const json& j, const std::string& path, const char* kind, const std::vector<Named>& all,
                       std::optional<unsigned> at_node) {
        const std::string name = text(j, path);
        if (name.empty()) return 0;
        const auto found = index_of(all, name);
        if (!found) {
            names known;
            for (const auto& one : all) known.push_back(one.name);
            problem(path,
                    fmt::format("there is no {} {}{}", kind, config::quoted(name), config::meant_aside(name, known)));
            return 0;
        }
        if (at_node && all[*found].node != *at_node)
            problem(path, fmt::format("{} {} is at node {}, and node {} is wanted", kind, config::quoted(name),
                                      all[*found].node, *at_node));
        return *found;
    }
    unsigned variable_at(const json& j, const std::string& path, unsigned node) {
        return reference(j, path, "variable", test_->variables, node);
    }
    unsigned variable_of(const json& j, const std::string& path, const char* key, unsigned node) {
        const json* name = member(j, path, key);
        return name == nullptr ? 0 : variable_at(*name, fmt::format("{}.{}", path, key), node);
    }

    variable read_variable(const json& j, const std::string& path, const std::string& name) {
        static const names known{"node", "line", "cached", "initial"};
        variable v;
        if (!is_object(j, path)) return v;
        check_keys(j, path, known, true);
        v.node = node(j, path, "node");
        v.line = j.contains("line") ? text(j["line"], path + ".line") : "=" + name;
        if (j.contains("cached")) v.cached = truth(j["cached"], path + ".cached");
        for (const variable& other : test_->variables)
            if (other.node == v.node && other.line == v.line && other.cached != v.cached)
                problem(path, fmt::format("line {} is in {} page, for another variable", config::quoted(v.line),
                                          other.cached ? "a cached" : "an uncached"));
        if (j.contains("initial")) v.initial = whole(j["initial"], path + ".initial", 0, largest_value);
        return v;
    }

    send_queue read_queue(const json& j, const std::string& path, const std::string& /*name*/) {
        static const names known{"node", "to", "entries", "completion"};
        send_queue q;
        if (!is_object(j, path)) return q;
        check_keys(j, path, known, true);
        q.node = node(j, path, "node");
        q.to = node(j, path, "to");
        if (const json* list = member(j, path, "entries")) {
            const std::string at = path + ".entries";
            if (list->is_array() && (list->empty() || list->size() > most_entries))
                problem(at, fmt::format("from 1 to {} entries are wanted", most_entries));
            each(*list, at,
                 [&](const json& e, const std::string& place) { q.entries.push_back(read_entry(e, place, q)); });
        }
        if (j.contains("completion")) q.completion = variable_of(j, path, "completion", q.node);
        return q;
    }

    queue_entry read_entry(const json& j, const std::string& path, const send_queue& q) {
        queue_entry e;
        if (!is_object(j, path)) return e;
        e.slot = variable_of(j, path, "slot", q.node);
        e.ready = number(j, path, "ready", 0, largest_value);
        const json* op = member(j, path, "op");
        if (op == nullptr) return e;
        const auto found = std::find_if(entry_names.begin(), entry_names.end(),
                                        [op](std::string_view n) { return op->is_string() && *op == n; });
        if (found == entry_names.end()) {
            const std::string word = op->is_string() ? op->get<std::string>() : op->dump();
            problem(path + ".op",
                    fmt::format("no operation {}; there are {}{}", config::quoted(word), fmt::join(entry_names, ", "),
                                config::meant_aside(word, {entry_names.begin(), entry_names.end()})));
            return e;
        }
        e.op = static_cast<queue_entry::operation>(found - entry_names.begin());
        names known{"slot", "ready", "op"};
        if (e.op == queue_entry::operation::put) {
            known.emplace_back("from");
            e.from = variable_of(j, path, "from", q.node);
        }
        if (e.op == queue_entry::operation::inline_value) {
            known.emplace_back("value");
            e.carried = number(j, path, "value", 0, largest_value);
        }
        if (e.op != queue_entry::operation::fence) {
            known.emplace_back("to");
            e.to = variable_of(j, path, "to", q.to);
        }
        check_keys(j, path, known, true);
        return e;
    }

    thread read_thread(const json& j, const std::string& path, const std::string& name) {
        static const names known{"node", "program"};
        thread t;
        if (!is_object(j, path)) return t;
        check_keys(j, path, known, true);
        t.node = node(j, path, "node");
        if (const json* list = member(j, path, "program")) {
            const std::string at = path + ".program";
            if (list->is_array() && list->size() > longest_program)
                problem(at, fmt::format("{} instructions; at most {} are allowed", list->size(), longest_program));
            each(*list, at, [&](const json& i, const std::string& place) {
                t.program.push_back(read_instruction(i, place, t.node, name + "."));
            });
        }
        return t;
    }

    instruction read_instruction(const json& j, const std::string& path, unsigned node, const std::string& prefix) {
        using op = instruction::operation;
        instruction i;
        if (!j.is_array() || j.empty() || !j[0].is_string()) {
            problem(path, R"(an instruction is wanted, such as ["store", "x", 1])");
            return i;
        }
        const auto& word = j[0].get_ref<const std::string&>();
        const auto* form =
            std::find_if(forms.begin(), forms.end(), [&](const instruction_form& f) { return f.name == word; });
        if (form == forms.end()) {
            names known;
            for (const instruction_form& f : forms) known.emplace_back(f.name);
            problem(path + "[0]", fmt::format("no instruction {}; there are {}{}", config::quoted(word),
                                              fmt::join(known, ", "), config::meant_aside(word, known)));
            return i;
        }
        i.op = form->op;
        if (j.size() != form->count + 1) {
            problem(path, fmt::format(R"(["{}"{}] is wanted)", form->name, form->operands));
            return i;
        }
        if (form->count == 0) return i;
        if (i.op == op::doorbell) {
            const std::size_t before = problems();
            i.target = reference(j[1], path + "[1]", "queue", test_->queues, node);
            if (problems() == before) i.operand = whole(j[2], path + "[2]", 1, test_->queues[i.target].entries.size());
            return i;
        }
        i.target = variable_at(j[1], path + "[1]", node);
        if (i.op != op::load) {
            i.operand = whole(j[2], path + "[2]", 0, largest_value);
            return i;
        }
        const std::string name = text(j[2], path + "[2]");
        auto& registers = test_->registers;
        const auto known = std::find(registers.begin(), registers.end(), prefix + name);
        i.register_index = static_cast<unsigned>(known - registers.begin());
        if (known == registers.end()) registers.push_back(prefix + name);
        return i;
    }

    // Registers, queues and "stuck" are keys of one object in an outcome.
    void check_names(const std::string& path) {
        std::set<std::string> taken{"stuck"};
        taken.insert(test_->registers.begin(), test_->registers.end());
        for (const send_queue& q : test_->queues)
            if (!taken.insert(q.name).second)
                problem(fmt::format("{}.queues.{}", path, q.name),
                        fmt::format("the name {} has another meaning in an outcome", config::quoted(q.name)));
    }

    outcome_pattern read_pattern(const json& j, const std::string& path) {
        outcome_pattern p{std::vector<std::optional<value>>(test_->registers.size()),
                          std::vector<std::optional<unsigned>>(test_->queues.size()), std::nullopt};
        if (!is_object(j, path)) return p;
        for (const auto& [key, given] : j.items()) {
            const auto& registers = test_->registers;
            const auto found = std::find(registers.begin(), registers.end(), key);
            const auto queue = index_of(test_->queues, key);
            if (found != registers.end())
                p.registers[static_cast<std::size_t>(found - registers.begin())] = whole(given, path, 0, largest_value);
            else if (queue)
                p.bad_entry[*queue] = read_bad_entry(given, path, test_->queues[*queue]);
            else if (key == "stuck")
                p.stuck = read_stuck(given, path + ".stuck");
            else
                unknown_key(path, key, keys_of_outcomes());
        }
        return p;
    }
    names keys_of_outcomes() const {
        names all = test_->registers;
        for (const send_queue& q : test_->queues) all.push_back(q.name);
        all.emplace_back("stuck");
        return all;
    }
    unsigned read_bad_entry(const json& j, const std::string& path, const send_queue& q) {
        static constexpr std::string_view begin = "bad_entry ";
        if (j.is_string()) {
            const auto& word = j.get_ref<const std::string&>();
            unsigned entry = 0;
            if (word.starts_with(begin)) {
                const char* end = word.data() + word.size();
                const auto [rest, error] = std::from_chars(word.data() + begin.size(), end, entry);
                if (error == std::errc{} && rest == end && entry < q.entries.size()) return entry;
            }
        }
        problem(path, fmt::format("\"bad_entry N\" is wanted for queue {}, with N from 0 to {}", config::quoted(q.name),
                                  q.entries.size() - 1));
        return 0;
    }
    std::vector<unsigned> read_stuck(const json& j, const std::string& path) {
        std::vector<unsigned> all;
        each(j, path, [&](const json& name, const std::string& at) {
            all.push_back(reference(name, at, "thread", test_->threads, std::nullopt));
        });
        std::sort(all.begin(), all.end());
        return all;
    }

    static outcome complete(const outcome_pattern& p) {
        outcome o{{}, p.bad_entry, p.stuck.value_or(std::vector<unsigned>{})};
        for (const auto& r : p.registers) o.registers.push_back(r.value_or(0));
        return o;
    }

    litmus_test* test_ = nullptr;  // the one that is being read
};

}  // namespace

test_file parse_tests(std::string_view text) {
    test_file file;
    file.problems = config::read_json(text, [&](const json& document, std::vector<config::json_problem>& problems) {
        file.cases = reader(problems).read_tests(document);
    });
    return file;
}

std::string to_text(const litmus_test& t, const instruction& i) {
    using op = instruction::operation;
    const auto name = forms[static_cast<std::size_t>(i.op)].name;
    switch (i.op) {
    case op::store:
    case op::wait_until: return fmt::format("{} {} {}", name, t.variables[i.target].name, i.operand);
    case op::load: return fmt::format("{} {} {}", name, t.variables[i.target].name, t.registers[i.register_index]);
    case op::doorbell: return fmt::format("{} {} {}", name, t.queues[i.target].name, i.operand);
    default: return std::string(name);
    }
}

}  // namespace contraflow::ordering
