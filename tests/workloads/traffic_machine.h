// SPDX-License-Identifier: Apache-2.0
// Runs kernels in the ideal machine's order and counts the traffic over the links between sockets: contiguous CTAs,
// first-touch pages of 64 KiB, lines of 128 bytes that a CTA fetches once. No time, no capacity.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gpu/kernel/flat_memory.h"
#include "gpu/kernel/gpu_system_if.h"
#include "gpu/kernel/wave_context.h"

namespace contraflow::workloads_test {

struct kernel_traffic {
    std::string name;
    std::uint64_t ctas = 0;
    std::uint64_t lines = 0;             // lines that wavefronts' instructions touch, by instruction
    std::vector<std::uint64_t> in, out;  // bytes of data into and out of each socket over its link

    std::uint64_t total() const;  // sum over all links, each byte once
};

class traffic_machine final : public gpu::gpu_system_if, private gpu::wave_executor_if {
public:
    explicit traffic_machine(unsigned sockets) : sockets_(sockets) {}

    gpu::launch_operation launch(gpu::kernel_launch kernel) override {
        return gpu::launch_operation(launches_.emplace_back(std::move(kernel)));
    }
    gpu::device_memory& memory() override { return memory_; }
    unsigned wave_width() const override { return gpu::default_wave_width; }
    void run(gpu::host_task program);

    const std::vector<kernel_traffic>& kernels() const { return kernels_; }
    // The sum over all kernels whose names begin with `name`.
    kernel_traffic sum_of(const std::string& name) const;

private:
    static constexpr std::uint64_t line = 128, page = 65536;

    void begin_loads(gpu::wave_context& wave, std::span<gpu::wave_access* const> loads, std::uint64_t work) override;
    bool wait(gpu::wave_context&, std::span<gpu::wave_access* const>) override { return true; }
    bool begin_accesses(gpu::wave_context& wave, std::span<gpu::wave_access> accesses) override;
    bool barrier(gpu::wave_context& wave) override;
    bool fence(gpu::wave_context&) override { return true; }
    bool compute(gpu::wave_context& wave, std::uint64_t) override {
        wave.take_work();
        return true;
    }
    void execute(gpu::launch_state& l);
    void carry_out(gpu::wave_access& a);
    void count(const gpu::wave_access& a);

    unsigned sockets_;
    gpu::flat_memory memory_;
    std::deque<gpu::launch_state> launches_;
    std::vector<kernel_traffic> kernels_;
    std::unordered_map<std::uint64_t, unsigned> homes_;  // for look-ups only
    std::unordered_set<std::uint64_t> fetched_;          // lines that the running CTA has fetched
    unsigned here_ = 0;                                  // its socket
};

}  // namespace contraflow::workloads_test
