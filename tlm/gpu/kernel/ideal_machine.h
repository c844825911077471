// SPDX-License-Identifier: Apache-2.0
// Runs kernels for their results alone: one flat memory in which every access completes at once, no simulated time.
// Wavefronts take turns, so that one can wait for a word that another writes.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "gpu/kernel/flat_memory.h"
#include "gpu/kernel/gpu_system_if.h"
#include "gpu/kernel/wave_context.h"

namespace contraflow::gpu {

class ideal_machine final : public gpu_system_if, private wave_executor_if {
public:
    struct spec {
        unsigned resident_ctas = 8;  // CTAs that run together
        unsigned turn = 64;          // instructions before the next wavefront's turn
        bool backwards = false;      // runs CTAs and wavefronts in the opposite order: results must not depend on it
        unsigned wave_width = default_wave_width;
    };
    ideal_machine() : ideal_machine(spec{}) {}
    explicit ideal_machine(const spec& s) : spec_(s) {}

    launch_operation launch(kernel_launch kernel) override;
    device_memory& memory() override { return memory_; }
    unsigned wave_width() const override { return spec_.wave_width; }

    // Runs the host program to its end; rethrows its exception.
    void run(host_task program);

    std::uint64_t instructions() const { return instructions_; }  // awaited by wavefronts so far

private:
    struct running_cta : cta_context {
        std::deque<wave_context> waves;
    };

    void begin_loads(wave_context& wave, std::span<wave_access* const> loads, std::uint64_t work) override;
    bool wait(wave_context& wave, std::span<wave_access* const> loads) override;
    bool begin_accesses(wave_context& wave, std::span<wave_access> accesses) override;
    bool barrier(wave_context& wave) override;
    bool fence(wave_context& wave) override;
    bool compute(wave_context& wave, std::uint64_t cycles) override;

    void execute(launch_state& l);
    std::unique_ptr<running_cta> begin(const kernel_launch& k, std::uint64_t number);
    void take_turns(running_cta& cta, launch_state& l);
    void carry_out(wave_access& a);
    static void open_barrier(running_cta& cta);
    bool turn_goes_on();

    const spec spec_;
    flat_memory memory_;
    std::deque<launch_state> launches_;
    std::size_t ended_ = 0;
    std::uint64_t instructions_ = 0;
    unsigned left_in_turn_ = 0;
};

}  // namespace contraflow::gpu
