// SPDX-License-Identifier: Apache-2.0
#include "ordering/model/explorer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ordering/model/machine.h"
#include "ordering/model/state_set.h"

namespace contraflow::ordering::model {
namespace {

constexpr std::uint64_t asked_every = 4096;  // states

class search {
public:
    search(const litmus_test& test, const exploration_limits& limits)
        : test_(test),
          limits_(limits),
          machine_(test),
          next_(machine_.words(), machine_.most_successors()),
          hashes_(machine_.most_successors()),
          states_(machine_.words()),
          ends_(machine_.words()) {}

    exploration run() {
        exploration e;
        e.bytes_a_state = state_set::bytes_a_state(machine_.words()) + 2 * sizeof(state_set::number);
        e.end = visit_all(e.steps);
        e.states = states_.size();
        e.outcomes = outcomes();
        return e;
    }

private:
    using ending = exploration::ending;
    using number = state_set::number;

    ending visit_all(std::uint64_t& steps) {
        states_.add(machine_.initial().data());
        before_.push_back(0);
        for (number i = 0; i < states_.size(); ++i) {
            if (i % asked_every == 0 && limits_.keep_going && !limits_.keep_going(states_.size()))
                return ending::interrupted;
            machine_.expand(states_[i], next_);
            steps += next_.size();
            if (next_.size() == 0) end_at(i);
            for (std::size_t k = 0; k < next_.size(); ++k) {
                hashes_[k] = states_.hash_of(next_.state(k));
                states_.prefetch(hashes_[k]);
            }
            for (std::size_t k = 0; k < next_.size(); ++k)
                if (states_.add(next_.state(k), hashes_[k])) before_.push_back(i);
            if (states_.size() > limits_.states) return ending::too_many_states;
        }
        return ending::complete;
    }

    // Many final states have the same outcome; the first of them is kept.
    void end_at(number i) {
        std::vector<state_word>& seen = observed_;
        seen.resize(machine_.words());
        machine_.observed(states_[i], seen.data());
        if (ends_.add(seen.data())) final_.push_back(i);
    }

    std::vector<reached_outcome> outcomes() {
        std::vector<outcome> sorted;
        std::vector<std::pair<outcome, number>> reached;
        for (const number i : final_) {
            reached.emplace_back(machine_.outcome_of(states_[i]), i);
            sorted.push_back(reached.back().first);
        }
        sort_by_text(test_, sorted);
        std::vector<reached_outcome> all;
        for (outcome& o : sorted) {
            const auto first =
                std::find_if(reached.begin(), reached.end(), [&](const auto& r) { return r.first == o; });
            auto witness = witness_of(first->second);
            all.push_back({std::move(o), std::move(witness)});
        }
        return all;
    }

    // The way to a final state, without the lines that leave caches when nothing else can happen any more.
    std::vector<std::string> witness_of(number last) {
        std::vector<number> way{last};
        while (way.back() != 0) way.push_back(before_[way.back()]);
        while (way.size() > 1 && only_lines_leave(way[1])) way.erase(way.begin());
        std::reverse(way.begin(), way.end());
        std::vector<std::string> text;
        for (std::size_t i = 0; i + 1 < way.size(); ++i) text.push_back(text_of(states_[way[i]], states_[way[i + 1]]));
        return text;
    }
    bool only_lines_leave(number i) {
        machine_.expand(states_[i], next_);
        for (std::size_t k = 0; k < next_.size(); ++k)
            if (!next_.step(k).leaves_a_cache()) return false;
        return true;
    }
    std::string text_of(const state_word* from, const state_word* to) {
        machine_.expand(from, next_);
        std::size_t k = 0;
        while (std::memcmp(next_.state(k), to, machine_.words() * sizeof(state_word)) != 0) ++k;
        return machine_.to_text(next_.step(k), from, to);
    }

    const litmus_test& test_;
    const exploration_limits& limits_;
    const machine machine_;
    successors next_;
    std::vector<std::uint64_t> hashes_;
    state_set states_;
    std::vector<number> before_;  // by state: the one from which it was reached first
    state_set ends_;
    std::vector<number> final_;
    std::vector<state_word> observed_;
};

}  // namespace

exploration explore(const litmus_test& test, const exploration_limits& limits) { return search(test, limits).run(); }

}  // namespace contraflow::ordering::model
