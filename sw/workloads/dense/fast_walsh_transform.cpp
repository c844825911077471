// SPDX-License-Identifier: Apache-2.0
// The Walsh-Hadamard transform of 2^k integers in place: stage by stage, the sums and differences of elements that are
// 1, 2, 4, ... apart.
#include <span>

#include "workloads/support/butterfly.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class fast_walsh_transform_workload final : public workload_if {
public:
    struct spec : butterfly_spec {
        static void describe(config::fields<spec>& f) {
            describe_butterfly(f, "2^bits integers of 64 bits; as many stages", "seed of the input");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.bits = 20;
        return s;
    }
    explicit fast_walsh_transform_workload(const spec& s) : spec_(s), n_(s.elements()) {}

    void prepare(device_memory& memory) override { values_ = memory.allocate<std::int64_t>(n_); }

    host_task run(gpu_system_if& gpu) override {
        const std::uint32_t ctas = spec_.ctas_for(n_ / 2);
        co_await gpu.launch({"initialise", ctas, spec_.block, this, &fast_walsh_transform_workload::initialise});
        for (std::uint64_t apart = 1; apart < n_; apart *= 2)
            co_await gpu.launch({"stage", ctas, spec_.block, [this, apart](wave w) { return butterflies(w, apart); }});
    }

    std::string verify(device_memory& memory) override {
        std::vector<std::int64_t> values(n_);
        for (std::uint64_t i = 0; i < n_; ++i) values[i] = input(i);
        transform(values);
        return difference("values", memory.read(values_), values);
    }

private:
    std::int64_t input(std::uint64_t i) const {
        return static_cast<std::int64_t>(input_word(spec_.seed, i) >> 32) - (std::int64_t{1} << 31);
    }
    // By the definition: H(2n) = (H(n) H(n); H(n) -H(n)).
    static void transform(std::span<std::int64_t> x) {
        if (x.size() == 1) return;
        const auto upper = x.first(x.size() / 2), lower = x.last(x.size() / 2);
        transform(upper);
        transform(lower);
        for (std::size_t i = 0; i < upper.size(); ++i) {
            const std::int64_t a = upper[i], b = lower[i];
            upper[i] = a + b;
            lower[i] = a - b;
        }
    }

    kernel initialise(wave w) {
        for (auto i : w.own(n_)) co_await w.store(values_, i, map([this](std::uint64_t k) { return input(k); }, i));
    }
    kernel butterflies(wave w, std::uint64_t apart) {
        for (auto pair : w.own(n_ / 2)) {
            const auto [low, high] = butterfly(pair, apart);
            const auto [a, b] = co_await w.all(w.load(values_, low), w.load(values_, high));
            w.work(6);
            co_await w.all(w.store(values_, low, a + b), w.store(values_, high, a - b));
        }
    }

    const spec spec_;
    const std::uint64_t n_;
    array<std::int64_t> values_;
};

}  // namespace

workload_entry fast_walsh_transform() {
    return entry_of<fast_walsh_transform_workload>(
        "fast_walsh_transform", "sums and differences of elements ever further apart, across all sockets in the end",
        "FastWalshTransform of the AMD APP SDK, butterfly exchanges", suite::gpus);
}

}  // namespace contraflow::workloads
