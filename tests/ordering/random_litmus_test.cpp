// SPDX-License-Identifier: Apache-2.0
#include "ordering/random_litmus_test.h"

#include <algorithm>
#include <random>

namespace contraflow::ordering::testing {
namespace {

using op = instruction::operation;

class maker {
public:
    explicit maker(std::uint32_t seed) : random_(seed) {}

    litmus_test make() {
        t_.name = "random";
        t_.nodes = 1 + below(2);
        // Two a node at least, so that everything has something to name.
        for (unsigned i = 0; i < 2 * t_.nodes + below(2); ++i) {
            const std::string name = "v" + std::to_string(i);
            t_.variables.push_back(
                {name, i % t_.nodes, below(2) == 0 ? "shared" : "=" + name, below(3) == 0, below(2)});
        }
        const unsigned queues = below(3);
        for (unsigned i = 0; i < queues; ++i) t_.queues.push_back(queue(i));
        const unsigned threads = 1 + below(2);
        for (unsigned i = 0; i < threads; ++i) t_.threads.push_back(program(i, 2 + below(4)));
        // Somebody looks at what is there at any time.
        t_.threads.push_back(program(threads, 0));
        for (unsigned i = 0; i < 2; ++i) t_.threads.back().program.push_back(load(threads, t_.threads.back().node));
        return t_;
    }

private:
    // Not std::uniform_int_distribution, which each library may define in its own way.
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

    unsigned variable_at(unsigned node) {
        std::vector<unsigned> all;
        for (unsigned i = 0; i < t_.variables.size(); ++i)
            if (t_.variables[i].node == node) all.push_back(i);
        return all[below(static_cast<unsigned>(all.size()))];
    }

    send_queue queue(unsigned i) {
        send_queue q;
        q.name = "q" + std::to_string(i);
        q.node = below(t_.nodes);
        q.to = below(t_.nodes);
        const unsigned entries = 1 + below(2);
        for (unsigned k = 0; k < entries; ++k)
            q.entries.push_back({variable_at(q.node), below(4) / 3, static_cast<queue_entry::operation>(below(3)),
                                 variable_at(q.node), variable_at(q.to), below(3)});
        if (below(2) == 0) q.completion = variable_at(q.node);
        return q;
    }

    thread program(unsigned index, unsigned length) {
        thread p;
        p.name = "t" + std::to_string(index);
        p.node = below(t_.nodes);
        for (unsigned k = 0; k < length; ++k) {
            instruction i;
            i.op = static_cast<op>(below(7));
            if (k == 0) i.op = op::doorbell;  // queues are of no use without
            if (i.op == op::doorbell && !choose_queue(p.node, i)) i.op = op::store;
            if (i.op == op::wait && below(2) == 0) i.op = op::store;
            if (i.op == op::store || i.op == op::wait_until) i.target = variable_at(p.node);
            if (i.op == op::store) i.operand = below(3);
            if (i.op == op::wait_until) i.operand = below(2);
            if (i.op == op::load) i = load(index, p.node);
            p.program.push_back(i);
        }
        return p;
    }

    instruction load(unsigned thread, unsigned node) {
        instruction i;
        i.op = op::load;
        i.target = variable_at(node);
        i.register_index = static_cast<unsigned>(t_.registers.size());
        t_.registers.push_back("t" + std::to_string(thread) + ".r" + std::to_string(i.register_index));
        return i;
    }

    bool choose_queue(unsigned node, instruction& i) {
        std::vector<unsigned> all;
        for (unsigned q = 0; q < t_.queues.size(); ++q)
            if (t_.queues[q].node == node) all.push_back(q);
        if (all.empty()) return false;
        i.target = all[below(static_cast<unsigned>(all.size()))];
        i.operand = 1 + below(static_cast<unsigned>(t_.queues[i.target].entries.size()));
        return true;
    }

    std::mt19937 random_;
    litmus_test t_;
};

}  // namespace

litmus_test random_litmus_test(std::uint32_t seed) { return maker(seed).make(); }

litmus_test changed_litmus_test(litmus_test t, std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::ptrdiff_t>(random() % n); };
    t.expected.reset();
    t.forbidden.clear();
    for (int changes = 0; changes < 2; ++changes) {
        auto& program = t.threads[static_cast<std::size_t>(below(t.threads.size()))].program;
        auto& v = t.variables[static_cast<std::size_t>(below(t.variables.size()))];
        switch (below(4)) {
        case 0:
            if (!program.empty()) program.erase(program.begin() + below(program.size()));
            break;
        case 1:
            if (program.size() > 1) {
                const auto first = program.begin() + below(program.size() - 1);
                std::iter_swap(first, first + 1);
            }
            break;
        case 2: v.cached = !v.cached; break;
        default: v.line = "shared"; break;
        }
    }
    return t;
}

}  // namespace contraflow::ordering::testing
