// SPDX-License-Identifier: Apache-2.0
// The small machine of docs/litmus.md, for one test: which states may follow a state.
//
// A state holds what can still be observed, and nothing else. Three things are left out: values in a cache that nobody
// reads there; values of lines that are not in a cache (they are 0); and the order of writes to different variables in
// a write combiner, as only the order of writes to one variable has an effect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ordering/litmus_test.h"
#include "ordering/model/packed_state.h"

namespace contraflow::ordering::model {

class machine {
public:
    // The test must outlive it, and problem_of() must be none.
    explicit machine(const litmus_test& test);
    // Why the machine cannot hold a test; empty if it can.
    static std::string problem_of(const litmus_test& test);

    unsigned words() const { return layout_.words(); }
    // No state has more successors.
    std::size_t most_successors() const { return most_successors_; }
    std::vector<state_word> initial() const;
    void expand(const state_word* s, successors& out) const;

    // Of a state without successors.
    outcome outcome_of(const state_word* s) const;
    // Copies what outcome_of() reads, and zero for all else.
    void observed(const state_word* s, state_word* to) const;
    // "t0: store x 1 reaches memory": the step from `before` to `after`.
    std::string to_text(const machine_step& step, const state_word* before, const state_word* after) const;

private:
    // Members that a variable does not have take no bits.
    struct variable_cells {
        bit_field memory;
        int l2_line = -1;  // -1: not cached
        bit_field l2_value, dirty;
        int ppb_line = -1;  // -1: no NIC reads it
        bit_field ppb_value;
        unsigned writes = 0;  // at most in the write combiner
        bit_field waiting;    // how many are there
        bit_field values;     // theirs, the first in the lowest bits
    };
    struct cache_line {
        unsigned node = 0;
        bit_field present;
        std::vector<unsigned> variables;
    };
    struct program_step {
        instruction::operation op;
        unsigned target = 0;
        state_word operand = 0;      // the number of a value, or of entries
        unsigned number = 0;         // among the thread's instructions that can be pending
        state_word after = 0;        // pending ones that take effect before it
        state_word stores = 0;       // load, wait_until: the stores that must not be pending
        bit_field register_value{};  // load
    };
    struct thread_cells {
        unsigned node = 0;
        bit_field next, pending;
        std::vector<program_step> program;
        std::vector<unsigned> can_be_pending;  // indices in the program
    };
    struct queue_cells {
        bit_field taken;      // entries
        bit_field at_source;  // the slot of the next entry has been read, its source has not
        bit_field stopped, allowed, arrived, completed;
        std::vector<bit_field> carried;  // by entry: the value of a put on its way
    };

    state_word number_of(value v) const;
    void lay_out_values();
    void lay_out_caches();
    void lay_out_threads();
    void lay_out_queues();
    cache_line& line_of(std::vector<cache_line>& lines, std::vector<std::string>& names, const variable& v, int& index);

    // The rules, each on the state that it changes.
    void fetch_into_l2(const variable_cells& v, state_word* s) const;
    void leave_l2(const cache_line& line, state_word* s) const;
    state_word nic_read(const variable_cells& v, state_word* s) const;
    void leave_ppb(const cache_line& line, state_word* s) const;
    void combine(const variable_cells& v, state_word written, state_word* s) const;
    void reach_memory(const variable_cells& v, state_word* s) const;
    void flush_ppb(unsigned node, state_word* s) const;
    void end_kernel(unsigned node, state_word* s) const;
    void take_effect(const thread_cells& t, unsigned number, state_word* s) const;
    void read_slot(unsigned q, state_word* s) const;
    void read_source(unsigned q, state_word* s) const;
    void arrive(unsigned q, state_word* s) const;
    void complete(unsigned q, state_word* s) const;

    bool can_instruct(const thread_cells& t, const program_step& p, const state_word* s) const;
    void instruct(const thread_cells& t, const program_step& p, state_word* s) const;
    void expand_thread(unsigned t, const state_word* s, successors& out) const;
    void expand_queue(unsigned q, const state_word* s, successors& out) const;
    state_word visible_to_thread(const variable_cells& v, const state_word* s) const;

    std::string name_of(const cache_line& line) const;
    std::string text_of_instruction(unsigned t, const state_word* before, const state_word* after) const;
    std::string text_of_slot(unsigned q, const state_word* before, const state_word* after) const;
    std::string text_of_arrival(unsigned q, const state_word* before) const;
    std::string text_of_write_back(const cache_line& line, const state_word* before) const;

    const litmus_test& test_;
    bit_layout layout_;
    std::vector<value> values_;  // all that occur in the test, ascending; a state has their numbers
    unsigned value_bits_ = 0;
    std::vector<variable_cells> variables_;
    std::vector<cache_line> l2_lines_, ppb_lines_;
    std::vector<thread_cells> threads_;
    std::vector<queue_cells> queues_;
    std::vector<bit_field> registers_;
    std::vector<state_word> observed_mask_;
    std::size_t most_successors_ = 0;
};

}  // namespace contraflow::ordering::model
