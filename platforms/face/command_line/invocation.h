// SPDX-License-Identifier: Apache-2.0
// How a user starts the programs of this installation. Its `contraflow`, in a checkout ./contraflow, leaves its own
// name in the environment; without it, programs are started by the names of their files.
#pragma once

#include <string>
#include <string_view>

namespace contraflow::face {

// "./contraflow", "contraflow"; empty if neither has started this program.
std::string entry_point();

// "./contraflow run nic_replay", or "nic_replay". A program that is called contraflow-VERB is a verb.
std::string command_of(std::string_view program);

}  // namespace contraflow::face
