// SPDX-License-Identifier: Apache-2.0
// A configuration of lane_replay: the cases, and the level that plays them.
#pragma once

#include <optional>
#include <string>

#include "config/fields.h"
#include "cosim/controller_level.h"

namespace contraflow::lane_replay {

struct replay_spec {
    std::optional<std::string> cases;
    std::optional<std::string> only;
    cosim::controller_level level = cosim::controller_level::tlm;

    static void describe(config::fields<replay_spec>& f) {
        f("cases", &replay_spec::cases).text("JSON file of cases, relative to this file");
        f("only", &replay_spec::only).text("plays the case of that name, and no other");
        f("level", &replay_spec::level)
            .text("the lanes that carry the trace. tlm: the model's; rtl: the RTL's; lockstep: the RTL's, and RTL and "
                  "model "
                  "compared in every cycle");
    }
};

}  // namespace contraflow::lane_replay
