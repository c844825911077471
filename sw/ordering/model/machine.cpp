// SPDX-License-Identifier: Apache-2.0
#include "ordering/model/machine.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace contraflow::ordering::model {
namespace {

using op = instruction::operation;
using entry_op = queue_entry::operation;
using kind = machine_step::kind;

std::vector<value> values_of(const litmus_test& t) {
    std::set<value> all{0};
    for (const variable& v : t.variables) all.insert(v.initial);
    for (const send_queue& q : t.queues) {
        for (const queue_entry& e : q.entries) {
            all.insert(e.ready);
            if (e.op == entry_op::inline_value) all.insert(e.carried);
        }
        if (q.completion)
            for (value n = 1; n <= q.entries.size(); ++n) all.insert(n);
    }
    for (const thread& p : t.threads)
        for (const instruction& i : p.program)
            if (i.op == op::store || i.op == op::wait_until) all.insert(i.operand);
    return {all.begin(), all.end()};
}

// By variable: how many messages and completions write to it.
std::vector<unsigned> writes_of(const litmus_test& t) {
    std::vector<unsigned> writes(t.variables.size());
    for (const send_queue& q : t.queues) {
        for (const queue_entry& e : q.entries)
            if (e.op != entry_op::fence) ++writes[e.to];
        if (q.completion) writes[*q.completion] += static_cast<unsigned>(q.entries.size());
    }
    return writes;
}

bool can_be_pending(const litmus_test& t, const instruction& i) {
    return i.op == op::ppb_invalidate || i.op == op::doorbell || (i.op == op::store && !t.variables[i.target].cached);
}

// Whether two instructions of a thread that can be pending take effect in program order.
bool in_order(const instruction& a, const instruction& b) {
    return a.op == b.op && (a.op == op::ppb_invalidate || a.target == b.target);
}

}  // namespace

// --- the layout of a state

std::string machine::problem_of(const litmus_test& t) {
    const unsigned bits = bit_layout::bits_for(values_of(t).size() - 1);
    const auto writes = writes_of(t);
    for (std::size_t i = 0; i < writes.size(); ++i)
        if (writes[i] * bits > bit_layout::bits_of_word)
            return fmt::format("{} messages and completions write to {}; the model holds {} of them", writes[i],
                               t.variables[i].name, bit_layout::bits_of_word / bits);
    return "";
}

machine::machine(const litmus_test& test)
    : test_(test),
      values_(values_of(test)),
      value_bits_(bit_layout::bits_for(values_.size() - 1)),
      variables_(test.variables.size()) {
    lay_out_values();
    lay_out_caches();
    lay_out_threads();
    lay_out_queues();
    observed_mask_.resize(words());
    const auto observe = [&](const bit_field& f) { observed_mask_[f.word] |= f.mask << f.shift; };
    for (const bit_field& r : registers_) observe(r);
    for (const thread_cells& t : threads_) observe(t.next);
    for (const queue_cells& q : queues_) {
        observe(q.stopped);
        observe(q.taken);
    }
    most_successors_ += variables_.size() + l2_lines_.size() + ppb_lines_.size() + 3 * queues_.size();
}

state_word machine::number_of(value v) const {
    return static_cast<state_word>(std::lower_bound(values_.begin(), values_.end(), v) - values_.begin());
}

void machine::lay_out_values() {
    const auto writes = writes_of(test_);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        variable_cells& v = variables_[i];
        v.memory = layout_.bits(value_bits_);
        v.writes = writes[i];
        v.waiting = layout_.up_to(writes[i]);
        v.values = layout_.bits(writes[i] * value_bits_);
    }
    for (std::size_t i = 0; i < test_.registers.size(); ++i) registers_.push_back(layout_.bits(value_bits_));
}

// The line of a variable, found by its name and node, or made.
machine::cache_line& machine::line_of(std::vector<cache_line>& lines, std::vector<std::string>& names,
                                      const variable& v, int& index) {
    std::size_t i = 0;
    while (i < lines.size() && !(names[i] == v.line && lines[i].node == v.node)) ++i;
    if (i == lines.size()) {
        lines.push_back({v.node, layout_.bits(1), {}});
        names.push_back(v.line);
    }
    index = static_cast<int>(i);
    return lines[i];
}

