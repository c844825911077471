// SPDX-License-Identifier: Apache-2.0
// Chains of dependent loads through one random cycle of nodes in all memories: only latency counts.
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/permutation.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class pointer_chase_workload final : public workload_if {
public:
    struct spec {
        unsigned bits = 13;
        std::uint32_t stride = 16;
        std::uint32_t chains = 128;
        std::uint32_t steps = 250;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("bits", &spec::bits).in(0, 28).text("2^bits nodes");
            f("stride", &spec::stride).in(1, 1 << 16).text("words of 8 bytes from node to node");
            f("chains", &spec::chains).in(1, 1 << 16).text("chased side by side, 32 by a wavefront");
            f("steps", &spec::steps).at_least(1).text("loads of a chain, each of which needs the one before");
            f("seed", &spec::seed).text("seed of the nodes' order");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.bits = 18;
            s.chains = 256;
            s.steps = 2000;
        }
        return s;
    }
    explicit pointer_chase_workload(const spec& s) : spec_(s), order_(s.bits, s.seed) {}

    void prepare(device_memory& memory) override {
        next_ = memory.allocate<std::uint64_t>(order_.size() * spec_.stride);
        ends_ = memory.allocate<std::uint64_t>(spec_.chains);
    }

    host_task run(gpu_system_if& gpu) override {
        const auto ctas = std::min(512u, blocks_for(order_.size(), 256));
        co_await gpu.launch({"place", ctas, 256, this, &pointer_chase_workload::place});
        co_await gpu.launch({"link", ctas, 256, this, &pointer_chase_workload::link});
        co_await gpu.launch({"chase", blocks_for(spec_.chains, 32), 32, this, &pointer_chase_workload::chase});
    }

    // The host follows the cycle by arithmetic, not by the links.
    std::string verify(device_memory& memory) override {
        std::vector<std::uint64_t> ends(spec_.chains);
        for (std::uint64_t c = 0; c < spec_.chains; ++c) {
            const std::uint64_t last = first_of(c) + spec_.steps;
            ends[c] = order_(last % order_.size()) ^ last / order_.size();
        }
        return difference("ends", memory.read(ends_), ends);
    }

private:
    // The position on the cycle at which a chain begins.
    std::uint64_t first_of(std::uint64_t chain) const { return chain * order_.size() / spec_.chains; }

    kernel place(wave w) {
        for (auto i : w.own(order_.size())) co_await w.store(next_, i * spec_.stride, 0u);
    }
    kernel link(wave w) {
        for (auto i : w.own(order_.size())) {
            co_await w.store(next_, order_(i) * spec_.stride, order_((i + 1) & (order_.size() - 1)));
        }
    }
    kernel chase(wave w) {
        const auto chain = w.global_ids();
        const auto in = w.only(chain < spec_.chains);
        auto node = order_(chain * order_.size() / spec_.chains);
        per_thread<std::uint64_t> rounds;
        const std::uint64_t start = order_(0);
        for (std::uint32_t s = 0; s < spec_.steps; ++s) {
            node = co_await w.load(next_, node * spec_.stride);
            rounds.assign(node == start, rounds + 1);
        }
        co_await w.store(ends_, chain, node ^ rounds);
    }

    const spec spec_;
    const permutation order_;
    array<std::uint64_t> next_, ends_;
};

}  // namespace

workload_entry pointer_chase() {
    return entry_of<pointer_chase_workload>("pointer_chase",
                                            "chains of dependent loads from random places in all memories",
                                            "linked structures, and the latency of a remote access");
}

}  // namespace contraflow::workloads
