// SPDX-License-Identifier: Apache-2.0
// Amounts that must be equal at the end of a run (bytes in = bytes out, credits lent = credits returned). A difference
// is an error of the model or of its use, and fails the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace contraflow::observe {

struct conservation_check {
    std::string name;  // "k80_0.up: posted header credits lent and returned"
    std::string unit;
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    bool held() const { return in == out; }
    // "100 packets went in, 99 came out"; "1 bytes, where none are right" if there must be none.
    std::string difference() const {
        if (in == 0) return std::to_string(out) + " " + unit + ", where none are right";
        return std::to_string(in) + " " + unit + " went in, " + std::to_string(out) + " came out";
    }
};

class conservation {
public:
    void check(std::string name, std::string unit, std::uint64_t in, std::uint64_t out) {
        checks_.push_back({std::move(name), std::move(unit), in, out});
    }
    bool held() const {
        return std::all_of(checks_.begin(), checks_.end(), [](const auto& c) { return c.held(); });
    }
    const std::vector<conservation_check>& checks() const { return checks_; }

private:
    std::vector<conservation_check> checks_;
};

}  // namespace contraflow::observe
