// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/text/text_source.h"
#include "config/tree/provenance.h"
#include "face/run/sha256.h"
#include "sweep/effective_configuration.h"

namespace contraflow::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t id_digits = 16;
constexpr std::size_t binary_digits = 8;

// One --set of a point, and where it comes from.
struct setting {
    std::string argument;
    const assignment* from;
};

struct draft {
    std::optional<fs::path> configuration;
    const assignment* configured_by = nullptr;
    std::vector<setting> settings;
    effective_configuration effective;

    std::vector<std::string> sets() const {
        std::vector<std::string> out;
        for (const setting& s : settings) out.push_back(s.argument);
        return out;
    }
};

class planner {
public:
    planner(const sweep_spec& spec, const planning& how, config::diagnostics& diag)
        : spec_(spec),
          how_(how),
          diag_(diag) {}

    std::optional<plan> run() {
        auto platform = find_platform(spec_.platform, how_.platform_at, diag_);
        expansion_ = expand(spec_, diag_);
        if (!platform || diag_.failed()) return std::nullopt;
        out_.platform = std::move(*platform);
        out_.folder = how_.folder;
        out_.keys = expansion_.keys;
        for (const auto& assignments : expansion_.points) {
            if (!add_draft(assignments)) return std::nullopt;
        }
        ask_all();
        for (std::size_t i = 0; i < drafts_.size(); ++i) report(drafts_[i], expansion_.points[i]);
        if (!diag_.failed()) refuse_without_effect();
        if (diag_.failed()) return std::nullopt;
        for (std::size_t i = 0; i < drafts_.size(); ++i) finish(drafts_[i], expansion_.points[i]);
        find_common();
        return std::move(out_);
    }

private:
    bool add_draft(const std::vector<assignment>& assignments) {
        draft d;
        for (const assignment& a : assignments) {
            if (a.key == configuration_key) d.configured_by = &a;
        }
        if (d.configured_by != nullptr || spec_.configuration) {
            const std::string& name = d.configured_by != nullptr ? d.configured_by->label : *spec_.configuration;
            d.configuration =
                configuration(name, d.configured_by != nullptr ? d.configured_by->value_at : how_.configuration_at);
            if (!d.configuration) return false;
        }
        for (const assignment& a : expansion_.common) add_settings(a, d);
        for (const assignment& a : assignments) {
            if (a.key != configuration_key) add_settings(a, d);
        }
        drafts_.push_back(std::move(d));
        return !diag_.failed();
    }

    std::optional<fs::path> configuration(const std::string& name, const config::location& named_at) {
        const auto known = configurations_.find(name);
        if (known != configurations_.end()) return known->second;
        auto found = find_configuration(out_.platform, name, how_.folder, named_at, diag_);
        if (found) configurations_[name] = *found;
        return found;
    }

    // "a[*].b" is "a[0].b", "a[1].b", ... for as many elements as the configuration has.
    void add_settings(const assignment& a, draft& into) {
        const std::size_t star = a.key.find("[*]");
        if (star == std::string::npos) {
            into.settings.push_back({fmt::format("{}={}", a.key, a.value), &a});
            return;
        }
        const std::string list = a.key.substr(0, star);
        const draft& base = base_of(into.configuration);
        if (!base.effective.complaints.empty()) return report(base, {});
        const auto elements = base.effective.elements(list);
        if (!elements || *elements == 0) {
            say(a.key_at, fmt::format("the configuration has no list {} with elements", config::quoted(list)),
                "[*] stands for every element of a list");
            return;
        }
        for (std::size_t i = 0; i < *elements; ++i) {
            assignment one = a;
            one.key = fmt::format("{}[{}]{}", list, i, a.key.substr(star + 3));
            if (one.key.find("[*]") != std::string::npos) {
                say(a.key_at, "only one [*] in a key", "give the other as a number");
                return;
            }
            into.settings.push_back({fmt::format("{}={}", one.key, one.value), &a});
        }
    }

