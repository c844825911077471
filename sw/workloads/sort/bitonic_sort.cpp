// SPDX-License-Identifier: Apache-2.0
// Sorts by a network of comparisons: runs that rise and fall are merged to longer ones, in passes over all keys whose
// partners are half a run, a quarter, ... apart.
#include <algorithm>

#include "workloads/support/butterfly.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class bitonic_sort_workload final : public workload_if {
public:
    struct spec : butterfly_spec {
        spec() { bits = 13; }
        static void describe(config::fields<spec>& f) {
            describe_butterfly(f, "2^bits keys of 32 bits; bits (bits + 1) / 2 passes", "seed of the keys");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.bits = 18;
        return s;
    }
    explicit bitonic_sort_workload(const spec& s) : spec_(s), n_(s.elements()) {}

    void prepare(device_memory& memory) override { keys_ = memory.allocate<std::uint32_t>(n_); }

    host_task run(gpu_system_if& gpu) override {
        const std::uint32_t ctas = spec_.ctas_for(n_ / 2);
        co_await gpu.launch({"initialise", ctas, spec_.block, this, &bitonic_sort_workload::initialise});
        for (std::uint64_t run = 2; run <= n_; run *= 2)
            for (std::uint64_t apart = run / 2; apart != 0; apart /= 2)
                co_await gpu.launch(
                    {"pass", ctas, spec_.block, [this, run, apart](wave w) { return pass(w, run, apart); }});
    }

    std::string verify(device_memory& memory) override {
        std::vector<std::uint32_t> keys(n_);
        for (std::uint64_t i = 0; i < n_; ++i) keys[i] = key(i);
        std::sort(keys.begin(), keys.end());
        return difference("keys", memory.read(keys_), keys);
    }

private:
    std::uint32_t key(std::uint64_t i) const { return static_cast<std::uint32_t>(input_word(spec_.seed, i) >> 32); }

    kernel initialise(wave w) {
        for (auto i : w.own(n_)) co_await w.store(keys_, i, map([this](std::uint64_t k) { return key(k); }, i));
    }
    // Runs of that length become sorted, alternately rising and falling; the last one rises.
    kernel pass(wave w, std::uint64_t run, std::uint64_t apart) {
        for (auto pair : w.own(n_ / 2)) {
            const auto [low, high] = butterfly(pair, apart);
            const auto [a, b] = co_await w.all(w.load(keys_, low), w.load(keys_, high));
            const mask rises = (low & run) == 0u;
            w.work(6);
            const auto less = min(a, b), more = max(a, b);
            co_await w.all(w.store(keys_, low, select(rises, less, more)),
                           w.store(keys_, high, select(rises, more, less)));
        }
    }

    const spec spec_;
    const std::uint64_t n_;
    array<std::uint32_t> keys_;
};

}  // namespace

workload_entry bitonic_sort() {
    return entry_of<bitonic_sort_workload>("bitonic_sort",
                                           "a sorting network: partners from half of all keys apart to neighbours",
                                           "BitonicSort of the AMD APP SDK and SHOC", suite::gpus);
}

}  // namespace contraflow::workloads
