// SPDX-License-Identifier: Apache-2.0
// Counts by atomics: every socket counts its own samples into bins in the first socket's memory.
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/placement.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class histogram_workload final : public workload_if {
public:
    struct spec : thread_spec {
        std::uint64_t n = 96 << 10;
        std::uint32_t bins = 16 << 10;
        unsigned skew = 2;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("n", &spec::n).in(1, 1 << 30).text("samples");
            f("bins", &spec::bins).in(1, 1 << 28).text("counters of 4 bytes");
            f("skew", &spec::skew).in(1, 16).text("1: all bins alike; above, samples crowd in the first ones");
            f("seed", &spec::seed).text("seed of the samples");
            describe_threads(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.n = 4 << 20;
            s.bins = 1 << 20;
        }
        return s;
    }
    explicit histogram_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        samples_ = memory.allocate<std::uint32_t>(spec_.n);
        counts_ = memory.allocate<std::uint32_t>(spec_.bins);
    }

    host_task run(gpu_system_if& gpu) override {
        co_await place_at_first_socket(gpu, counts_);
        co_await gpu.launch(
            {"initialise", spec_.ctas_for(spec_.n), spec_.block, this, &histogram_workload::initialise});
        co_await gpu.launch({"count", spec_.ctas_for(spec_.n), spec_.block, this, &histogram_workload::count});
    }

    std::string verify(device_memory& memory) override {
        std::vector<std::uint32_t> counts(spec_.bins);
        for (std::uint64_t i = 0; i < spec_.n; ++i) ++counts[sample(i)];
        return difference("counts", memory.read(counts_), counts);
    }

private:
    std::uint32_t sample(std::uint64_t i) const {
        const double u = 1 - input_real(spec_.seed, i);  // in [0, 1)
        double place = spec_.bins;
        for (unsigned k = 0; k < spec_.skew; ++k) place *= u;
        return static_cast<std::uint32_t>(place);
    }
    kernel initialise(wave w) {
        for (auto i : w.own(spec_.n))
            co_await w.store(samples_, i, map([this](std::uint64_t k) { return sample(k); }, i));
    }
    kernel count(wave w) {
        for (auto i : w.own(spec_.n)) co_await w.atomic_add(counts_, co_await w.load(samples_, i), 1u);
    }

    const spec spec_;
    array<std::uint32_t> samples_, counts_;
};

}  // namespace

workload_entry histogram() {
    return entry_of<histogram_workload>("histogram", "atomic counts of all sockets into one socket's memory",
                                        "histograms, degree counts, work queues: atomics on shared data");
}

}  // namespace contraflow::workloads