void machine::lay_out_caches() {
    std::set<unsigned> read_by_nic;
    for (const send_queue& q : test_.queues)
        for (const queue_entry& e : q.entries) {
            read_by_nic.insert(e.slot);
            if (e.op == entry_op::put) read_by_nic.insert(e.from);
        }
    std::vector<std::string> l2_names, ppb_names;
    for (unsigned i = 0; i < variables_.size(); ++i) {
        variable_cells& v = variables_[i];
        if (test_.variables[i].cached) {
            line_of(l2_lines_, l2_names, test_.variables[i], v.l2_line).variables.push_back(i);
            v.l2_value = layout_.bits(value_bits_);
            v.dirty = layout_.bits(1);
        }
        if (read_by_nic.contains(i)) {
            line_of(ppb_lines_, ppb_names, test_.variables[i], v.ppb_line).variables.push_back(i);
            v.ppb_value = layout_.bits(value_bits_);
        }
    }
}

void machine::lay_out_threads() {
    for (const thread& given : test_.threads) {
        thread_cells t;
        t.node = given.node;
        t.next = layout_.up_to(given.program.size());
        for (unsigned i = 0; i < given.program.size(); ++i) {
            const instruction& from = given.program[i];
            program_step p{from.op, from.target};
            p.operand = from.op == op::doorbell ? from.operand : number_of(from.operand);
            if (from.op == op::load) p.register_value = registers_[from.register_index];
            for (std::size_t k = 0; k < t.can_be_pending.size(); ++k) {
                const instruction& earlier = given.program[t.can_be_pending[k]];
                const state_word bit = state_word{1} << k;
                if (in_order(earlier, from)) p.after |= bit;
                if (earlier.op == op::store && earlier.target == from.target) p.stores |= bit;
            }
            if (can_be_pending(test_, from)) {
                p.number = static_cast<unsigned>(t.can_be_pending.size());
                t.can_be_pending.push_back(i);
            }
            t.program.push_back(p);
        }
        t.pending = layout_.bits(static_cast<unsigned>(t.can_be_pending.size()));
        most_successors_ += 1 + t.can_be_pending.size();
        threads_.push_back(std::move(t));
    }
}

void machine::lay_out_queues() {
    for (const send_queue& given : test_.queues) {
        const auto entries = given.entries.size();
        queue_cells q;
        q.taken = layout_.up_to(entries);
        q.at_source = layout_.bits(1);
        q.stopped = layout_.bits(1);
        q.allowed = layout_.up_to(entries);
        q.arrived = layout_.up_to(entries);
        q.completed = given.completion ? layout_.up_to(entries) : bit_field{};
        for (const queue_entry& e : given.entries)
            q.carried.push_back(e.op == entry_op::put ? layout_.bits(value_bits_) : bit_field{});
        queues_.push_back(std::move(q));
    }
}

std::vector<state_word> machine::initial() const {
    std::vector<state_word> s(words());
    for (std::size_t i = 0; i < variables_.size(); ++i)
        variables_[i].memory.set(s.data(), number_of(test_.variables[i].initial));
    // A register without a load has the value 0, whose number is 0 as it is the least.
    return s;
}

// --- the rules

void machine::fetch_into_l2(const variable_cells& v, state_word* s) const {
    const cache_line& line = l2_lines_[static_cast<std::size_t>(v.l2_line)];
    if (line.present.get(s) != 0) return;
    line.present.set(s, 1);
    for (const unsigned i : line.variables) variables_[i].l2_value.set(s, variables_[i].memory.get(s));
}

void machine::leave_l2(const cache_line& line, state_word* s) const {
    line.present.set(s, 0);
    for (const unsigned i : line.variables) {
        const variable_cells& v = variables_[i];
        if (v.dirty.get(s) != 0) v.memory.set(s, v.l2_value.get(s));
        v.l2_value.set(s, 0);
        v.dirty.set(s, 0);
    }
}

state_word machine::nic_read(const variable_cells& v, state_word* s) const {
    const cache_line& line = ppb_lines_[static_cast<std::size_t>(v.ppb_line)];
    if (line.present.get(s) == 0) {
        line.present.set(s, 1);
        for (const unsigned i : line.variables) variables_[i].ppb_value.set(s, variables_[i].memory.get(s));
    }
    return v.ppb_value.get(s);
}

void machine::leave_ppb(const cache_line& line, state_word* s) const {
    line.present.set(s, 0);
    for (const unsigned i : line.variables) variables_[i].ppb_value.set(s, 0);
}

void machine::combine(const variable_cells& v, state_word written, state_word* s) const {
    const state_word n = v.waiting.get(s);
    v.values.set(s, v.values.get(s) | written << (n * value_bits_));
    v.waiting.set(s, n + 1);
}

