// SPDX-License-Identifier: Apache-2.0
// A finite impulse response filter: y[i] = sum over k of h[k] x[i - k], with the taps h in the scratchpad.
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/staging.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class fir_workload final : public workload_if {
public:
    struct spec : thread_spec {
        std::uint64_t n = 64 << 10;
        std::uint32_t taps = 16;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("n", &spec::n).in(1, 1 << 30).text("samples");
            f("taps", &spec::taps).in(1, 1024).text("coefficients of the filter");
            f("seed", &spec::seed).text("seed of samples and coefficients");
            describe_threads(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.n = 2 << 20;
        return s;
    }
    explicit fir_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        x_ = memory.allocate<double>(spec_.n);
        y_ = memory.allocate<double>(spec_.n);
        taps_ = memory.upload(coefficients());
    }

    host_task run(gpu_system_if& gpu) override {
        const std::uint32_t ctas = spec_.ctas_for(spec_.n);
        co_await gpu.launch({"initialise", ctas, spec_.block, this, &fir_workload::initialise});
        co_await gpu.launch(
            {"filter", ctas, spec_.block, this, &fir_workload::filter, core::bytes{taps_in_rounds() * sizeof(double)}});
    }

    // Goes from each sample to the results that it contributes to, so the order of the sums differs from the kernel's.
    std::string verify(device_memory& memory) override {
        const auto h = coefficients();
        std::vector<double> y(spec_.n);
        for (std::uint64_t i = 0; i < spec_.n; ++i) {
            const double x = input_real(spec_.seed, i);
            for (std::uint64_t k = 0; k < h.size() && i + k < spec_.n; ++k) y[i + k] += h[k] * x;
        }
        // Products and sums of terms of at most 1, each rounded on both sides.
        const auto most = static_cast<double>(spec_.taps);
        return difference("y", memory.read(y_), y, most * 0x1p-52, most);
    }

private:
    static constexpr std::uint32_t at_once = 4;  // loads under way together

    std::vector<double> coefficients() const {
        std::vector<double> h(spec_.taps);
        for (std::uint32_t k = 0; k < spec_.taps; ++k) h[k] = input_real(~spec_.seed, k);
        return h;
    }
    std::uint32_t taps_in_rounds() const { return (spec_.taps + at_once - 1) / at_once * at_once; }

    kernel initialise(wave w) {
        for (auto i : w.own(spec_.n)) co_await w.store(x_, i, input_real(spec_.seed, i));
    }
    kernel filter(wave w) {
        static_assert(at_once == 4);
        const auto h = w.shared<double>(taps_in_rounds());  // 0 beyond the last tap
        co_await stage(w, taps_, h);
        for (auto i : w.own(spec_.n)) {
            const auto before = [&](std::uint32_t k) { return k < spec_.taps ? i >= k : mask(); };
            per_thread<double> y;
            for (std::uint32_t k = 0; k < spec_.taps; k += at_once) {
                const auto [x0, x1, x2, x3] =
                    co_await w.all(w.load(x_, i - k, before(k)), w.load(x_, i - (k + 1), before(k + 1)),
                                   w.load(x_, i - (k + 2), before(k + 2)), w.load(x_, i - (k + 3), before(k + 3)));
                y += h[k] * x0 + h[k + 1] * x1 + h[k + 2] * x2 + h[k + 3] * x3;
                w.work(2 * at_once);  // a read of the scratchpad for all threads and a fused product and sum each
            }
            co_await w.store(y_, i, y);
        }
    }

    const spec spec_;
    array<double> x_, y_, taps_;
};

}  // namespace

workload_entry fir() {
    return entry_of<fir_workload>("fir", "a filter over a long signal; neighbours meet only where their parts do",
                                  "FIR of Hetero-Mark, signal processing", suite::gpus);
}

}  // namespace contraflow::workloads
