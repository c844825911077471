// SPDX-License-Identifier: Apache-2.0
// Apart from the platform's class, so that main.cpp compiles in no time.
#pragma once

namespace contraflow::pcie_tree {

// The program from its arguments to its exit code.
int start(int argc, char** argv);

}  // namespace contraflow::pcie_tree