void machine::reach_memory(const variable_cells& v, state_word* s) const {
    const state_word waiting = v.values.get(s);
    v.memory.set(s, waiting & v.memory.mask);
    v.values.set(s, waiting >> value_bits_);
    v.waiting.set(s, v.waiting.get(s) - 1);
    if (v.ppb_line >= 0) leave_ppb(ppb_lines_[static_cast<std::size_t>(v.ppb_line)], s);
}

void machine::flush_ppb(unsigned node, state_word* s) const {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        if (test_.variables[i].node != node) continue;
        while (variables_[i].waiting.get(s) != 0) reach_memory(variables_[i], s);
    }
    for (const cache_line& line : ppb_lines_)
        if (line.node == node) leave_ppb(line, s);
}

void machine::end_kernel(unsigned node, state_word* s) const {
    for (const cache_line& line : l2_lines_)
        if (line.node == node && line.present.get(s) != 0) leave_l2(line, s);
    flush_ppb(node, s);
}

void machine::take_effect(const thread_cells& t, unsigned number, state_word* s) const {
    t.pending.set(s, t.pending.get(s) & ~(state_word{1} << number));
    const program_step& p = t.program[t.can_be_pending[number]];
    switch (p.op) {
    case op::store: variables_[p.target].memory.set(s, p.operand); break;
    case op::doorbell: {
        const queue_cells& q = queues_[p.target];
        q.allowed.set(s, std::max(q.allowed.get(s), p.operand));
        break;
    }
    default: flush_ppb(t.node, s); break;
    }
}

void machine::read_slot(unsigned q, state_word* s) const {
    const queue_cells& cells = queues_[q];
    const state_word entry = cells.taken.get(s);
    const queue_entry& e = test_.queues[q].entries[entry];
    if (nic_read(variables_[e.slot], s) != number_of(e.ready))
        cells.stopped.set(s, 1);
    else if (e.op == entry_op::put)
        cells.at_source.set(s, 1);
    else
        cells.taken.set(s, entry + 1);
}

void machine::read_source(unsigned q, state_word* s) const {
    const queue_cells& cells = queues_[q];
    const state_word entry = cells.taken.get(s);
    cells.carried[entry].set(s, nic_read(variables_[test_.queues[q].entries[entry].from], s));
    cells.at_source.set(s, 0);
    cells.taken.set(s, entry + 1);
}

void machine::arrive(unsigned q, state_word* s) const {
    const queue_cells& cells = queues_[q];
    const state_word entry = cells.arrived.get(s);
    const queue_entry& e = test_.queues[q].entries[entry];
    cells.arrived.set(s, entry + 1);
    switch (e.op) {
    case entry_op::put:
        combine(variables_[e.to], cells.carried[entry].get(s), s);
        cells.carried[entry].set(s, 0);
        break;
    case entry_op::inline_value: combine(variables_[e.to], number_of(e.carried), s); break;
    case entry_op::fence: flush_ppb(test_.queues[q].to, s); break;
    }
}

void machine::complete(unsigned q, state_word* s) const {
    const queue_cells& cells = queues_[q];
    const state_word n = cells.completed.get(s) + 1;
    cells.completed.set(s, n);
    combine(variables_[*test_.queues[q].completion], number_of(n), s);
}

// --- what can happen

state_word machine::visible_to_thread(const variable_cells& v, const state_word* s) const {
    const bool in_l2 = v.l2_line >= 0 && l2_lines_[static_cast<std::size_t>(v.l2_line)].present.get(s) != 0;
    return in_l2 ? v.l2_value.get(s) : v.memory.get(s);
}

bool machine::can_instruct(const thread_cells& t, const program_step& p, const state_word* s) const {
    switch (p.op) {
    case op::wait:
    case op::kernel_end: return t.pending.get(s) == 0;
    case op::load: return (t.pending.get(s) & p.stores) == 0;
    case op::wait_until:
        return (t.pending.get(s) & p.stores) == 0 && visible_to_thread(variables_[p.target], s) == p.operand;
    default: return true;
    }
}

