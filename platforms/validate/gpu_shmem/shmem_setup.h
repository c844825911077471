// SPDX-License-Identifier: Apache-2.0
// The runs of rows G1 to G9, on the configurations that gpu_shmem ships. Each run is made once, even if several rows
// need it; all bytes are verified, and what is wrong throws std::runtime_error.
#pragma once

#include <string>
#include <vector>

#include "gpu_shmem/runs/program_bench.h"
#include "validate/table/row.h"

namespace contraflow::validate {

using gpu_shmem::scheme;

// Puts of 4 bytes by one workgroup, as in the main job.
const gpu_shmem::put_result& small_put(scheme s, const run_environment& environment, bool templates = true);
// Of that size by so many workgroups at a time, us.
double put_us(core::bytes size, unsigned workgroups, const run_environment& environment);

// Of that size by one workgroup, with further changes of the main job's configuration: us a put.
double put_us(core::bytes size, const std::vector<std::string>& sets, const run_environment& environment);
// The rate of 64 KiB puts that are awaited together, GB/s.
double put_gb_per_s(const std::vector<std::string>& sets, const run_environment& environment);

// A step of Jacobi on so many points square a GPU, four nodes, us.
struct jacobi_case {
    unsigned points = 1024;
    scheme how = scheme::gio;
    bool cached_halos = false;
    unsigned nodes = 4;
    auto operator<=>(const jacobi_case&) const = default;
};
double jacobi_us(const jacobi_case& c, const run_environment& environment);

// A sparse triangular solve, us. Without a preset, of the shipped matrix.
struct triangular_case {
    workloads::matrix_preset matrix = workloads::matrix_preset::none;
    scheme how = scheme::gio;
    unsigned nodes = 1;
    auto operator<=>(const triangular_case&) const = default;
};
double triangular_us(const triangular_case& c, const run_environment& environment);

}  // namespace contraflow::validate
