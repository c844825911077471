// SPDX-License-Identifier: Apache-2.0
#include "litmus/player.h"

#include <fmt/format.h>

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
        play_result r{std::move(e.outcomes), e.states, e.steps, ""};
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

}  // namespace

std::string_view title_of(play_level level) {
    switch (level) {
    case play_level::model: return "every interleaving of the small machine";
    }
    return "";
}

std::unique_ptr<player_if> make_player(play_level level, std::uint64_t most_states) {
    switch (level) {
    case play_level::model: return std::make_unique<model_player>(most_states);
    }
    return nullptr;
}

}  // namespace contraflow::litmus
