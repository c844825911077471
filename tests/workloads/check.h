// SPDX-License-Identifier: Apache-2.0
// The check of every workload: check("name: triad\nn: 1000\n", {2}).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "workloads/selection.h"

namespace contraflow::workloads_test {

// A workload from YAML; a mistake in it fails the test.
workloads::selection selected(const std::string& yaml);

// The result is right on the ideal machine, forwards, backwards, with turns of one instruction, with many CTAs at once,
// and with wavefronts of either width; wrong before the run; and wrong when a word is changed in any of the arrays that
// hold the result, which are given by their number in the order of allocation.
void check(const std::string& yaml, const std::vector<std::size_t>& results);

}  // namespace contraflow::workloads_test
