// SPDX-License-Identifier: Apache-2.0
// A litmus test: a few threads of GPUs and queues of NICs, whose possible outcomes are asked for. It says nothing about
// who plays it: the small machine that tries every interleaving, or another model.
// docs/litmus.md has the form and the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ordering/outcome.h"

namespace contraflow::ordering {

using value = std::uint64_t;

// Limits of the form: far above what can be explored.
inline constexpr unsigned most_nodes = 16;
inline constexpr unsigned most_named = 64;  // variables, queues, threads
inline constexpr unsigned most_entries = 64;
inline constexpr unsigned longest_program = 64;
inline constexpr value largest_value = 0xffff'ffff;

struct variable {
    std::string name;
    unsigned node = 0;
    std::string line;  // variables of a node with the same line share a cache line
    bool cached = false;
    value initial = 0;
};

// An entry of a send queue. Variables and queues are named by their indices in the test.
struct queue_entry {
    enum class operation : std::uint8_t { put, inline_value, fence };
    unsigned slot = 0;  // the variable that the NIC reads first
    value ready = 0;    // the value that it must find there
    operation op = operation::put;
    unsigned from = 0;  // put
    unsigned to = 0;    // put, inline_value
    value carried = 0;  // inline_value
};
struct send_queue {
    std::string name;
    unsigned node = 0, to = 0;
    std::vector<queue_entry> entries;
    std::optional<unsigned> completion;  // the variable that counts arrivals
};

struct instruction {
    enum class operation : std::uint8_t { store, load, wait_until, ppb_invalidate, doorbell, wait, kernel_end };
    operation op = operation::wait;
    unsigned target = 0;          // the variable; doorbell: the queue
    value operand = 0;            // store, wait_until: the value; doorbell: the number of entries
    unsigned register_index = 0;  // load
};
struct thread {
    std::string name;
    unsigned node = 0;
    std::vector<instruction> program;
};

struct litmus_test {
    std::string name;
    std::string about;
    std::string step;  // the step of coherence that is left out; empty: none is
    unsigned nodes = 1;
    std::vector<variable> variables;
    std::vector<send_queue> queues;
    std::vector<thread> threads;
    std::vector<std::string> registers;            // "t1.r0"; thread by thread, in order of their first load
    std::optional<std::vector<outcome>> expected;  // the complete set, sorted
    // With all steps, none of them may be seen; with one left out, each must be.
    std::vector<outcome_pattern> forbidden;
};

// "store x 1": as it is written in the file.
std::string to_text(const litmus_test& t, const instruction& i);

}  // namespace contraflow::ordering
