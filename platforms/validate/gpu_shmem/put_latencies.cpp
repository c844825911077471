// SPDX-License-Identifier: Apache-2.0
// G1 to G4: latency of puts.
#include "validate/gpu_shmem/shmem_setup.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

double small_us(scheme s, const run_environment& environment, bool templates = true) {
    return face::us(small_put(s, environment, templates).step);
}

}  // namespace

measurement put_by_the_cpu(const run_environment& environment) {
    return {
        {small_us(scheme::cpu, environment)},
        "4 bytes from GPU memory to another node's by the host, queue in the host's memory, one put after the other. "
        "The entry goes to the NIC with its doorbell, and the NIC's processing of it is fitted to this figure.",
        {},
        {}};
}

measurement put_by_a_kernel(const run_environment& environment) {
    return {
        {small_us(scheme::gio, environment)},
        "4 bytes by one workgroup, with templates, mean of 63 puts. The GPU's latency of an uncached store is fitted "
        "to this figure.",
        {},
        {}};
}

measurement put_by_helper_threads(const run_environment& environment) {
    return {{small_us(scheme::ikn, environment) / small_us(scheme::gio, environment)},
            "As G1b; a thread of the host looks for an entry every 50 ns, and takes 200 ns to hand one on.",
            "The thread's times are assumed, and it serves one queue. Its entry comes to the NIC with the doorbell, "
            "and the kernel finds its completion in the host's memory, not behind a write combiner: that saves nearly "
            "what the thread adds. The source's figure leaves room for 5 us more: threads that serve many queues, or "
            "that are woken.",
            {}};
}

measurement put_at_kernel_boundaries(const run_environment& environment) {
    return {{small_us(scheme::inter_k_empty, environment) / small_us(scheme::gio, environment)},
            "As G1b; a kernel that does nothing before each put of the host.",
            {},
            {}};
}

measurement stores_of_an_entry(const run_environment& environment) {
    const auto& with = small_put(scheme::gio, environment);
    const auto& without = small_put(scheme::gio, environment, false);
    const double with_us = face::us(with.step), without_us = face::us(without.step);
    return {{static_cast<double>(with.life->entry_stores), static_cast<double>(without.life->entry_stores),
             (without_us - with_us) / with_us * 100},
            "As G1b, with and without templates; stores of 8 bytes, each waits for the one before. The last value is "
            "what templates save, of G1b.",
            {},
            {}};
}

measurement latency_by_workgroups(const run_environment& environment) {
    constexpr core::bytes small{8}, large{64u << 10};
    constexpr unsigned some = 4, many = 32;
    const double one = put_us(small, 1, environment), one_large = put_us(large, 1, environment);
    return {
        {put_us(small, some, environment) / one, put_us(small, many, environment) / one,
         put_us(large, some, environment) / one_large, put_us(large, many, environment) / one_large},
        "Workgroups of one GPU, each with a context of its own, 8 bytes and 64 KiB. The source gives the shape only.",
        {},
        {}};
}

}  // namespace contraflow::validate
