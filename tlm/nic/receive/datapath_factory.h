// SPDX-License-Identifier: Apache-2.0
// The surroundings of a receive datapath. The code that chooses a level hands a factory to the builder of the NIC.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/scheduler.h"
#include "nic/receive/receive_datapath_if.h"
#include "nic/receive/receive_spec.h"
#include "nic/receive/table_memory.h"
#include "observe/statistics.h"
#include "observe/waves/wave_sink_if.h"

namespace contraflow::nic {

class core_if;

// All that it refers to outlives the datapath.
struct datapath_place {
    core::scheduler& events;
    std::string path;  // path of the instance
    const receive_spec& spec;
    position node;
    receive_client_if& client;
    table_memory& tables;  // also behind the client's read_table()
    observe::statistics& statistics;
    observe::wave_sink_if* waves = nullptr;  // null: none
    std::shared_ptr<core_if> core{};         // the NIC's core; none: there is no NIC around it
};

using datapath_factory = std::function<std::unique_ptr<receive_datapath_if>(const datapath_place& place)>;

}  // namespace contraflow::nic
