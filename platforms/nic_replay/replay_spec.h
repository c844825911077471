// SPDX-License-Identifier: Apache-2.0
// A configuration of nic_replay: the cases, and the datapath that plays them.
#pragma once

#include <optional>
#include <string>

#include "config/fields.h"
#include "nic/receive/receive_replay.h"
#include "nic_levels/nic_core_spec.h"
#include "nic_levels/receive_level.h"

namespace contraflow::nic_replay {

struct replay_spec {
    std::optional<std::string> cases;
    std::optional<std::string> only;
    nic_levels::receive_level level = nic_levels::receive_level::firmware;
    nic_levels::lockstep_sides lockstep;
    nic_levels::miss_path miss = nic_levels::miss_path::hardware;
    std::optional<std::string> firmware;
    nic_levels::nic_core_spec core;
    nic::receive_spec datapath;
    nic::replay_conditions around;

    nic_levels::chosen_level chosen() const { return {level, lockstep, miss}; }
    static void describe(config::fields<replay_spec>& f);
};

}  // namespace contraflow::nic_replay
