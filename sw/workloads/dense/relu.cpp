// SPDX-License-Identifier: Apache-2.0
// y = max(x, 0): the end of a neural network's layer.
#include <algorithm>

#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class relu_workload final : public workload_if {
public:
    struct spec : thread_spec {
        std::uint64_t n = 128 << 10;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("n", &spec::n).in(1, std::uint64_t{1} << 32).text("activations");
            f("seed", &spec::seed).text("seed of the activations");
            describe_threads(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.n = 4 << 20;
        return s;
    }
    explicit relu_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        x_ = memory.allocate<double>(spec_.n);
        y_ = memory.allocate<double>(spec_.n);
    }
    host_task run(gpu_system_if& gpu) override {
        const std::uint32_t ctas = spec_.ctas_for(spec_.n);
        co_await gpu.launch({"initialise", ctas, spec_.block, this, &relu_workload::initialise});
        co_await gpu.launch({"rectify", ctas, spec_.block, this, &relu_workload::rectify});
    }
    std::string verify(device_memory& memory) override {
        std::vector<double> y(spec_.n);
        for (std::uint64_t i = 0; i < spec_.n; ++i) y[i] = std::max(input_real(spec_.seed, i) - shift, 0.0);
        return difference("y", memory.read(y_), y, 0, 1);
    }

private:
    static constexpr double shift = 0.4375;  // a little more than half of the activations are positive

    kernel initialise(wave w) {
        for (auto i : w.own(spec_.n)) co_await w.store(x_, i, input_real(spec_.seed, i) - shift);
    }
    kernel rectify(wave w) {
        for (auto i : w.own(spec_.n)) {
            const auto x = co_await w.load(x_, i);
            w.work(1);
            co_await w.store(y_, i, max(x, 0.0));
        }
    }

    const spec spec_;
    array<double> x_, y_;
};

}  // namespace

workload_entry relu() {
    return entry_of<relu_workload>("relu", "every element once: read, compared with 0, written",
                                   "ReLU of DNNMark, layers without neighbours", suite::gpus);
}

}  // namespace contraflow::workloads
