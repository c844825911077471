// SPDX-License-Identifier: Apache-2.0
#include "ordering/outcome.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ordering/litmus_test.h"

namespace contraflow::ordering {
namespace {

using ordered = nlohmann::ordered_json;

ordered names_of(const litmus_test& t, const std::vector<unsigned>& threads) {
    auto names = ordered::array();
    for (const unsigned i : threads) names.push_back(t.threads[i].name);
    return names;
}

std::string bad_entry_text(unsigned entry) { return fmt::format("bad_entry {}", entry); }

// With a space after each colon and comma, as people write it.
std::string text_of(const ordered& object) {
    std::string text;
    for (const auto& [key, value] : object.items())
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", ordered(key).dump(), value.dump());
    return "{" + text + "}";
}

bool is_seen(const outcome_pattern& p, const std::vector<outcome>& seen) {
    return std::any_of(seen.begin(), seen.end(), [&](const outcome& o) { return p.matches(o); });
}

const outcome* only_in(const std::vector<outcome>& one, const std::vector<outcome>& other) {
    for (const outcome& o : one)
        if (std::find(other.begin(), other.end(), o) == other.end()) return &o;
    return nullptr;
}

// A forbidden outcome that is there without a step left out, or the other way round.
const outcome_pattern* first_wrong(const litmus_test& t, const std::vector<outcome>& seen) {
    for (const outcome_pattern& p : t.forbidden)
        if (is_seen(p, seen) == t.step.empty()) return &p;
    return nullptr;
}

}  // namespace

bool outcome_pattern::matches(const outcome& o) const {
    for (std::size_t i = 0; i < registers.size(); ++i)
        if (registers[i] && *registers[i] != o.registers[i]) return false;
    for (std::size_t i = 0; i < bad_entry.size(); ++i)
        if (bad_entry[i] && bad_entry[i] != o.bad_entry[i]) return false;
    return !stuck || *stuck == o.stuck;
}

std::string to_json(const litmus_test& t, const outcome_pattern& p) {
    auto object = ordered::object();
    for (std::size_t i = 0; i < p.registers.size(); ++i)
        if (p.registers[i]) object[t.registers[i]] = *p.registers[i];
    for (std::size_t i = 0; i < p.bad_entry.size(); ++i)
        if (p.bad_entry[i]) object[t.queues[i].name] = bad_entry_text(*p.bad_entry[i]);
    if (p.stuck) object["stuck"] = names_of(t, *p.stuck);
    return text_of(object);
}

std::string to_json(const litmus_test& t, const outcome& o) {
    outcome_pattern all{{o.registers.begin(), o.registers.end()}, o.bad_entry, std::nullopt};
    if (!o.stuck.empty()) all.stuck = o.stuck;
    return to_json(t, all);
}

void sort_by_text(const litmus_test& t, std::vector<outcome>& all) {
    std::vector<std::pair<std::string, outcome>> keyed;
    for (outcome& o : all) {
        std::string text = to_json(t, o);
        keyed.emplace_back(std::move(text), std::move(o));
    }
    std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    all.clear();
    for (auto& [text, o] : keyed)
        if (all.empty() || all.back() != o) all.push_back(std::move(o));
}

std::string to_json(const litmus_test& t, const std::vector<outcome>& all) {
    std::string text = fmt::format("{{\"name\": {}, \"outcomes\": [", ordered(t.name).dump());
    for (std::size_t i = 0; i < all.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "\n  " : ",\n  ", to_json(t, all[i]));
    return text + "]}";
}

std::string first_difference(const litmus_test& t, const std::vector<outcome>& seen) {
    if (t.expected) {
        if (const outcome* o = only_in(seen, *t.expected)) return to_json(t, *o) + " is not expected";
        if (const outcome* o = only_in(*t.expected, seen)) return to_json(t, *o) + " is missing";
    }
    if (const outcome_pattern* p = first_wrong(t, seen))
        return t.step.empty() ? to_json(t, *p) + " is forbidden, and can happen"
                              : fmt::format("{} cannot happen, although there is no {}", to_json(t, *p), t.step);
    return "";
}

std::string first_outside(const litmus_test& t, const std::vector<outcome>& seen) {
    if (t.expected)
        if (const outcome* o = only_in(seen, *t.expected)) return to_json(t, *o) + " is not in the set";
    if (const outcome_pattern* p = first_wrong(t, seen))
        return t.step.empty() ? to_json(t, *p) + " is forbidden, and was seen"
                              : fmt::format("{} was not seen, although there is no {}; more runs may show it",
                                            to_json(t, *p), t.step);
    return "";
}

}  // namespace contraflow::ordering
