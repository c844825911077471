// SPDX-License-Identifier: Apache-2.0
// All experiments with a known answer, model by model. To add one: a row in the list of its model's file, with the
// formula in words and a function that returns what is expected and what was measured.
#pragma once

#include <vector>

#include "validate/table/experiment.h"

namespace contraflow::validate {

// In the order of the page. Ids are unique.
const std::vector<experiment>& experiments();

std::vector<experiment> unit_experiments();
std::vector<experiment> cache_experiments();
std::vector<experiment> crossbar_experiments();
std::vector<experiment> dram_experiments();
std::vector<experiment> link_experiments();
std::vector<experiment> translation_experiments();
std::vector<experiment> gpu_experiments();
std::vector<experiment> pcie_experiments();
std::vector<experiment> torus_experiments();
std::vector<experiment> nic_experiments();
std::vector<experiment> shmem_experiments();

}  // namespace contraflow::validate
