// SPDX-License-Identifier: Apache-2.0
// A configuration of litmus: the tests, and the level that plays them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "litmus/player.h"

namespace contraflow::litmus {

struct litmus_spec : tlm_spec {
    std::optional<std::string> cases;
    std::optional<std::string> only;
    play_level level = play_level::model;
    std::uint64_t states = 20'000'000;
    bool witness = false;
    static void describe(config::fields<litmus_spec>& f) {
        f("cases", &litmus_spec::cases).text("JSON file of litmus tests, relative to this file");
        f("only", &litmus_spec::only).text("plays the test of that name, and no other");
        f("level", &litmus_spec::level)
            .text("what plays the tests. model: the small machine of docs/litmus.md, in every interleaving; tlm: GPUs, "
                  "NICs "
                  "and a switch, many times with random times");
        f("states", &litmus_spec::states)
            .in(1, 2'000'000'000)
            .text("at level model, the states of one test after which the run ends with status 4; each takes "
                  "some 100 bytes");
        f("witness", &litmus_spec::witness)
            .text("at level model, prints one shortest interleaving for each outcome; the page has them in any case");
        f("runs", &litmus_spec::runs).in(1, 1'000'000'000).text("at level tlm, how often each test is played");
        f("seed", &litmus_spec::seed).text("at level tlm, of all random times; the same seed gives the same counts");
        f("delays", &litmus_spec::delays)
            .in({}, core::sim_time::from_us(1000))
            .text(
                "at level tlm, the longest random time between two instructions; that of an access in the data fabric "
                "is 2 times as long, of a write in a write combiner 5 times, until a thread starts 12 times");
        f("patience", &litmus_spec::patience)
            .in(core::sim_time::from_us(1), core::sim_time::from_us(1'000'000))
            .text(
                "at level tlm, a thread is stuck if nothing happens for twice this time; all lines leave their caches "
                "after the first half. At least 15 times delays");
    }
};

inline std::vector<config::problem> problems_of(const litmus_spec& s) {
    const core::sim_time least = s.delays * tlm_spec::least_patience;
    if (s.level != play_level::tlm || s.patience >= least) return {};
    return {{fmt::format("a thread that waits would be taken for stuck: delays is {}, patience {}",
                         core::to_text(s.delays), core::to_text(s.patience)),
             {{"patience", "at least " + core::to_text(least)}, {"delays", "less"}}}};
}

}  // namespace contraflow::litmus
