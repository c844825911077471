// SPDX-License-Identifier: Apache-2.0
// Reads a value change dump strictly, and independently of its writer: any error throws.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace contraflow::test {

struct vcd_signal {
    unsigned bits = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> changes;  // ps, value
};

struct vcd {
    std::string timescale;
    std::map<std::string, vcd_signal> signals;  // by dotted name
    std::vector<std::string> scopes;            // as opened
    std::uint64_t end_ps = 0;
};

class vcd_reader {
public:
    static vcd read(const std::string& text) {
        vcd_reader r(text);
        r.definitions();
        r.changes();
        return std::move(r.result_);
    }

private:
    explicit vcd_reader(const std::string& text) : in_(text) {}

    static void demand(bool holds, const std::string& what) {
        if (!holds) throw std::runtime_error("vcd: " + what);
    }
    std::string word() {
        std::string w;
        demand(static_cast<bool>(in_ >> w), "ends early");
        return w;
    }
    std::vector<std::string> to_end() {
        std::vector<std::string> words;
        for (std::string w = word(); w != "$end"; w = word()) {
            demand(w != "$var" && w != "$scope" && w != "$upscope", w + " inside a section");
            words.push_back(w);
        }
        return words;
    }
    void definitions() {
        std::vector<std::string> path;
        for (;;) {
            const std::string section = word();
            const auto words = to_end();
            if (section == "$enddefinitions") {
                demand(path.empty(), "a scope is left open");
                return;
            }
            if (section == "$timescale") {
                for (const auto& w : words) result_.timescale += w;
            } else if (section == "$scope") {
                demand(words.size() == 2 && words[0] == "module", "malformed $scope");
                path.push_back(words[1]);
                result_.scopes.push_back(join(path));
            } else if (section == "$upscope") {
                demand(!path.empty() && words.empty(), "malformed $upscope");
                path.pop_back();
            } else if (section == "$var") {
                variable(path, words);
            } else {
                demand(section == "$version" || section == "$comment", "unknown section " + section);
            }
        }
    }
    void variable(std::vector<std::string> path, const std::vector<std::string>& words) {
        demand(words.size() >= 4 && words[0] == "wire", "malformed $var");
        const auto bits = static_cast<unsigned>(std::stoul(words[1]));
        if (bits > 1) demand(words.size() == 5 && words[4] == fmt::format("[{}:0]", bits - 1), "range");
        path.push_back(words[3]);
        demand(result_.signals.try_emplace(join(path), vcd_signal{bits, {}}).second, join(path) + " is there twice");
        demand(by_code_.try_emplace(words[2], join(path)).second, "identifier used twice");
    }
    void changes() {
        bool timed = false;
        for (std::string w; in_ >> w;) {
            if (w.front() == '#') {
                const auto time = std::stoull(w.substr(1));
                demand(!timed || time > result_.end_ps, "time does not advance");
                result_.end_ps = time;
                timed = true;
            } else if (w == "$dumpvars" || w == "$end") {
                demand(timed && result_.end_ps == 0, w + " not at time 0");
            } else if (w.front() == 'b') {
                change(word(), w.substr(1));
            } else {
                change(w.substr(1), w.substr(0, 1));
            }
        }
    }
    void change(const std::string& code, const std::string& digits) {
        demand(by_code_.contains(code), "unknown identifier " + code);
        auto& s = result_.signals[by_code_[code]];
        demand(!digits.empty() && digits.size() <= s.bits, "value of the wrong width");
        demand(digits.find_first_not_of("01") == std::string::npos, "a digit that is no bit");
        s.changes.emplace_back(result_.end_ps, std::stoull(digits, nullptr, 2));
    }
    static std::string join(const std::vector<std::string>& path) {
        std::string name;
        for (const auto& p : path) name += (name.empty() ? "" : ".") + p;
        return name;
    }

    std::istringstream in_;
    std::map<std::string, std::string> by_code_;
    vcd result_;
};

}  // namespace contraflow::test
