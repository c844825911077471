// SPDX-License-Identifier: Apache-2.0
// The runs of rows A1 to A13 and F1 to F5, on the configurations that torus_nic ships. Each run is made once, even if
// several rows need it.
#pragma once

#include <string>
#include <vector>

#include "nic/receive/receive_case.h"
#include "torus_nic/messages/message_run.h"
#include "torus_nic/programs/program_run.h"
#include "validate/table/row.h"

namespace contraflow::validate {

// As on the command line: "messages.sizes=[32B]".
using changes = std::vector<std::string>;
changes joined(changes all, const changes& more);

enum class shipped_experiment { latency, loop_back, one_way, read, programs };

struct torus_case {
    shipped_experiment of = shipped_experiment::latency;
    changes sets;
};

// With further changes at the end.
torus_case with(torus_case c, const changes& more);
torus_nic::experiment experiment_of(const torus_case& c);
// A run for each variant of its messages. All bytes are verified; what is wrong throws std::runtime_error.
const std::vector<torus_nic::message_result>& messages_of(const torus_case& c, const run_environment& environment);
// The first size of the only variant.
const torus_nic::size_result& size_of(const torus_case& c, const run_environment& environment);
// Of the configuration's only program.
core::sim_time time_of_program(const torus_case& c, const run_environment& environment);

// ---- figures, with changes of the configuration

using memories = torus_nic::memory_pair;
// Half a round trip of 32 bytes between two nodes, and the time of a put until the program hears that it has been sent.
double half_round_trip_us(memories p, const run_environment& environment, const changes& more = {});
double overhead_us(memories p, const run_environment& environment, const changes& more = {});
// 1 MiB messages of a node to itself.
double loop_back_gb_per_s(memories p, const run_environment& environment, const changes& more = {});
// From one node to another, the next message when the one before has been sent.
double one_way_gb_per_s(memories p, const std::string& size, const run_environment& environment,
                        const changes& more = {});
// Reads of a GPU's memory, a MiB at a time; `reader` as in messages.readers.
const torus_nic::message_result& reads(const std::string& reader, const run_environment& environment,
                                       const changes& more = {});
double read_gb_per_s(const std::string& reader, const run_environment& environment, const changes& more = {});

inline const changes staged{"messages.routes=[staged]"}, reference{"messages.routes=[reference]"};

// 50 packets of 4 KiB for the last of so many buffers, which lie side by side; its pages are there.
nic::receive_case packets_behind(unsigned buffers);

// A look-up of received packets of 4 KiB by the core's firmware, when the last of so many buffers is the one.
struct lookup_cost {
    double us = 0;                // mean of all packets
    double search = 0, walk = 0;  // shares of the cycles: BUF_LIST, page tables
};
lookup_cost lookup_with(unsigned buffers, const changes& more = {});

}  // namespace contraflow::validate