    // With `set` alone, as far as it has no [*] itself.
    const draft& base_of(const std::optional<fs::path>& configuration) {
        const std::string name = configuration ? configuration->string() : "";
        const auto known = bases_.find(name);
        if (known != bases_.end()) return known->second;
        draft base;
        base.configuration = configuration;
        for (const assignment& a : expansion_.common) {
            if (a.key.find("[*]") == std::string::npos) add_settings(a, base);
        }
        base.effective = ask_platform(out_.platform, configuration, base.sets(), how_.folder);
        return bases_[name] = std::move(base);
    }

    void ask_all() {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < drafts_.size(); i = next++) {
                draft& d = drafts_[i];
                d.effective = ask_platform(out_.platform, d.configuration, d.sets(), how_.folder);
            }
        };
        std::vector<std::thread> threads;
        for (std::size_t i = 1; i < std::min<std::size_t>(how_.jobs, drafts_.size()); ++i) threads.emplace_back(work);
        work();
        for (std::thread& t : threads) t.join();
    }

    // A message of the platform about a draft, at the place in the sweep's file that must be corrected.
    void report(const draft& d, const std::vector<assignment>& assignments) {
        for (const complaint& c : d.effective.complaints) {
            if (c.at.file == config::set_source && c.at.line >= 1 && c.at.line <= d.settings.size()) {
                const setting& s = d.settings[c.at.line - 1];
                const bool of_key = c.at.column <= s.argument.find('=');
                say(of_key ? s.from->key_at : s.from->value_at, c.message, hint_of(c, assignments, s.from));
            } else {
                say(c.at.file.empty() ? how_.platform_at : c.at, c.message, hint_of(c, assignments, nullptr));
            }
        }
    }

    // If a value is wrong in some points only, other values cause it too, and the message names them.
    std::string hint_of(const complaint& c, const std::vector<assignment>& assignments, const assignment* wrong) const {
        std::string others;
        if (!is_said_of_all(c, wrong)) {
            for (const assignment& a : assignments) {
                if (wrong == nullptr || a.key != wrong->key)
                    others += fmt::format("{}{}={}", others.empty() ? "with " : ", ", a.key, a.label);
            }
        }
        return fmt::format("{}{}{}", c.hint, c.hint.empty() || others.empty() ? "" : "; ", others);
    }

    bool is_said_of_all(const complaint& c, const assignment* wrong) const {
        return std::all_of(drafts_.begin(), drafts_.end(), [&](const draft& d) {
            const bool has_it =
                wrong == nullptr || std::any_of(d.settings.begin(), d.settings.end(), [&](const setting& s) {
                    return s.from->key_at == wrong->key_at && s.from->value_at == wrong->value_at;
                });
            return !has_it || std::any_of(d.effective.complaints.begin(), d.effective.complaints.end(),
                                          [&c](const complaint& other) { return other.message == c.message; });
        });
    }

    // What a later value replaces in every point that has it was meant to count.
    void refuse_without_effect() {
        std::map<std::pair<unsigned, unsigned>, const assignment*> replaced;  // by the key's place
        std::set<std::pair<unsigned, unsigned>> counts;
        for (const draft& d : drafts_) {
            const auto& without = d.effective.without_effect;
            for (unsigned n = 1; n <= d.settings.size(); ++n) {
                const assignment& a = *d.settings[n - 1].from;
                const std::pair place{a.key_at.line, a.key_at.column};
                if (std::find(without.begin(), without.end(), n) == without.end())
                    counts.insert(place);
                else
                    replaced.try_emplace(place, &a);
            }
        }
        for (const auto& [place, a] : replaced) {
            if (counts.contains(place)) continue;
            say(a->key_at,
                fmt::format("{} has no effect: each value of {} replaces it", config::quoted(a->key),
                            config::quoted(replacing(*a))),
                "give it in these values");
        }
    }

    // The last key that gives something of which the setting is a part.
    std::string replacing(const assignment& part) const {
        std::string found;
        for (const draft& d : drafts_)
            for (const setting& s : d.settings)
                if (const auto below = part_below(part.key, s.from->key); below && !below->empty()) found = s.from->key;
        return found;
    }

    void say(const config::location& at, const std::string& message, const std::string& hint) {
        if (!said_.emplace(at.file, at.line, at.column, message).second) return;
        if (sources_.insert(at.file).second && at.file != how_.platform_at.file) show_lines_of(at.file);
        diag_.error(at, message, hint);
    }

    void show_lines_of(const std::string& file) {
        config::diagnostics unread;
        if (const auto text = config::read_source((how_.folder / file).string(), unread))
            diag_.add_source(file, text->text);
    }

    void finish(const draft& d, const std::vector<assignment>& assignments) {
        point p;
        p.configuration = d.configuration;
        p.sets = d.sets();
        std::vector<fs::path> folders{how_.folder};
        if (d.configuration) folders.push_back(d.configuration->parent_path());
        p.id = identity(out_.platform.name, d.effective.values, folders).substr(0, id_digits);
        p.directory = fmt::format("{}-{}", p.id, out_.platform.sha256.substr(0, binary_digits));
        for (const std::string& key : out_.keys) {
            const auto given = std::find_if(assignments.begin(), assignments.end(),
                                            [&key](const assignment& a) { return a.key == key; });
            p.labels.push_back(given != assignments.end() ? given->label : d.effective.value(key).value_or(""));
        }
        out_.points.push_back(std::move(p));
    }

    void find_common() {
        if (drafts_.empty()) return;
        if (spec_.configuration) out_.given.emplace_back(configuration_key, *spec_.configuration);
        for (const assignment& a : expansion_.common) out_.given.emplace_back(a.key, a.label + swept_parts(a.key));
        std::map<std::string, std::string> values(drafts_.front().effective.values.begin(),
                                                  drafts_.front().effective.values.end());
        for (const draft& d : drafts_) {
            const std::map<std::string, std::string> others(d.effective.values.begin(), d.effective.values.end());
            std::erase_if(values, [&](const auto& v) {
                const auto same = others.find(v.first);
                return same == others.end() || same->second != v.second;
            });
        }
        for (const auto& [path, value] : drafts_.front().effective.values)
            if (values.contains(path)) out_.common.emplace_back(path, value);
    }

    // The keys that points give in place of a part of a common value.
    std::string swept_parts(const std::string& key) const {
        std::vector<std::string> parts;
        std::copy_if(out_.keys.begin(), out_.keys.end(), std::back_inserter(parts),
                     [&key](const std::string& swept) { return part_below(swept, key).has_value(); });
        if (parts.empty()) return {};
        return fmt::format("; {} {} swept", fmt::join(parts, ", "), parts.size() == 1 ? "is" : "are");
    }

    const sweep_spec& spec_;
    const planning& how_;
    config::diagnostics& diag_;
    expansion expansion_;
    plan out_;
    std::vector<draft> drafts_;
    std::map<std::string, fs::path> configurations_;
    std::map<std::string, draft> bases_;
    std::set<std::tuple<std::string, unsigned, unsigned, std::string>> said_;
    std::set<std::string> sources_;  // the sources whose text `diag_` has
};

}  // namespace

std::string identity(const std::string& platform, const std::vector<std::pair<std::string, std::string>>& values,
                     const std::vector<fs::path>& folders) {
    std::string text = platform + "\n";
    for (const auto& [path, value] : values) text += fmt::format("{} {}:{}\n", path, value.size(), value);
    for (const fs::path& file : files_named_in(values, folders)) text += face::sha256_of_file(file) + "\n";
    return face::sha256(text);
}

std::string name_of(const plan& of, const point& p) {
    const auto last_part = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
    std::string text;
    for (std::size_t k = 0; k < of.keys.size(); ++k) {
        const std::string part = last_part(of.keys[k]);
        const auto alike = std::count_if(of.keys.begin(), of.keys.end(),
                                         [&](const std::string& other) { return last_part(other) == part; });
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", alike == 1 ? part : of.keys[k], p.labels[k]);
    }
    return text.empty() ? "the only point" : text;
}

std::optional<plan> make_plan(const sweep_spec& spec, const planning& how, config::diagnostics& diag) {
    return planner(spec, how, diag).run();
}

}  // namespace contraflow::sweep
