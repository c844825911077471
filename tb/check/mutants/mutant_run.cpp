// SPDX-License-Identifier: Apache-2.0
#include "check/mutants/mutant_run.h"

#include <iostream>
#include <set>

#include <fmt/format.h>

#include "check/bench/bench.h"
#include "check/directed/case_player.h"
#include "check/directed/directed_test.h"
#include "check/random/random_test.h"

namespace contraflow::check {
namespace {

class run {
public:
    run(std::uint32_t mutant, const std::vector<lane_case>& cases)
        : block_(make_block(mutant)),
          bench_(*block_, block_parameters_of_build(), nullptr),
          cases_(cases) {}

    // The name of the test that found something; empty if none did.
    std::string play(bool all_tests) {
        if (!random(1, 3, 400)) return killed_in_;
        for (const lane_case& c : cases_) {
            if (c.lanes_per_direction != bench_.parameters().lanes_per_direction) continue;
            bench_.begin_test();
            if (!check::play(bench_, c)) return c.name;
        }
        if (!random(11, 20, 1500)) return killed_in_;
        if (!all_tests) return {};
        run_directed(bench_, false, {.ended = [this](const std::string& name, bool good) {
                         if (!good) killed_in_ = name;
                         return good;
                     }});
        if (killed_in_.empty()) random(101, 60, 3000);
        return killed_in_;
    }

    // All checks that found something, over all tests.
    std::set<std::string> all_found() {
        const auto add = [this] { all_.insert(bench_.found().checks().begin(), bench_.found().checks().end()); };
        for (const lane_case& c : cases_) {
            if (c.lanes_per_direction != bench_.parameters().lanes_per_direction) continue;
            bench_.begin_test();
            if (!check::play(bench_, c)) add();
        }
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            bench_.begin_test();
            if (!run_random(bench_, nullptr, {seed, 1500, false})) add();
        }
        run_directed(bench_, false, {.ended = [&](const std::string&, bool good) {
                         if (!good) add();
                         return true;
                     }});
        return all_;
    }

    const findings& found() const { return bench_.found(); }

private:
    bool random(std::uint64_t first, std::uint64_t tests, std::uint64_t cycles) {
        for (std::uint64_t seed = first; seed < first + tests; ++seed) {
            bench_.begin_test();
            if (run_random(bench_, nullptr, {seed, cycles, false})) continue;
            killed_in_ = fmt::format("seed {}", seed);
            return false;
        }
        return true;
    }

    std::unique_ptr<block_if> block_;
    bench bench_;
    const std::vector<lane_case>& cases_;
    std::string killed_in_;
    std::set<std::string> all_;
};

}  // namespace

namespace {

std::vector<lane_case> all_cases(const std::vector<std::string>& files) {
    std::vector<lane_case> cases;
    for (const std::string& file : files)
        for (lane_case& c : read_cases(file)) cases.push_back(std::move(c));
    return cases;
}

}  // namespace

void run_bugs(const mutant_options& o) {
    const auto cases = all_cases(o.vector_files);
    for (const std::uint32_t bug : o.mutants) {
        // Assertions that fire print something of their own meanwhile.
        const auto found = run(bug, cases).all_found();
        std::cout << "\nbug " << bug << ':';
        for (const std::string& check : found) std::cout << ' ' << check;
        std::cout << '\n';
    }
}

void run_mutants(const mutant_options& o) {
    const auto cases = all_cases(o.vector_files);
    for (const std::uint32_t mutant : o.mutants) {
        run r(mutant, cases);
        const std::string test = r.play(o.all_tests);
        if (test.empty()) {
            std::cout << "mutant " << mutant << " survived\n";
            continue;
        }
        std::cout << "mutant " << mutant << " killed by";
        for (const std::string& check : r.found().checks()) std::cout << ' ' << check;
        std::cout << " in " << test << '\n';
    }
}

}  // namespace contraflow::check
