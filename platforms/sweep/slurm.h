// SPDX-License-Identifier: Apache-2.0
// The commands of a Slurm cluster that a sweep uses itself; its scripts submit the jobs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace contraflow::sweep::slurm {

// The name of all jobs of a sweep, by which they are found again.
std::string job_name(const std::filesystem::path& points);

// Whether jobs of that name and of this user are waiting or running. Throws output_error if Slurm does not answer.
bool has_jobs(const std::string& name);
void cancel(const std::string& name);
// The number of jobs that one array may have. Throws output_error if Slurm does not answer.
std::size_t largest_array();

}  // namespace contraflow::sweep::slurm