void machine::instruct(const thread_cells& t, const program_step& p, state_word* s) const {
    t.next.set(s, t.next.get(s) + 1);
    const auto be_pending = [&] { t.pending.set(s, t.pending.get(s) | state_word{1} << p.number); };
    switch (p.op) {
    case op::store: {
        const variable_cells& v = variables_[p.target];
        if (v.l2_line < 0) return be_pending();
        fetch_into_l2(v, s);
        v.l2_value.set(s, p.operand);
        v.dirty.set(s, 1);
        return;
    }
    case op::load:
    case op::wait_until: {
        const variable_cells& v = variables_[p.target];
        if (v.l2_line >= 0) fetch_into_l2(v, s);
        if (p.op == op::load) p.register_value.set(s, visible_to_thread(v, s));
        return;
    }
    case op::ppb_invalidate:
    case op::doorbell: return be_pending();
    case op::wait: return;
    case op::kernel_end: return end_kernel(t.node, s);
    }
}

void machine::expand_thread(unsigned t, const state_word* s, successors& out) const {
    const thread_cells& cells = threads_[t];
    const auto number = static_cast<std::uint8_t>(t);
    const state_word next = cells.next.get(s);
    if (next < cells.program.size() && can_instruct(cells, cells.program[next], s))
        instruct(cells, cells.program[next], out.add({kind::instruct, number}, s));
    const state_word pending = cells.pending.get(s);
    for (state_word left = pending; left != 0; left &= left - 1) {
        const auto which = static_cast<unsigned>(std::countr_zero(left));
        if ((pending & cells.program[cells.can_be_pending[which]].after) != 0) continue;
        take_effect(cells, which, out.add({kind::take_effect, number, static_cast<std::uint8_t>(which)}, s));
    }
}

void machine::expand_queue(unsigned q, const state_word* s, successors& out) const {
    const queue_cells& cells = queues_[q];
    const auto number = static_cast<std::uint8_t>(q);
    const state_word taken = cells.taken.get(s), arrived = cells.arrived.get(s);
    if (cells.at_source.get(s) != 0)
        read_source(q, out.add({kind::read_source, number}, s));
    else if (cells.stopped.get(s) == 0 && taken < cells.allowed.get(s))
        read_slot(q, out.add({kind::read_slot, number}, s));
    if (arrived < taken) arrive(q, out.add({kind::arrive, number}, s));
    if (test_.queues[q].completion && cells.completed.get(s) < arrived)
        complete(q, out.add({kind::completion, number}, s));
}

void machine::expand(const state_word* s, successors& out) const {
    out.clear();
    for (unsigned t = 0; t < threads_.size(); ++t) expand_thread(t, s, out);
    for (unsigned q = 0; q < queues_.size(); ++q) expand_queue(q, s, out);
    for (unsigned i = 0; i < variables_.size(); ++i)
        if (variables_[i].waiting.get(s) != 0)
            reach_memory(variables_[i], out.add({kind::reach_memory, static_cast<std::uint8_t>(i)}, s));
    for (unsigned i = 0; i < l2_lines_.size(); ++i)
        if (l2_lines_[i].present.get(s) != 0)
            leave_l2(l2_lines_[i], out.add({kind::leave_l2, static_cast<std::uint8_t>(i)}, s));
    for (unsigned i = 0; i < ppb_lines_.size(); ++i)
        if (ppb_lines_[i].present.get(s) != 0)
            leave_ppb(ppb_lines_[i], out.add({kind::leave_ppb, static_cast<std::uint8_t>(i)}, s));
}

outcome machine::outcome_of(const state_word* s) const {
    outcome o;
    for (const bit_field& r : registers_) o.registers.push_back(values_[r.get(s)]);
    for (const queue_cells& q : queues_)
        o.bad_entry.push_back(q.stopped.get(s) == 0 ? std::nullopt
                                                    : std::optional(static_cast<unsigned>(q.taken.get(s))));
    for (unsigned t = 0; t < threads_.size(); ++t)
        if (threads_[t].next.get(s) < threads_[t].program.size()) o.stuck.push_back(t);
    return o;
}

void machine::observed(const state_word* s, state_word* to) const {
    for (unsigned w = 0; w < words(); ++w) to[w] = s[w] & observed_mask_[w];
}

// --- in words

std::string machine::name_of(const cache_line& line) const {
    std::string text;
    for (const unsigned i : line.variables) text += (text.empty() ? "" : ", ") + test_.variables[i].name;
    return fmt::format("the line of {}", text);
}

std::string machine::text_of_write_back(const cache_line& line, const state_word* before) const {
    std::string text;
    for (const unsigned i : line.variables)
        if (variables_[i].dirty.get(before) != 0)
            text += fmt::format("; memory has {} = {}", test_.variables[i].name,
                                values_[variables_[i].l2_value.get(before)]);
    return text;
}

