// SPDX-License-Identifier: Apache-2.0
// A whole workload as its author writes it: kernels, the host program, and the check of the result.
#include <gtest/gtest.h>

#include "gpu/kernel/ideal_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;

class triad {
public:
    triad(device_memory& memory, std::size_t n, double s)
        : n_(n),
          s_(s),
          a_(memory.allocate<double>(n)),
          b_(memory.allocate<double>(n)),
          c_(memory.allocate<double>(n)) {
        std::vector<double> a(n), b(n);
        for (std::size_t i = 0; i < n; ++i) {
            a[i] = static_cast<double>(i);
            b[i] = 1.0 / static_cast<double>(i + 1);
        }
        memory.write(a_, a);
        memory.write(b_, b);
    }

    host_task run(gpu_system_if& gpu) { co_await gpu.launch({"triad", 4, 96, this, &triad::body}); }

    std::size_t wrong_elements(const device_memory& memory) const {
        const auto a = memory.read(a_), b = memory.read(b_), c = memory.read(c_);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n_; ++i) wrong += c[i] != a[i] + s_ * b[i];
        return wrong;
    }

private:
    kernel body(wave w) {
        for (auto i : w.share(n_)) co_await w.store(c_, i, co_await w.load(a_, i) + s_ * co_await w.load(b_, i));
    }

    std::size_t n_;
    double s_;
    array<double> a_, b_, c_;
};

TEST(example, triad) {
    ideal_machine machine;
    triad t(machine.memory(), 1001, 3.0);
    machine.run(t.run(machine));
    EXPECT_EQ(t.wrong_elements(machine.memory()), 0u);
}

// Sums an array: each CTA folds its part in the scratchpad, its first wavefront adds the part's sum to the total.
class block_sum {
public:
    block_sum(device_memory& memory, const std::vector<std::uint32_t>& values)
        : memory_(memory),
          values_(memory.upload(values)),
          total_(memory.allocate<std::uint32_t>(1)) {}

    host_task run(gpu_system_if& gpu) {
        co_await gpu.launch({"sum", 3, 256, this, &block_sum::body, core::bytes{8 * sizeof(std::uint32_t)}});
        result = memory_.read(total_, 0);
    }
    std::uint32_t result = 0;

private:
    kernel body(wave w) {
        auto parts = w.shared<std::uint32_t>(w.waves_in_cta());
        std::uint32_t mine = 0;
        for (auto i : w.own(values_.size())) mine += w.sum(co_await w.load(values_, i));
        parts[w.wave_in_cta()] = mine;
        co_await w.barrier();
        if (w.wave_in_cta() != 0) co_return;
        if (auto in = w.only(w.thread_ids() < parts.size())) {
            const auto all = w.sum(w.read(parts, w.thread_ids()));
            co_await w.atomic_add(total_, 0, all, mask::thread(0));
        }
    }

    device_memory& memory_;
    array<std::uint32_t> values_, total_;
};

TEST(example, sum_through_the_scratchpad_and_an_atomic) {
    ideal_machine machine;
    std::vector<std::uint32_t> values(10'007);
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < values.size(); ++i) expected += values[i] = static_cast<std::uint32_t>(i * 7 + 1);
    block_sum s(machine.memory(), values);
    machine.run(s.run(machine));
    EXPECT_EQ(s.result, expected);
}

}  // namespace
