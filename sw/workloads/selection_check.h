// SPDX-License-Identifier: Apache-2.0
// What a platform says of the workload that its configuration chooses, before anything runs: parameters that don't go
// together, a layout for another machine, files that can't be read.
#pragma once

#include <functional>
#include <string>

#include "config/text/diagnostics.h"
#include "workloads/selection.h"

namespace contraflow::workloads {

// How the platform's configuration is read and written; paths such as "workload.file".
struct selection_place {
    std::function<config::location(const std::string& path)> where;
    std::function<void(const config::problem& p)> report;
    std::function<void(const std::string& path)> mark_computed;
    unsigned gpus = 1;
    std::string count_key;  // what says how many: "gpu.sockets"
};

// Files are looked for where the command was typed, then beside the configuration that names them.
void check(selection& w, const selection_place& in, config::diagnostics& diag);

}  // namespace contraflow::workloads
