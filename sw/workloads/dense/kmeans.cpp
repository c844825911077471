// SPDX-License-Identifier: Apache-2.0
// Clusters of points: each point is assigned to the nearest centre, each centre moves to the mean of its points, and so
// on. Features are integers, so that sums don't depend on their order and every result is exact.
#include <limits>

#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/staging.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class kmeans_workload final : public workload_if {
public:
    struct spec : thread_spec {
        std::uint32_t points = 8 << 10;
        std::uint32_t features = 8;
        std::uint32_t clusters = 5;
        std::uint32_t rounds = 2;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("points", &spec::points).in(1, 1 << 28).text("points that are grouped");
            f("features", &spec::features).in(1, 256).text("coordinates of a point, below 65536");
            f("clusters", &spec::clusters).in(1, 256).text("groups; they begin at the first points");
            f("rounds", &spec::rounds).in(1, 1000).text("assignments of all points, with new centres after each");
            f("seed", &spec::seed).text("seed of the points");
            describe_threads(f);
        }
        std::vector<config::problem> problems() const {
            if (clusters <= points) return {};
            return {{"there are more clusters than points", {{"clusters", "less"}, {"points", "more"}}}};
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.points = 128 << 10;
            s.features = 16;
            s.rounds = 3;
        }
        return s;
    }
    explicit kmeans_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    std::uint32_t entries() const { return spec_.clusters * spec_.features; }
    std::uint32_t feature(std::uint64_t i) const { return static_cast<std::uint32_t>(input_word(spec_.seed, i) >> 48); }
    std::vector<std::uint32_t> first_centres() const;

    kernel initialise(wave w);
    kernel assign(wave w);
    kernel centre(wave w);

    const spec spec_;
    array<std::uint32_t> features_;  // all points' first, all points' second: threads read side by side
    array<std::uint32_t> group_;     // by point
    array<std::uint32_t> centres_;   // cluster by cluster
    array<std::uint64_t> sums_;      // over each centre's points
    array<std::uint32_t> counts_;
};

std::vector<std::uint32_t> kmeans_workload::first_centres() const {
    std::vector<std::uint32_t> centres(entries());
    for (std::uint32_t k = 0; k < entries(); ++k)
        centres[k] = feature(std::uint64_t{k % spec_.features} * spec_.points + k / spec_.features);
    return centres;
}

void kmeans_workload::prepare(device_memory& memory) {
    features_ = memory.allocate<std::uint32_t>(std::size_t{spec_.points} * spec_.features);
    group_ = memory.allocate<std::uint32_t>(spec_.points);
    centres_ = memory.upload(first_centres());
    sums_ = memory.allocate<std::uint64_t>(entries());
    counts_ = memory.allocate<std::uint32_t>(spec_.clusters);
}

host_task kmeans_workload::run(gpu_system_if& gpu) {
    constexpr std::uint64_t alignment = 16;  // for the scratchpad's parts
    const core::bytes tables{entries() * (sizeof(std::uint32_t) + sizeof(std::uint64_t)) +
                             spec_.clusters * sizeof(std::uint32_t) + 2 * alignment};
    const std::uint32_t ctas = spec_.ctas_for(spec_.points);
    co_await gpu.launch({"initialise", ctas, spec_.block, this, &kmeans_workload::initialise});
    for (std::uint32_t r = 0; r < spec_.rounds; ++r) {
        co_await gpu.launch({"assign", ctas, spec_.block, this, &kmeans_workload::assign, tables});
        co_await gpu.launch({"centre", 1, spec_.block, this, &kmeans_workload::centre});
    }
}

kernel kmeans_workload::initialise(wave w) {
    for (auto i : w.own(spec_.points)) {
        for (std::uint32_t j = 0; j < spec_.features; ++j) {
            const auto at = i + std::uint64_t{j} * spec_.points;
            co_await w.store(features_, at, map([this](std::uint64_t k) { return feature(k); }, at));
        }
    }
}

