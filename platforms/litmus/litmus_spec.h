// SPDX-License-Identifier: Apache-2.0
// A configuration of litmus: the tests, and the level that plays them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/fields.h"
#include "litmus/player.h"

namespace contraflow::litmus {

struct litmus_spec {
    std::optional<std::string> cases;
    std::optional<std::string> only;
    play_level level = play_level::model;
    std::uint64_t states = 20'000'000;
    bool witness = false;

    static void describe(config::fields<litmus_spec>& f) {
        f("cases", &litmus_spec::cases).text("JSON file of litmus tests, relative to this file");
        f("only", &litmus_spec::only).text("plays the test of that name, and no other");
        f("level", &litmus_spec::level)
            .text("what plays the tests. model: the small machine of docs/litmus.md, in every interleaving");
        f("states", &litmus_spec::states)
            .in(1, 2'000'000'000)
            .text("at level model, the states of one test after which the run ends with status 4; each takes "
                  "some 100 bytes");
        f("witness", &litmus_spec::witness)
            .text("prints one shortest interleaving for each outcome; the page has them in any case");
    }
};

}  // namespace contraflow::litmus
