// SPDX-License-Identifier: Apache-2.0
// pcie_tree: the time of communications over a PCIe tree, their congestion, and a better order of sends.
#include "pcie_tree/start.h"

int main(int argc, char** argv) { return contraflow::pcie_tree::start(argc, argv); }
