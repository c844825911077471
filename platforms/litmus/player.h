// SPDX-License-Identifier: Apache-2.0
// Who plays a litmus test. A level is a value of the enumeration, its name, and a case of make_player().
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "litmus/tlm_spec.h"
#include "ordering/litmus_test.h"

namespace contraflow::litmus {

// model: the small machine, in every interleaving. tlm: the platform's parts, with random times.
enum class play_level : std::uint8_t { model, tlm };
std::string title_of(play_level level, std::uint64_t runs);

struct play_result {
    std::vector<ordering::reached_outcome> outcomes;  // sorted by their texts
    std::uint64_t states = 0;                         // model: different ones of the machine
    std::uint64_t steps = 0;                          // model: between them
    std::vector<std::uint64_t> times;                 // tlm: how often each outcome was seen
    std::uint64_t runs = 0;                           // tlm: all of them
    std::string failure;                              // the platform has failed in a way that no test has
    std::string stopped_while;                        // empty: all was played
};

class player_if {
public:
    virtual ~player_if() = default;
    // Why this level cannot play the test; empty if it can.
    virtual std::string problem_of(const ordering::litmus_test& test) const = 0;
    // keep_going(states or runs so far) is asked now and then.
    virtual play_result play(const ordering::litmus_test& test,
                             const std::function<bool(std::uint64_t)>& keep_going) const = 0;
};

struct play_options {
    std::uint64_t most_states = 0;  // model: more of them end a test
    tlm_spec tlm;
};
std::unique_ptr<player_if> make_player(play_level level, const play_options& o);

}  // namespace contraflow::litmus

template <> struct contraflow::config::enum_names<contraflow::litmus::play_level> {
    static constexpr std::array names{std::pair{contraflow::litmus::play_level::model, "model"},
                                      std::pair{contraflow::litmus::play_level::tlm, "tlm"}};
};
