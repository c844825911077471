// SPDX-License-Identifier: Apache-2.0
// G5 to G7, G9: Jacobi by scheme, by the number of nodes, and with rows that travel in cached pages.
#include "validate/gpu_shmem/shmem_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

constexpr unsigned small_grid = 512;  // points, of rows that say nothing of a size

// In %, of speed.
double gain(unsigned points, scheme over, const run_environment& environment) {
    return (jacobi_us({points, over}, environment) / jacobi_us({points, scheme::gio}, environment) - 1) * 100;
}

measurement gains(unsigned points, const run_environment& environment) {
    return {
        {gain(points, scheme::inter_k, environment), gain(points, scheme::ikn, environment)},
        "Four nodes, points in double precision, as many a GPU and side; the third step. "
        "Gain in speed: time of the other over that of gio, less one.",
        "inter_k loses some 20 us a step at each size: the kernel's boundary and the host's messages. By the source's "
        "figures it loses more with each size, and the source does not say to what. "
        "A thread of the host serves a put as fast as the NIC does (G2a), so ikn loses nothing.",
        {}};
}

}  // namespace

measurement jacobi_gains_1k(const run_environment& environment) { return gains(1024, environment); }
measurement jacobi_gains_2k(const run_environment& environment) { return gains(2048, environment); }
measurement jacobi_gains_4k(const run_environment& environment) { return gains(4096, environment); }

measurement jacobi_with_overlap(const run_environment& environment) {
    const double gio = jacobi_us({small_grid, scheme::gio}, environment);
    return {{jacobi_us({small_grid, scheme::inter_k_overlap}, environment) / gio,
             jacobi_us({small_grid, scheme::inter_k}, environment) / gio},
            "512 x 512 points a GPU, four nodes. The source says that the overlapping scheme comes close to gio, and "
            "that gio has no launches.",
            {},
            {}};
}

namespace {

measurement weak_scaling(unsigned points, const run_environment& environment) {
    const double one = jacobi_us({points, scheme::gio, false, 1}, environment);
    return {{one / jacobi_us({points, scheme::gio, false, 2}, environment) * 100,
             one / jacobi_us({points, scheme::gio, false, 4}, environment) * 100},
            "Time of a step on one node over that on 2 and on 4.",
            "On one node nothing is put. With neighbours, the workgroups at the edges also write entries and wait for "
            "their stores, about 5 us a step, and the others of their GPU wait for them.",
            {}};
}

}  // namespace

measurement jacobi_weak_scaling(const run_environment& environment) { return weak_scaling(1024, environment); }
measurement jacobi_weak_scaling_2k(const run_environment& environment) { return weak_scaling(2048, environment); }

measurement uncached_halos(const run_environment& environment) {
    const double uncached = jacobi_us({small_grid, scheme::inter_k}, environment);
    return {{(uncached - jacobi_us({small_grid, scheme::inter_k, true}, environment)) / uncached * 100},
            "Jacobi by inter_k, 512 x 512 points a GPU, four nodes: rows that travel in uncached pages over the same "
            "in cached ones, of the time with uncached ones. With gio they cannot be cached. The source has five such "
            "figures, 1 to 9.3 %, and does not name one for each program.",
            {},
            {}};
}

}  // namespace contraflow::validate
