// SPDX-License-Identifier: Apache-2.0
// An experiment with a known answer: a configuration, a formula that says what must come out, and what comes out. A
// model that fails one has a fault, whatever published numbers it reproduces.
#pragma once

#include <string>
#include <vector>

#include "validate/table/row.h"

namespace contraflow::validate {

// The values of the formula and those that were measured, pair by pair.
struct answer {
    std::vector<double> expected, measured;
    std::string detail;  // the numbers that went into the formula
};

enum class relation {
    equal,     // within the tolerance, which is relative; of values around 0 it is absolute
    at_most,   // not more than the tolerance above
    at_least,  // not more than the tolerance below
};

struct experiment {
    std::string id;       // dram.stream: the model, and what is tried
    std::string what;     // the configuration
    std::string formula;  // of the expected value
    std::string unit;
    relation holds_if = relation::equal;
    double tolerance = 0.01;
    answer (*measure)(const run_environment&);
    bool quick = true;  // long ones (over 10 s) run when named, or with --all
};

// "dram" of "dram.stream"
std::string group_of(const experiment& e);

// Whether every pair is in the relation. Lists of different length, and values that are no numbers, are not.
bool holds(const experiment& e, const answer& a);
// The largest distance of a pair, relative to what was expected.
double largest_error(const answer& a);

}  // namespace contraflow::validate
