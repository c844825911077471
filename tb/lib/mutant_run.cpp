// SPDX-License-Identifier: Apache-2.0
#include "lib/mutant_run.h"

#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lib/suite_if.h"

namespace contraflow::lib {
namespace {

class run {
public:
    run(std::uint32_t mutant, const std::vector<std::string>& files)
        : suite_(make_suite(mutant, false)),
          files_(files) {}

    // The name of the test that found something; empty if none did.
    std::string play(bool all_tests) {
        const test_list until_found{.ended = [this](const std::string& name, bool good) {
            if (!good) killed_in_ = name;
            return good;
        }};
        if (!random(1, 3, 400)) return killed_in_;
        for (const std::string& file : files_) {
            suite_->vectors(file, until_found);
            if (!killed_in_.empty()) return killed_in_;
        }
        if (!random(11, 20, 1500)) return killed_in_;
        if (!all_tests) return {};
        std::set<std::string> played;
        suite_->directed(false, {.ended = [&](const std::string& name, bool good) {
                             played.insert(name);
                             return until_found.ended(name, good);
                         }});
        if (!killed_in_.empty() || !random(101, 60, 3000)) return killed_in_;
        test_list long_ones = until_found;
        long_ones.wanted = [&played](const std::string& name) { return !played.contains(name); };
        suite_->directed(true, long_ones);
        return killed_in_;
    }

    // All checks that found something, over all tests.
    std::set<std::string> all_found() {
        const test_list all{.ended = [this](const std::string&, bool good) {
            if (!good) add();
            return true;
        }};
        const test_list named{.ended = [this](const std::string& name, bool good) {
            if (!good) add();
            if (!good) directed_.push_back(name);
            return true;
        }};
        for (const std::string& file : files_) suite_->vectors(file, all);
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            suite_->begin_test();
            if (!suite_->random(seed, 1500)) add();
        }
        suite_->directed(false, named);
        return all_;
    }
    // The directed tests that did.
    const std::vector<std::string>& directed() const { return directed_; }

    const findings& found() const { return suite_->found(); }

private:
    void add() { all_.insert(found().checks().begin(), found().checks().end()); }

    bool random(std::uint64_t first, std::uint64_t tests, std::uint64_t cycles) {
        for (std::uint64_t seed = first; seed < first + tests; ++seed) {
            suite_->begin_test();
            if (suite_->random(seed, cycles)) continue;
            killed_in_ = fmt::format("seed {}", seed);
            return false;
        }
        return true;
    }

    std::unique_ptr<suite_if> suite_;
    const std::vector<std::string>& files_;
    std::string killed_in_;
    std::set<std::string> all_;
    std::vector<std::string> directed_;
};

}  // namespace

void run_bugs(const mutant_options& o) {
    for (const std::uint32_t bug : o.mutants) {
        // Assertions that fire print something of their own meanwhile.
        run r(bug, o.vector_files);
        const auto found = r.all_found();
        std::cout << "\nbug " << bug << ':';
        for (const std::string& check : found) std::cout << ' ' << check;
        std::cout << '\n';
        for (const std::string& test : r.directed()) std::cout << "bug " << bug << " fails " << test << '\n';
    }
}

// Each line goes out at once: if a mutant ends the program, those before it have told.
void run_mutants(const mutant_options& o) {
    for (const std::uint32_t mutant : o.mutants) {
        run r(mutant, o.vector_files);
        const std::string test = r.play(o.all_tests);
        if (test.empty()) {
            std::cout << "mutant " << mutant << " survived" << std::endl;
            continue;
        }
        std::cout << "mutant " << mutant << " killed by";
        for (const std::string& check : r.found().checks()) std::cout << ' ' << check;
        std::cout << " in " << test << std::endl;
    }
}

}  // namespace contraflow::lib
