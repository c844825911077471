// SPDX-License-Identifier: Apache-2.0
// Shortest paths between all pairs: pass k allows paths through vertex k. Row and column k don't change in pass k, so
// no second matrix is needed.
#include <algorithm>
#include <limits>

#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class floyd_warshall_workload final : public workload_if {
public:
    struct spec : thread_spec {
        std::uint32_t vertices = 64;
        std::uint32_t edges = 8;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("vertices", &spec::vertices).in(1, 1 << 13).text("vertices of the graph, and passes over its matrix");
            f("edges", &spec::edges).in(1, 1 << 13).text("edges out of a vertex, on average");
            f("seed", &spec::seed).text("seed of the graph");
            describe_threads(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.vertices = 256;
        return s;
    }
    explicit floyd_warshall_workload(const spec& s) : spec_(s), cells_(std::uint64_t{s.vertices} * s.vertices) {}

    void prepare(device_memory& memory) override {
        distance_ = memory.allocate<std::uint32_t>(cells_);
        via_ = memory.allocate<std::uint32_t>(cells_);
    }
    host_task run(gpu_system_if& gpu) override {
        const std::uint32_t ctas = spec_.ctas_for(cells_);
        co_await gpu.launch({"initialise", ctas, spec_.block, this, &floyd_warshall_workload::initialise});
        for (std::uint32_t k = 0; k < spec_.vertices; ++k)
            co_await gpu.launch({"pass", ctas, spec_.block, [this, k](wave w) { return pass(w, k); }});
    }
    std::string verify(device_memory& memory) override;

private:
    static constexpr std::uint32_t no_path = 1u << 30;  // the sum of two does not overflow
    static constexpr std::uint32_t direct = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t edge(std::uint64_t cell) const {
        if (cell % spec_.vertices == cell / spec_.vertices) return 0;
        const std::uint64_t word = input_word(spec_.seed, cell);
        constexpr std::uint32_t longest = 1024;
        return word % spec_.vertices < spec_.edges ? static_cast<std::uint32_t>(word >> 32) % longest + 1 : no_path;
    }
    std::vector<std::uint32_t> distances_from(std::uint32_t source) const;

    kernel initialise(wave w) {
        for (auto i : w.own(cells_))
            co_await w.all(w.store(distance_, i, map([this](std::uint64_t k) { return edge(k); }, i)),
                           w.store(via_, i, direct));
    }
    kernel pass(wave w, std::uint32_t k) {
        const std::uint64_t n = spec_.vertices;
        for (auto i : w.own(cells_)) {
            const auto [now, to_k, from_k] = co_await w.all(w.load(distance_, i), w.load(distance_, i / n * n + k),
                                                            w.load(distance_, k * n + i % n));
            w.work(4);
            const auto through = to_k + from_k;
            const mask shorter = through < now;
            if (shorter.none()) continue;
            co_await w.all(w.store(distance_, i, through, shorter), w.store(via_, i, k, shorter));
        }
    }

    const spec spec_;
    const std::uint64_t cells_;
    array<std::uint32_t> distance_;
    array<std::uint32_t> via_;  // the highest vertex on the path
};

// Dijkstra's algorithm: settles the nearest vertex that is not settled yet, until none is left.
std::vector<std::uint32_t> floyd_warshall_workload::distances_from(std::uint32_t source) const {
    const std::uint64_t n = spec_.vertices;
    std::vector<std::uint32_t> distance(n, no_path);
    std::vector<bool> settled(n);
    distance[source] = 0;
    for (std::uint64_t round = 0; round < n; ++round) {
        std::uint64_t nearest = n;
        for (std::uint64_t v = 0; v < n; ++v)
            if (!settled[v] && (nearest == n || distance[v] < distance[nearest])) nearest = v;
        settled[nearest] = true;
        for (std::uint64_t v = 0; v < n; ++v)
            distance[v] = std::min(distance[v], distance[nearest] + edge(nearest * n + v));
    }
    return distance;
}

// Distances must equal those of another algorithm. A path goes through the vertex it names, or along its own edge.
std::string floyd_warshall_workload::verify(device_memory& memory) {
    const std::uint64_t n = spec_.vertices;
    std::vector<std::uint32_t> distance;
    for (std::uint32_t source = 0; source < n; ++source)
        for (const std::uint32_t d : distances_from(source)) distance.push_back(d);
    if (auto wrong = difference("distance", memory.read(distance_), distance); !wrong.empty()) return wrong;
    const auto via = memory.read(via_);
    for (std::uint64_t i = 0; i < cells_; ++i) {
        const std::uint32_t k = via[i];
        const bool right = k == direct ? distance[i] == edge(i)
                                       : k < n && distance[i] < edge(i) &&
                                             distance[i] == distance[i / n * n + k] + distance[k * n + i % n];
        if (!right) return fmt::format("via[{}] is {}, which is not on a shortest path", i, k);
    }
    return {};
}

}  // namespace

workload_entry floyd_warshall() {
    return entry_of<floyd_warshall_workload>("floyd_warshall",
                                             "all pairs' shortest paths: in each pass one socket's row goes to all",
                                             "FloydWarshall of the AMD APP SDK and Pannotia", suite::gpus);
}

}  // namespace contraflow::workloads
