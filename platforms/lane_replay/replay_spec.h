// SPDX-License-Identifier: Apache-2.0
// What a configuration of lane_replay says: which cases, and with what they are played.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "config/fields.h"

namespace contraflow::lane_replay {

enum class replay_level { tlm };

struct replay_spec {
    std::optional<std::string> cases;
    replay_level level = replay_level::tlm;

    static void describe(config::fields<replay_spec>& f) {
        f("cases", &replay_spec::cases).text("JSON file of cases, relative to this file");
        f("level", &replay_spec::level).text("which lane controller decides");
    }
};

}  // namespace contraflow::lane_replay

template <> struct contraflow::config::enum_names<contraflow::lane_replay::replay_level> {
    static constexpr std::array names{std::pair{contraflow::lane_replay::replay_level::tlm, "tlm"}};
};
