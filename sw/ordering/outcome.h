// SPDX-License-Identifier: Apache-2.0
// What is left of a litmus test when nothing can happen any more: registers, queues that have stopped, threads that
// have not finished. Indices are those of the test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contraflow::ordering {

struct litmus_test;

struct outcome {
    std::vector<std::uint64_t> registers;            // 0 if nothing was loaded into it
    std::vector<std::optional<unsigned>> bad_entry;  // of each queue: the entry that was not ready
    std::vector<unsigned> stuck;                     // threads, ascending
    friend bool operator==(const outcome&, const outcome&) = default;
};

// An outcome that was seen, and the steps of one run that ended so.
struct reached_outcome {
    outcome result;
    std::vector<std::string> witness;
};

// Some values of an outcome; it matches if those are the same.
struct outcome_pattern {
    std::vector<std::optional<std::uint64_t>> registers;
    std::vector<std::optional<unsigned>> bad_entry;
    std::optional<std::vector<unsigned>> stuck;
    bool matches(const outcome& o) const;
};

// {"t1.r0": 1, "q0": "bad_entry 2", "stuck": ["t0"]}: registers, queues, threads, each in the order of the test.
std::string to_json(const litmus_test& t, const outcome& o);
std::string to_json(const litmus_test& t, const outcome_pattern& p);

// Into the order of files and reports: that of their texts. Repeated ones are left out.
void sort_by_text(const litmus_test& t, std::vector<outcome>& all);

// {"name": ..., "outcomes": [...]}, a line an outcome.
std::string to_json(const litmus_test& t, const std::vector<outcome>& all);

// The first outcome that only one of the sorted lists has, and a forbidden one that is there or missing; empty if all
// is as the test says.
std::string first_difference(const litmus_test& t, const std::vector<outcome>& seen);
// The same where not all outcomes have been seen: none may be missing in the test's set, if it has one, and a forbidden
// one must have been seen if a step is left out.
std::string first_outside(const litmus_test& t, const std::vector<outcome>& seen);

}  // namespace contraflow::ordering
