// SPDX-License-Identifier: Apache-2.0
// c = a + s b over long vectors; every CTA works on data that it has placed itself.
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class triad_workload final : public workload_if {
public:
    struct spec : thread_spec {
        std::uint64_t n = 256 << 10;
        unsigned passes = 2;
        unsigned turns = 1;
        double s = 3;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("n", &spec::n).in(1, std::uint64_t{1} << 32).text("elements of a vector");
            f("passes", &spec::passes).at_least(1).text("how often the kernel is launched for a turn");
            f("turns", &spec::turns)
                .at_least(1)
                .text("rounds; in each, CTAs go on to the data of those a quarter of the grid further");
            f("s", &spec::s).text("the factor");
            f("seed", &spec::seed).text("seed of the vectors' contents");
            describe_threads(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.n = 2 << 20;
            s.passes = 4;
        }
        return s;
    }
    explicit triad_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        a_ = memory.allocate<double>(spec_.n);
        b_ = memory.allocate<double>(spec_.n);
        c_ = memory.allocate<double>(spec_.n);
    }

    host_task run(gpu_system_if& gpu) override {
        co_await gpu.launch({"initialise", spec_.ctas_for(spec_.n), spec_.block, this, &triad_workload::initialise});
        for (unsigned t = 0; t < spec_.turns; ++t) {
            shift_ = t * spec_.n / 4 % spec_.n;
            for (unsigned p = 0; p < spec_.passes; ++p)
                co_await gpu.launch({"triad", spec_.ctas_for(spec_.n), spec_.block, this, &triad_workload::add});
        }
    }

    std::string verify(device_memory& memory) override {
        std::vector<double> c(spec_.n);
        for (std::uint64_t i = 0; i < spec_.n; ++i)
            c[i] = input_real(spec_.seed, i) + spec_.s * input_real(~spec_.seed, i);
        // A product and a sum, rounded once each if they are not fused.
        return difference("c", memory.read(c_), c, 0x1p-52, 1 + std::abs(spec_.s));
    }

private:
    kernel initialise(wave w) {
        for (auto i : w.own(spec_.n)) {
            co_await w.all(w.store(a_, i, input_real(spec_.seed, i)), w.store(b_, i, input_real(~spec_.seed, i)));
        }
    }
    kernel add(wave w) {
        for (auto i : w.own(spec_.n)) {
            const auto at = shift_ == 0 ? i : (i + shift_) % spec_.n;
            const auto [a, b] = co_await w.all(w.load(a_, at), w.load(b_, at));
            co_await w.store(c_, at, a + spec_.s * b);
        }
    }

    const spec spec_;
    array<double> a_, b_, c_;
    std::uint64_t shift_ = 0;  // shift of this turn
};

}  // namespace

workload_entry triad() {
    return entry_of<triad_workload>("triad", "c = a + s b over long vectors, every socket on its own data",
                                    "STREAM and all that goes once over its own data");
}

}  // namespace contraflow::workloads
