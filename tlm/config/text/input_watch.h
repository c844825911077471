// SPDX-License-Identifier: Apache-2.0
// Whoever reads an input file tells it here, so that a record of a run can name every file that the run has read.
#pragma once

#include <functional>
#include <string>

namespace contraflow::config {

// `what`: "trace", "graph". `text` is null if the file is read piece by piece.
using input_watcher = std::function<void(const std::string& what, const std::string& path, const std::string* text)>;

// Replaces the watcher of this process; an empty one ends the watch.
void watch_inputs(input_watcher watcher);
// Threads may tell at the same time: the watcher is called once at a time.
void tell_input(const std::string& what, const std::string& path, const std::string* text);

}  // namespace contraflow::config
