// SPDX-License-Identifier: Apache-2.0
#include "validate/table/experiments.h"

#include <iterator>

namespace contraflow::validate {

const std::vector<experiment>& experiments() {
    static const std::vector<experiment> all = [] {
        std::vector<experiment> list;
        for (auto* const of_model : {unit_experiments, cache_experiments, crossbar_experiments, dram_experiments,
                                     translation_experiments, link_experiments, gpu_experiments, pcie_experiments,
                                     torus_experiments, nic_experiments, shmem_experiments}) {
            auto some = of_model();
            list.insert(list.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
        }
        return list;
    }();
    return all;
}

}  // namespace contraflow::validate
