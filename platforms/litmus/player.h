// SPDX-License-Identifier: Apache-2.0
// Who plays a litmus test. A level is a value of the enumeration, its name, and a case of make_player().
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "ordering/litmus_test.h"

namespace contraflow::litmus {

enum class play_level : std::uint8_t { model };
std::string_view title_of(play_level level);

struct play_result {
    std::vector<ordering::reached_outcome> outcomes;  // sorted by their texts
    std::uint64_t states = 0;                         // different ones of the machine
    std::uint64_t steps = 0;                          // between them
    std::string stopped_while;                        // empty: the outcomes are complete
};

class player_if {
public:
    virtual ~player_if() = default;
    // Why this level cannot play the test; empty if it can.
    virtual std::string problem_of(const ordering::litmus_test& test) const = 0;
    // keep_going(states so far) is asked now and then.
    virtual play_result play(const ordering::litmus_test& test,
                             const std::function<bool(std::uint64_t)>& keep_going) const = 0;
};

// `most_states`: more of them end a test.
std::unique_ptr<player_if> make_player(play_level level, std::uint64_t most_states);

}  // namespace contraflow::litmus

template <> struct contraflow::config::enum_names<contraflow::litmus::play_level> {
    static constexpr std::array names{std::pair{contraflow::litmus::play_level::model, "model"}};
};