std::string machine::text_of_instruction(unsigned t, const state_word* before, const state_word* after) const {
    const auto next = threads_[t].next.get(before);
    const instruction& i = test_.threads[t].program[next];
    const std::string text = fmt::format("{}: {}", test_.threads[t].name, ordering::to_text(test_, i));
    switch (i.op) {
    case op::store:
        if (!test_.variables[i.target].cached) return text + ", pending";
        return text + ", in the L2";
    case op::load: {
        const variable_cells& v = variables_[i.target];
        const bool in_l2 = v.l2_line >= 0 && l2_lines_[static_cast<std::size_t>(v.l2_line)].present.get(before) != 0;
        return fmt::format("{} = {}, from {}", text, values_[registers_[i.register_index].get(after)],
                           in_l2 ? "the L2" : "memory");
    }
    case op::ppb_invalidate:
    case op::doorbell: return text + ", pending";
    case op::wait: return text + ": nothing is pending";
    default: return text;
    }
}

std::string machine::text_of_slot(unsigned q, const state_word* before, const state_word* after) const {
    const auto entry = queues_[q].taken.get(before);
    const queue_entry& e = test_.queues[q].entries[entry];
    const variable_cells& v = variables_[e.slot];
    const bool cached = ppb_lines_[static_cast<std::size_t>(v.ppb_line)].present.get(before) != 0;
    return fmt::format("{}: entry {}: reads slot {} = {} from {}{}", test_.queues[q].name, entry,
                       test_.variables[e.slot].name, values_[v.ppb_value.get(after)],
                       cached ? "the read cache" : "memory",
                       queues_[q].stopped.get(after) == 0 ? "" : "; it is not ready, the queue stops");
}

std::string machine::text_of_arrival(unsigned q, const state_word* before) const {
    const auto entry = queues_[q].arrived.get(before);
    const queue_entry& e = test_.queues[q].entries[entry];
    const std::string text = fmt::format("{}: entry {}: ", test_.queues[q].name, entry);
    if (e.op == entry_op::fence) return fmt::format("{}the fence flushes the PPB of node {}", text, test_.queues[q].to);
    const value v = e.op == entry_op::put ? values_[queues_[q].carried[entry].get(before)] : e.carried;
    return fmt::format("{}{} = {} arrives in the write combiner of node {}", text, test_.variables[e.to].name, v,
                       test_.queues[q].to);
}

std::string machine::to_text(const machine_step& step, const state_word* before, const state_word* after) const {
    const unsigned of = step.of;
    switch (step.what) {
    case kind::instruct: return text_of_instruction(of, before, after);
    case kind::take_effect: {
        const instruction& i = test_.threads[of].program[threads_[of].can_be_pending[step.which]];
        return fmt::format("{}: {} {}", test_.threads[of].name, ordering::to_text(test_, i),
                           i.op == op::store      ? "reaches memory"
                           : i.op == op::doorbell ? "reaches the NIC"
                                                  : "takes effect");
    }
    case kind::leave_l2:
        return fmt::format("node {}: {} leaves the L2{}", l2_lines_[of].node, name_of(l2_lines_[of]),
                           text_of_write_back(l2_lines_[of], before));
    case kind::leave_ppb:
        return fmt::format("node {}: {} leaves the read cache", ppb_lines_[of].node, name_of(ppb_lines_[of]));
    case kind::reach_memory:
        return fmt::format("node {}: {} = {} leaves the write combiner for memory", test_.variables[of].node,
                           test_.variables[of].name, values_[variables_[of].memory.get(after)]);
    case kind::read_slot: return text_of_slot(of, before, after);
    case kind::read_source: {
        const auto entry = queues_[of].taken.get(before);
        const unsigned from = test_.queues[of].entries[entry].from;
        const bool cached = ppb_lines_[static_cast<std::size_t>(variables_[from].ppb_line)].present.get(before) != 0;
        return fmt::format("{}: entry {}: reads source {} = {} from {}", test_.queues[of].name, entry,
                           test_.variables[from].name, values_[variables_[from].ppb_value.get(after)],
                           cached ? "the read cache" : "memory");
    }
    case kind::arrive: return text_of_arrival(of, before);
    case kind::completion:
        return fmt::format("{}: completion {} arrives: {} = {} is in the write combiner of node {}",
                           test_.queues[of].name, queues_[of].completed.get(after),
                           test_.variables[*test_.queues[of].completion].name, queues_[of].completed.get(after),
                           test_.queues[of].node);
    }
    return {};
}

}  // namespace contraflow::ordering::model
