// SPDX-License-Identifier: Apache-2.0
#include "ordering/naive_explorer.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace contraflow::ordering::testing {
namespace {

using op = instruction::operation;
using entry_op = queue_entry::operation;

struct too_many {};

struct copy {
    value v = 0;
    bool dirty = false;
};
struct message {
    queue_entry::operation op;
    unsigned to;
    value v;
};

struct state {
    std::vector<value> memory;
    // A line is named by its node and its name; it has a copy of each of its variables.
    std::map<std::pair<unsigned, std::string>, std::map<unsigned, copy>> l2, read_cache;
    std::map<unsigned, std::deque<std::pair<unsigned, value>>> combiner;  // by node, in order of arrival

    struct running {
        std::size_t next = 0;
        std::deque<std::size_t> pending;  // instructions, in program order
    };
    std::vector<running> threads;
    std::vector<value> registers;

    struct nic_queue {
        std::size_t next = 0;
        bool slot_was_ready = false, stopped = false;
        value allowed = 0;
        std::deque<message> messages;
        value completions = 0, completed = 0;  // on their way; arrived
    };
    std::vector<nic_queue> queues;

    std::string key() const {
        std::ostringstream out;
        for (const value v : memory) out << v << ' ';
        for (const auto* cache : {&l2, &read_cache}) {
            out << '|';
            for (const auto& [line, copies] : *cache) {
                out << line.first << line.second << ':';
                for (const auto& [i, c] : copies) out << i << '=' << c.v << (c.dirty ? "d " : " ");
            }
        }
        for (const auto& [node, writes] : combiner) {
            out << '|' << node << ':';
            for (const auto& [i, v] : writes) out << i << '=' << v << ' ';
        }
        for (const running& t : threads) {
            out << '|' << t.next << ':';
            for (const std::size_t i : t.pending) out << i << ' ';
        }
        out << '|';
        for (const value v : registers) out << v << ' ';
        for (const nic_queue& q : queues) {
            out << '|' << q.next << ' ' << q.slot_was_ready << q.stopped << ' ' << q.allowed << ' ' << q.completions
                << ' ' << q.completed << ' ';
            for (const message& m : q.messages) out << static_cast<int>(m.op) << m.to << '=' << m.v << ' ';
        }
        return out.str();
    }
};

class explorer {
public:
    explorer(const litmus_test& test, std::size_t most) : test_(test), most_(most) {}

    std::vector<outcome> run() {
        state s;
        for (const variable& v : test_.variables) s.memory.push_back(v.initial);
        s.threads.resize(test_.threads.size());
        s.registers.resize(test_.registers.size());
        s.queues.resize(test_.queues.size());
        visit(s);
        sort_by_text(test_, outcomes_);
        return outcomes_;
    }

private:
    const variable& var(unsigned i) const { return test_.variables[i]; }
    auto line_of(unsigned i) const { return std::pair(var(i).node, var(i).line); }
    std::map<unsigned, copy> copies_of(unsigned i, const state& s) const {
        std::map<unsigned, copy> all;
        for (unsigned k = 0; k < test_.variables.size(); ++k)
            if (line_of(k) == line_of(i)) all[k] = {s.memory[k], false};
        return all;
    }

    void visit(const state& s) {
        if (!seen_.insert(s.key()).second) return;
        if (seen_.size() > most_) throw too_many{};
        const auto next = followers(s);
        if (next.empty()) {
            outcomes_.push_back(outcome_of(s));
            return;
        }
        for (const state& n : next) visit(n);
    }

    outcome outcome_of(const state& s) const {
        outcome o{s.registers, {}, {}};
        for (const auto& q : s.queues)
            o.bad_entry.push_back(q.stopped ? std::optional(static_cast<unsigned>(q.next)) : std::nullopt);
        for (unsigned t = 0; t < s.threads.size(); ++t)
            if (s.threads[t].next < test_.threads[t].program.size()) o.stuck.push_back(t);
        return o;
    }

    std::vector<state> followers(const state& s) const {
        std::vector<state> all;
        for (unsigned t = 0; t < s.threads.size(); ++t) {
            next_instruction(t, s, all);
            for (const std::size_t i : s.threads[t].pending) effect(t, i, s, all);
        }
        for (unsigned q = 0; q < s.queues.size(); ++q) nic(q, s, all);
        for (const auto& [node, writes] : s.combiner)
            for (std::size_t i = 0; i < writes.size(); ++i) {
                const auto same = [&write = writes[i]](const auto& w) { return w.first == write.first; };
                if (std::find_if(writes.begin(), writes.end(), same) != writes.begin() + static_cast<std::ptrdiff_t>(i))
                    continue;
                state n = s;
                auto& left = n.combiner[node];
                left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
                n.memory[writes[i].first] = writes[i].second;
                n.read_cache.erase(line_of(writes[i].first));
                all.push_back(std::move(n));
            }
        for (const auto& [line, copies] : s.l2) {
            state n = s;
            write_back(copies, n);
            n.l2.erase(line);
            all.push_back(std::move(n));
        }
        for (const auto& [line, copies] : s.read_cache) {
            state n = s;
            n.read_cache.erase(line);
            all.push_back(std::move(n));
        }
        return all;
    }

