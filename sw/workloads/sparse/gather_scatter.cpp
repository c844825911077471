// SPDX-License-Identifier: Apache-2.0
// Reads from and writes to random places: gathered[i] = values[p(i)], scattered[p(i)] = values[i] for a permutation p.
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/permutation.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class gather_scatter_workload final : public workload_if {
public:
    struct spec : thread_spec {
        unsigned bits = 15;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("bits", &spec::bits).in(0, 30).text("2^bits elements");
            f("seed", &spec::seed).text("seed of the values and the permutation");
            describe_threads(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.bits = 21;
        return s;
    }
    explicit gather_scatter_workload(const spec& s) : spec_(s), places_(s.bits, ~s.seed) {}

    void prepare(device_memory& memory) override {
        values_ = memory.allocate<std::uint64_t>(places_.size());
        indices_ = memory.allocate<std::uint32_t>(places_.size());
        gathered_ = memory.allocate<std::uint64_t>(places_.size());
        scattered_ = memory.allocate<std::uint64_t>(places_.size());
    }

    host_task run(gpu_system_if& gpu) override {
        co_await gpu.launch(
            {"initialise", spec_.ctas_for(places_.size()), spec_.block, this, &gather_scatter_workload::initialise});
        co_await gpu.launch(
            {"gather", spec_.ctas_for(places_.size()), spec_.block, this, &gather_scatter_workload::gather});
        co_await gpu.launch(
            {"scatter", spec_.ctas_for(places_.size()), spec_.block, this, &gather_scatter_workload::scatter});
    }

    std::string verify(device_memory& memory) override {
        std::vector<std::uint64_t> gathered(places_.size()), scattered(places_.size());
        for (std::uint64_t i = 0; i < places_.size(); ++i) {
            gathered[i] = input_word(spec_.seed, places_(i));
            scattered[places_(i)] = input_word(spec_.seed, i);
        }
        if (auto wrong = difference("gathered", memory.read(gathered_), gathered); !wrong.empty()) return wrong;
        return difference("scattered", memory.read(scattered_), scattered);
    }

private:
    kernel initialise(wave w) {
        for (auto i : w.own(places_.size())) {
            co_await w.all(w.store(values_, i, input_word(spec_.seed, i)), w.store(indices_, i, places_(i)),
                           w.store(scattered_, i, 0u));
        }
    }
    kernel gather(wave w) {
        for (auto i : w.own(places_.size())) {
            co_await w.store(gathered_, i, co_await w.load(values_, co_await w.load(indices_, i)));
        }
    }
    kernel scatter(wave w) {
        for (auto i : w.own(places_.size())) {
            const auto [place, value] = co_await w.all(w.load(indices_, i), w.load(values_, i));
            co_await w.store(scattered_, place, value);
        }
    }

    const spec spec_;
    const permutation places_;
    array<std::uint64_t> values_, gathered_, scattered_;
    array<std::uint32_t> indices_;
};

}  // namespace

workload_entry gather_scatter() {
    return entry_of<gather_scatter_workload>("gather_scatter", "reads from and writes to random places in all memories",
                                             "GUPS, permutations, hash joins, embedding tables");
}

}  // namespace contraflow::workloads
