// SPDX-License-Identifier: Apache-2.0
#include "litmus/player.h"

#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "core/counted.h"
#include "litmus/tlm_machine.h"
#include "ordering/model/explorer.h"
#include "ordering/model/machine.h"

namespace contraflow::litmus {
namespace {

class model_player final : public player_if {
public:
    explicit model_player(std::uint64_t most_states) : most_states_(most_states) {}

    std::string problem_of(const ordering::litmus_test& test) const override {
        return ordering::model::machine::problem_of(test);
    }
    play_result play(const ordering::litmus_test& test,
                     const std::function<bool(std::uint64_t)>& keep_going) const override {
        using ending = ordering::model::exploration::ending;
        auto e = ordering::model::explore(test, {most_states_, keep_going});
        play_result r;
        r.outcomes = std::move(e.outcomes);
        r.states = e.states;
        r.steps = e.steps;
        if (e.end != ending::complete) r.stopped_while = "its states were explored";
        if (e.end == ending::too_many_states)
            r.stopped_while +=
                fmt::format(": there are more than {}; the key states allows more, and each takes up to {} bytes",
                            most_states_, e.bytes_a_state);
        return r;
    }

private:
    std::uint64_t most_states_;
};

// Counts the outcomes of many runs.
class tlm_player final : public player_if {
public:
    explicit tlm_player(const tlm_spec& s) : spec_(s) {}

    std::string problem_of(const ordering::litmus_test& test) const override { return places_of(test).problem; }
    play_result play(const ordering::litmus_test& test,
                     const std::function<bool(std::uint64_t)>& keep_going) const override {
        std::map<std::string, std::pair<ordering::outcome, std::uint64_t>> seen;
        play_result r;
        tlm_machine machine(test, spec_);
        try {
            while (r.runs < spec_.runs) {
                if (r.runs % 16 == 0 && !keep_going(r.runs)) {
                    r.stopped_while = fmt::format("it was run, after {} runs", r.runs);
                    break;
                }
                ++r.runs;
                ordering::outcome o = machine.play();
                std::string text = ordering::to_json(test, o);
                ++seen.try_emplace(std::move(text), std::move(o), 0u).first->second.second;
            }
        } catch (const std::runtime_error& e) { r.failure = fmt::format("run {}: {}", r.runs, e.what()); }
        for (auto& [text, counted] : seen) {
            r.outcomes.push_back({std::move(counted.first), {}});
            r.times.push_back(counted.second);
        }
        return r;
    }

private:
    const tlm_spec spec_;
};

}  // namespace

std::string title_of(play_level level, std::uint64_t runs) {
    switch (level) {
    case play_level::model: return "every interleaving of the small machine";
    case play_level::tlm: return core::counted(runs, "run") + " each on the platform's parts";
    }
    return "";
}

std::unique_ptr<player_if> make_player(play_level level, const play_options& o) {
    switch (level) {
    case play_level::model: return std::make_unique<model_player>(o.most_states);
    case play_level::tlm: return std::make_unique<tlm_player>(o.tlm);
    }
    return nullptr;
}

}  // namespace contraflow::litmus