    static void write_back(const std::map<unsigned, copy>& copies, state& s) {
        for (const auto& [i, c] : copies)
            if (c.dirty) s.memory[i] = c.v;
    }
    static void flush(unsigned node, state& s) {
        for (const auto& [i, v] : s.combiner[node]) s.memory[i] = v;
        s.combiner[node].clear();
        std::erase_if(s.read_cache, [node](const auto& line) { return line.first.first == node; });
    }

    bool stores_are_pending(unsigned t, unsigned x, const state& s) const {
        return std::any_of(s.threads[t].pending.begin(), s.threads[t].pending.end(), [&](std::size_t i) {
            const instruction& p = test_.threads[t].program[i];
            return p.op == op::store && p.target == x;
        });
    }

    void next_instruction(unsigned t, const state& s, std::vector<state>& all) const {
        const auto& program = test_.threads[t].program;
        const std::size_t at = s.threads[t].next;
        if (at == program.size()) return;
        const instruction& i = program[at];
        const unsigned node = test_.threads[t].node;
        state n = s;
        n.threads[t].next = at + 1;
        const bool nothing_pending = s.threads[t].pending.empty();
        switch (i.op) {
        case op::store:
            if (var(i.target).cached) {
                if (!n.l2.contains(line_of(i.target))) n.l2[line_of(i.target)] = copies_of(i.target, n);
                n.l2[line_of(i.target)][i.target] = {i.operand, true};
            } else {
                n.threads[t].pending.push_back(at);
            }
            break;
        case op::load:
        case op::wait_until: {
            value v = 0;
            if (var(i.target).cached) {
                if (!n.l2.contains(line_of(i.target))) n.l2[line_of(i.target)] = copies_of(i.target, n);
                v = n.l2[line_of(i.target)][i.target].v;
            } else {
                if (stores_are_pending(t, i.target, s)) return;
                v = n.memory[i.target];
            }
            if (i.op == op::load)
                n.registers[i.register_index] = v;
            else if (v != i.operand)
                return;
            break;
        }
        case op::ppb_invalidate:
        case op::doorbell: n.threads[t].pending.push_back(at); break;
        case op::wait:
            if (!nothing_pending) return;
            break;
        case op::kernel_end:
            if (!nothing_pending) return;
            for (const auto& [line, copies] : s.l2)
                if (line.first == node) write_back(copies, n);
            std::erase_if(n.l2, [node](const auto& line) { return line.first.first == node; });
            flush(node, n);
            break;
        }
        all.push_back(std::move(n));
    }

    void effect(unsigned t, std::size_t which, const state& s, std::vector<state>& all) const {
        const auto& program = test_.threads[t].program;
        const instruction& i = program[which];
        for (const std::size_t earlier : s.threads[t].pending) {
            if (earlier == which) break;
            const instruction& e = program[earlier];
            if (e.op == i.op && (i.op == op::ppb_invalidate || e.target == i.target)) return;
        }
        state n = s;
        std::erase(n.threads[t].pending, which);
        if (i.op == op::store) n.memory[i.target] = i.operand;
        if (i.op == op::doorbell) n.queues[i.target].allowed = std::max(n.queues[i.target].allowed, i.operand);
        if (i.op == op::ppb_invalidate) flush(test_.threads[t].node, n);
        all.push_back(std::move(n));
    }

    value nic_reads(unsigned x, state& s) const {
        if (!s.read_cache.contains(line_of(x))) s.read_cache[line_of(x)] = copies_of(x, s);
        return s.read_cache[line_of(x)][x].v;
    }

    void nic(unsigned q, const state& s, std::vector<state>& all) const {
        const send_queue& given = test_.queues[q];
        const auto& now = s.queues[q];
        if (!now.stopped && now.next < given.entries.size() && now.next < now.allowed) {
            const queue_entry& e = given.entries[now.next];
            state n = s;
            auto& then = n.queues[q];
            bool send = false;
            value v = e.carried;
            if (!now.slot_was_ready) {
                if (nic_reads(e.slot, n) != e.ready)
                    then.stopped = true;
                else if (e.op == entry_op::put)
                    then.slot_was_ready = true;
                else
                    send = true;
            } else {
                v = nic_reads(e.from, n);
                then.slot_was_ready = false;
                send = true;
            }
            if (send) {
                ++then.next;
                then.messages.push_back({e.op, e.to, e.op == entry_op::fence ? 0 : v});
            }
            all.push_back(std::move(n));
        }
        if (!now.messages.empty()) {
            state n = s;
            const message m = now.messages.front();
            n.queues[q].messages.pop_front();
            if (m.op == entry_op::fence)
                flush(given.to, n);
            else
                n.combiner[given.to].emplace_back(m.to, m.v);
            if (given.completion) ++n.queues[q].completions;
            all.push_back(std::move(n));
        }
        if (now.completions != 0) {
            state n = s;
            --n.queues[q].completions;
            n.combiner[given.node].emplace_back(*given.completion, ++n.queues[q].completed);
            all.push_back(std::move(n));
        }
    }

    const litmus_test& test_;
    const std::size_t most_;
    std::set<std::string> seen_;
    std::vector<outcome> outcomes_;
};

}  // namespace

std::optional<std::vector<outcome>> explore_naively(const litmus_test& test, std::size_t most_states) {
    try {
        return explorer(test, most_states).run();
    } catch (const too_many&) { return std::nullopt; }
}

}  // namespace contraflow::ordering::testing
