// SPDX-License-Identifier: Apache-2.0
#include "validate/gpu_shmem/shmem_setup.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "runner/run.h"
#include "shipped_yaml.h"
#include "validate/shipped_configuration.h"

namespace contraflow::validate {
namespace {

runner::limits limits_of(const gpu_shmem::experiment& e, const run_environment& environment) {
    runner::limits limits;
    limits.watchdog = e.watchdog;
    limits.keep_going = environment.keep_going;
    return limits;
}

gpu_shmem::put_result puts(const gpu_shmem::experiment& e, const gpu_shmem::put_variant& v,
                           const run_environment& environment) {
    gpu_shmem::put_result r = gpu_shmem::run_puts(e, v, limits_of(e, environment));
    environment.check();
    runner::require_verified(fmt::format("puts of {}, {}", core::to_text(v.size), v.text()), r);
    r.statistics.clear();
    return r;
}

}  // namespace

const gpu_shmem::put_result& small_put(scheme s, const run_environment& environment, bool templates) {
    static std::map<std::pair<scheme, bool>, gpu_shmem::put_result> known;
    const auto key = std::pair(s, templates);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const auto e = shipped_configuration<gpu_shmem::experiment>("gpu_shmem.yaml", gpu_shmem_yaml);
    return known.emplace(key, puts(e, {s, templates, e.puts.sizes.front(), 1}, environment)).first->second;
}

double put_us(core::bytes size, unsigned workgroups, const run_environment& environment) {
    static std::map<std::pair<core::bytes, unsigned>, double> known;
    const auto key = std::pair(size, workgroups);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const auto e = shipped_configuration<gpu_shmem::experiment>("workgroups.yaml", workgroups_yaml);
    return known[key] = face::us(puts(e, {scheme::gio, true, size, workgroups}, environment).step);
}

}  // namespace contraflow::validate
