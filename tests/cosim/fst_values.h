// SPDX-License-Identifier: Apache-2.0
// Values of an FST or VCD file by name and time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "wave/fst_contents.h"

namespace contraflow::test {

class fst_values {
public:
    using history = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // ps, value

    // Converts to VCD first, because a VCD is read without a library.
    static fst_values read(const std::string& file) {
        fst_values v;
        if (file.ends_with(".vcd")) {
            v.read_vcd(file);
            return v;
        }
        v.contents_ = wave::read_fst_contents(file).value();
        if (!wave::write_as_vcd(file, file + ".vcd")) throw std::runtime_error("cannot be read: " + file);
        v.read_vcd(file + ".vcd");
        std::filesystem::remove(file + ".vcd");
        return v;
    }

    bool has(const std::string& name) const { return codes_.contains(name); }
    const history& changes(const std::string& name) const { return changes_.at(codes_.at(name)); }
    std::uint64_t at(const std::string& name, core::sim_time when) const {
        const history& h = changes(name);
        const auto after =
            std::upper_bound(h.begin(), h.end(), when.ps, [](auto t, const auto& c) { return t < c.first; });
        if (after == h.begin()) throw std::runtime_error(name + " has no value yet");
        return std::prev(after)->second;
    }
    // The values from that time on, with times counted from there.
    history since(const std::string& name, core::sim_time from) const {
        history h{{from.ps, at(name, from)}};
        for (const auto& c : changes(name))
            if (c.first > from.ps) h.push_back(c);
        return h;
    }
    std::vector<std::string> all_names() const {
        std::vector<std::string> names;
        for (const auto& [name, code] : codes_) names.push_back(name);
        return names;
    }
    std::map<std::string, history> all() const {
        std::map<std::string, history> values;
        for (const auto& [name, code] : codes_) values[name] = changes_.at(code);
        return values;
    }
    // The names of the values 0, 1, ...
    std::vector<std::string> names(const std::string& name) const {
        std::vector<std::string> all;
        for (const auto& [value, text] :
             contents_.value_names.at(static_cast<std::size_t>(contents_.find(name)->value_names)).names)
            all.push_back(text);
        return all;
    }

private:
    void read_vcd(const std::string& file) {
        std::ifstream in(file);
        std::vector<std::string> scopes;
        std::uint64_t now = 0;
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            std::string first, rest;
            if (!(words >> first)) continue;
            if (first == "$scope") {
                words >> rest >> rest;
                scopes.push_back((scopes.empty() ? "" : scopes.back()) + rest + '.');
            } else if (first == "$upscope") {
                scopes.pop_back();
            } else if (first == "$var") {
                std::string type, bits, code, name;
                words >> type >> bits >> code >> name;
                codes_[(scopes.empty() ? "" : scopes.back()) + name] = code;
                changes_[code];
            } else if (first[0] == '#') {
                now = std::stoull(first.substr(1));
            } else if (first[0] == 'b') {
                words >> rest;
                changes_[rest].emplace_back(now, value_of(first.substr(1)));
            } else if (first[0] == '0' || first[0] == '1') {
                changes_[first.substr(1)].emplace_back(now, first[0] - '0');
            }
        }
    }

    // For a value too wide for a number: a hash, which differs where the value does.
    static std::uint64_t value_of(const std::string& bits) {
        return bits.size() > 64 ? std::hash<std::string>{}(bits) : std::stoull(bits, nullptr, 2);
    }

    wave::fst_contents contents_;
    std::map<std::string, std::string> codes_;  // by name; one may have several
    std::map<std::string, history> changes_;
};

}  // namespace contraflow::test
