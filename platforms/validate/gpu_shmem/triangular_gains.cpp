// SPDX-License-Identifier: Apache-2.0
// G8: the sparse triangular solve on several nodes.
#include "validate/gpu_shmem/shmem_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

using workloads::matrix_preset;

// Speed on four nodes over one, and gains of gio over ikn in % on 2 and 4.
std::vector<double> gains_by_nodes(matrix_preset matrix, const run_environment& environment) {
    const auto us = [&](scheme how, unsigned nodes) { return triangular_us({matrix, how, nodes}, environment); };
    const auto over_ikn = [&](unsigned nodes) { return (us(scheme::ikn, nodes) / us(scheme::gio, nodes) - 1) * 100; };
    return {us(scheme::gio, 1) / us(scheme::gio, 4), over_ikn(2), over_ikn(4)};
}

}  // namespace

measurement triangular_gains(const run_environment& environment) {
    return {
        gains_by_nodes(matrix_preset::none, environment),
        "8,192 rows with the structure of road_central, whose 14 million rows are too many for a row of this table; "
        "32 workgroups a GPU. The source's figures are those of the whole matrix.",
        "A level of so small a matrix has few rows a GPU. A thread of the host serves all queues of a GPU, one entry "
        "after the other, so it is the limit of ikn.",
        {}};
}

measurement triangular_gains_of_a_circuit(const run_environment& environment) {
    return {gains_by_nodes(matrix_preset::asic_320ks, environment),
            "As many rows and entries as ASIC_320ks has, with the structure of a circuit.",
            "As G8a.",
            {}};
}

}  // namespace contraflow::validate
