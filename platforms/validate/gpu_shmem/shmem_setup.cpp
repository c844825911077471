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

// The matrix of a preset takes a while to make.
const shmem::triangular_solve::triangle& lower_of(const gpu_shmem::experiment& e) {
    static std::map<workloads::matrix_preset, shmem::triangular_solve::triangle> known;
    auto& lower = known[e.triangular_solve.matrix.preset];
    if (lower == nullptr) lower = shmem::triangular_solve::triangle_of(e.triangular_solve);
    return lower;
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

double put_us(core::bytes size, const std::vector<std::string>& sets, const run_environment& environment) {
    const auto e = shipped_configuration<gpu_shmem::experiment>("gpu_shmem.yaml", gpu_shmem_yaml, sets);
    return face::us(puts(e, {scheme::gio, true, size, 1}, environment).step);
}

double put_gb_per_s(const std::vector<std::string>& sets, const run_environment& environment) {
    constexpr core::bytes size{64u << 10};
    const auto time_s = [&](unsigned count) {
        auto all = sets;
        all.insert(all.end(), {"puts.awaited=false", "puts.sizes=[64KiB]", fmt::format("puts.puts={}", count)});
        const auto e = shipped_configuration<gpu_shmem::experiment>("gpu_shmem.yaml", gpu_shmem_yaml, all);
        return puts(e, {scheme::gio, true, size, 1}, environment).time.seconds();
    };
    constexpr unsigned some = 8, more = 40;
    return static_cast<double>(size.count * (more - some)) * 1e-9 / (time_s(more) - time_s(some));
}

double jacobi_us(const jacobi_case& c, const run_environment& environment) {
    static std::map<jacobi_case, double> known;
    if (const auto found = known.find(c); found != known.end()) return found->second;
    auto e = shipped_configuration<gpu_shmem::experiment>("jacobi.yaml", jacobi_yaml);
    e.cluster.nodes = c.nodes;
    e.schemes = {c.how};
    e.jacobi.columns = e.jacobi.rows = c.points;
    e.jacobi.cached_halos = c.cached_halos;
    e.jacobi.steps = 3;  // the third one is measured
    const auto r = gpu_shmem::run_jacobi(e, c.how, limits_of(e, environment));
    environment.check();
    runner::require_verified(
        fmt::format("jacobi of {} points, {} nodes, {}", c.points, c.nodes, config::name_of(c.how)), r);
    return known[c] = face::us(r.step);
}

double triangular_us(const triangular_case& c, const run_environment& environment) {
    static std::map<triangular_case, double> known;
    if (const auto found = known.find(c); found != known.end()) return found->second;
    auto e = shipped_configuration<gpu_shmem::experiment>("triangular_solve.yaml", triangular_solve_yaml);
    if (c.matrix != workloads::matrix_preset::none) {
        e.triangular_solve.matrix.preset = c.matrix;
        e.triangular_solve.matrix.settle(e.triangular_solve.matrix);
    }
    const auto r = gpu_shmem::run_triangular_solve(e, {c.how, c.nodes}, lower_of(e), limits_of(e, environment));
    environment.check();
    runner::require_verified(fmt::format("triangular solve, {} nodes, {}", c.nodes, config::name_of(c.how)), r);
    return known[c] = face::us(r.time);
}

}  // namespace contraflow::validate