kernel kmeans_workload::assign(wave w) {
    const auto centres = w.shared<std::uint32_t>(entries());
    const auto sums = w.shared<std::uint64_t>(entries());
    const auto counts = w.shared<std::uint32_t>(spec_.clusters);
    co_await stage(w, centres_, centres);
    for (auto i : w.own(spec_.points)) {
        per_thread<std::uint32_t> nearest;
        per_thread<std::uint64_t> least = std::numeric_limits<std::uint64_t>::max();
        for (std::uint32_t c = 0; c < spec_.clusters; ++c) {
            per_thread<std::uint64_t> distance;
            for (std::uint32_t j = 0; j < spec_.features; ++j) {
                const auto x = co_await w.load(features_, i + std::uint64_t{j} * spec_.points);
                const auto d = per_thread<std::int64_t>(x) - std::int64_t{centres[c * spec_.features + j]};
                distance += per_thread<std::uint64_t>(d * d);
                w.work(3);
            }
            const mask nearer = distance < least;
            nearest.assign(nearer, c);
            least.assign(nearer, distance);
            w.work(3);
        }
        for (std::uint32_t j = 0; j < spec_.features; ++j) {
            const auto x = co_await w.load(features_, i + std::uint64_t{j} * spec_.points);
            w.work(4);  // an atomic addition to the scratchpad
            for (mask m = w.active(); m.any(); m = m.without_lowest())
                sums[nearest[m.lowest()] * spec_.features + j] += x[m.lowest()];
        }
        w.work(4);
        for (mask m = w.active(); m.any(); m = m.without_lowest()) ++counts[nearest[m.lowest()]];
        co_await w.store(group_, i, nearest);
    }
    co_await w.barrier();
    // Adds the CTA's sums to those in memory, one addition for each number that is not 0.
    for (std::uint64_t first = 0; first < entries(); first += w.block().count()) {
        const auto k = w.local_ids() + first;
        if (auto in = w.only(k < entries())) {
            const auto sum = w.read(sums, k);
            co_await w.atomic_add(sums_, k, sum, sum != 0u);
        }
        if (auto in = w.only(k < spec_.clusters)) {
            const auto count = w.read(counts, k);
            co_await w.atomic_add(counts_, k, count, count != 0u);
        }
    }
}

// One CTA: a centre without points stays where it is. Sums and counts are cleared for the next round.
kernel kmeans_workload::centre(wave w) {
    for (std::uint64_t first = 0; first < entries(); first += w.block().count()) {
        const auto k = w.local_ids() + first;
        const mask in = k < entries();
        const auto [sum, count] = co_await w.all(w.load(sums_, k, in), w.load(counts_, k / spec_.features, in));
        const auto middle =
            map([](std::uint64_t s, std::uint32_t n) { return static_cast<std::uint32_t>(n == 0 ? 0 : s / n); }, sum,
                count);
        w.work(20);  // a division
        co_await w.all(w.store(centres_, k, middle, in && count != 0u), w.store(sums_, k, 0u, in));
    }
    co_await w.barrier();
    for (std::uint64_t first = 0; first < spec_.clusters; first += w.block().count()) {
        const auto c = w.local_ids() + first;
        co_await w.store(counts_, c, 0u, c < spec_.clusters);
    }
}

std::string kmeans_workload::verify(device_memory& memory) {
    auto centres = first_centres();
    std::vector<std::uint32_t> group(spec_.points);
    for (std::uint32_t r = 0; r < spec_.rounds; ++r) {
        std::vector<std::uint64_t> sums(entries()), counts(spec_.clusters);
        for (std::uint32_t i = 0; i < spec_.points; ++i) {
            const auto x = [&](std::uint32_t j) { return feature(std::uint64_t{j} * spec_.points + i); };
            // Computes in doubles, which hold these integers exactly.
            double least = std::numeric_limits<double>::infinity();
            for (std::uint32_t c = 0; c < spec_.clusters; ++c) {
                double distance = 0;
                for (std::uint32_t j = 0; j < spec_.features; ++j) {
                    const double here = x(j), d = here - centres[c * spec_.features + j];
                    distance += d * d;
                }
                if (distance >= least) continue;
                least = distance;
                group[i] = c;
            }
            ++counts[group[i]];
            for (std::uint32_t j = 0; j < spec_.features; ++j) sums[group[i] * spec_.features + j] += x(j);
        }
        for (std::uint32_t k = 0; k < entries(); ++k)
            if (const auto n = counts[k / spec_.features]; n != 0) centres[k] = static_cast<std::uint32_t>(sums[k] / n);
    }
    const auto wrong = difference("group", memory.read(group_), group);
    return wrong.empty() ? difference("centres", memory.read(centres_), centres) : wrong;
}

}  // namespace

workload_entry kmeans() {
    return entry_of<kmeans_workload>("kmeans", "points go to the nearest centre, centres to the middle of their points",
                                     "KMeans of Hetero-Mark and Rodinia", suite::gpus);
}

}  // namespace contraflow::workloads
