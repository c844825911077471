// SPDX-License-Identifier: Apache-2.0
// Errors of the workload that a configuration chooses, reported before anything runs: conflicting parameters, a layout
// for another machine, files that can't be read.
#pragma once

#include <functional>
#include <string>

#include "config/text/diagnostics.h"
#include "workloads/selection.h"

namespace contraflow::workloads {

// The description of the platform's configuration; paths such as "workload.file".
struct selection_place {
    std::function<config::location(const std::string& path)> where;
    std::function<void(const config::problem& p)> report;
    std::function<void(const std::string& path)> mark_computed;
    unsigned gpus = 1;
    std::string count_key;  // the key of the number of GPUs or sockets: "gpus"
};

// Files are looked for in the current folder, then in the folder of the configuration that names them.
void check(selection& w, const selection_place& in, config::diagnostics& diag);

}  // namespace contraflow::workloads
