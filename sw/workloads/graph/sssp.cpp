// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one vertex by rounds of relaxation (Bellman and Ford), with a queue of the vertices whose
// distance a round has lowered, like the data-driven SSSP of the LonestarGPU suite.
#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "workloads/graph/frontier.h"
#include "workloads/graph/graph_source.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/segment_walk.h"
#include "workloads/support/usual_block.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

// Dijkstra's algorithm. A path that is too long for 32 bits counts as none, as in the kernel.
std::vector<std::uint32_t> distances_on_the_host(const csr_graph& g, std::uint32_t source) {
    using candidate = std::pair<std::uint64_t, std::uint32_t>;
    std::vector<std::uint64_t> distance(g.vertices, not_reached);
    std::priority_queue<candidate, std::vector<candidate>, std::greater<>> nearest;
    distance[source] = 0;
    nearest.emplace(0, source);
    while (!nearest.empty()) {
        const auto [d, v] = nearest.top();
        nearest.pop();
        if (d != distance[v]) continue;
        for (std::uint32_t i = g.begin[v]; i < g.begin[v + 1]; ++i) {
            const std::uint64_t through = d + g.weight[i];
            if (through >= distance[g.to[i]]) continue;
            distance[g.to[i]] = through;
            nearest.emplace(through, g.to[i]);
        }
    }
    return {distance.begin(), distance.end()};
}

class sssp_workload final : public workload_if {
public:
    struct spec {
        graph_source graph;

        static void describe(config::fields<spec>& f) {
            f("graph", &spec::graph).text("the graph; paths begin at the vertex with the most edges");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        s.graph.scale = size == workload_size::paper ? 17 : 12;
        return s;
    }
    explicit sssp_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    kernel clear(wave w);
    kernel relax(wave w);

    const spec spec_;
    csr_graph host_;
    device_graph graph_;
    array<std::uint32_t> weight_;
    std::uint32_t source_ = 0;
    array<std::uint32_t> distance_;
    array<std::uint32_t> queued_in_;  // the last round in whose queue the vertex is
    frontier frontier_;
    std::uint32_t round_ = 0;
};

void sssp_workload::prepare(device_memory& memory) {
    host_ = make_graph(spec_.graph);
    source_ = busiest_vertex(host_);
    graph_ = device_graph(memory, host_);
    weight_ = memory.upload(host_.weight);
    distance_ = memory.allocate<std::uint32_t>(host_.vertices);
    queued_in_ = memory.allocate<std::uint32_t>(host_.vertices);
    frontier_ = frontier(memory, host_.vertices);
}

host_task sssp_workload::run(gpu_system_if& gpu) {
    co_await gpu.launch({"clear", blocks_for(host_.vertices, usual_block), usual_block, this, &sssp_workload::clear});
    gpu.memory().write(distance_, source_, 0u);
    frontier_.begin_with(gpu.memory(), source_);
    for (round_ = 1; frontier_.size() != 0; ++round_) {
        frontier_.begin_round(gpu.memory());
        co_await gpu.launch(
            {"relax", blocks_for(frontier_.size(), usual_block), usual_block, this, &sssp_workload::relax});
        frontier_.end_round(gpu.memory());
    }
}

kernel sssp_workload::clear(wave w) {
    const auto v = w.global_ids();
    const mask in = v < host_.vertices;
    co_await w.all(w.store(distance_, v, not_reached, in), w.store(queued_in_, v, 0u, in));
}

kernel sssp_workload::relax(wave w) {
    const auto place = w.global_ids();
    const mask has = place < frontier_.size();
    const auto v = co_await w.load(frontier_.vertices(), place, has);
    const auto [begin, end, distance] =
        co_await w.all(w.load(graph_.begin, v, has), w.load(graph_.begin, v + 1, has), w.load(distance_, v, has));
    segment_walk walk(w, begin, end, has);
    while (walk.next()) {
        const auto [to, weight] =
            co_await w.all(w.load(graph_.to, walk.item(), walk.here()), w.load(weight_, walk.item(), walk.here()));
        const auto known = co_await w.load(distance_, to, walk.here());
        const auto through = per_thread<std::uint32_t>(
            min(per_thread<std::uint64_t>(shuffle(distance, walk.owner())) + weight, std::uint64_t{not_reached}));
        mask lower = walk.here() && through < known;
        if (lower.none()) continue;
        const auto before = co_await w.atomic_min(distance_, to, through, lower);
        lower = lower && through < before;
        if (lower.none()) continue;
        const auto last = co_await w.atomic_exchange(queued_in_, to, round_, lower);
        const mask first = lower && last != round_;
        if (first.none()) continue;
        co_await frontier_.add(w, to, first);
    }
}

std::string sssp_workload::verify(device_memory& memory) {
    return difference("distance", memory.read(distance_), distances_on_the_host(host_, source_));
}

}  // namespace

workload_entry sssp() {
    return entry_of<sssp_workload>("sssp", "shortest paths from the vertex with most edges, by rounds of relaxation",
                                   "SSSP of Lonestar and GAP");
}

}  // namespace contraflow::workloads
