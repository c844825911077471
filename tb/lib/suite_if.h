// SPDX-License-Identifier: Apache-2.0
// What a block gives to the program of its bench (main.cpp): one build of it on its bench, and its tests. Every test
// begins with a reset, and ends at the end of the first cycle in which a check fires.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "lib/findings.h"

namespace contraflow::lib {

// The tests of a group that run, and who is told how each ended.
struct test_list {
    std::function<bool(const std::string& name)> wanted = [](const std::string&) { return true; };
    std::function<bool(const std::string& name, bool good)> ended;  // returns whether to continue
};

// A number that the totals of a run name, such as of compared transactions.
struct counted {
    const char* what;
    std::uint64_t number;
};

class suite_if {
public:
    virtual ~suite_if() = default;

    // Before the first test: a few cycles in reset. False as below.
    virtual bool reset() = 0;
    // Forgets what the last test found.
    virtual void begin_test() = 0;
    virtual const findings& found() const = 0;

    // Cases of a file with expected results, those that fit this build.
    virtual void vectors(const std::string& file, const test_list& list);
    // Named tests. `long_tests`: the long ones, too.
    virtual void directed(bool long_tests, const test_list& list) = 0;
    // A test made by its seed alone. False if a check fired.
    virtual bool random(std::uint64_t seed, std::uint64_t cycles) = 0;
    // The same with only those events that the model of the machine knows; it takes part in modelled() cycles.
    virtual bool lockstep(std::uint64_t seed, std::uint64_t cycles);
    virtual std::uint64_t modelled() const { return 0; }

    // What was compared; the cycles first.
    virtual std::vector<counted> compared() const = 0;
    // A line for each cover point: its name and its count.
    virtual void write_cover(std::ostream& to) const = 0;
    virtual void clear_coverage() = 0;
    virtual void write_coverage(const std::string& file) = 0;
};

// `variant` selects the active mutant or planted bug of a build that has some; 0: none. `cover`: cover points are
// counted.
std::unique_ptr<suite_if> make_suite(std::uint32_t variant, bool cover);
// The parameter set of this build.
const char* set_name();

}  // namespace contraflow::lib
