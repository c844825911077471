// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels, with a queue of the vertices that each level found.
// Source of the kernel's form: Merrill, Garland, Grimshaw: Scalable GPU Graph Traversal, PPoPP 2012 (wavefronts share
// the edges of their vertices).
#include <limits>
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

class bfs_workload final : public workload_if {
public:
    struct spec {
        graph_source graph;

        static void describe(config::fields<spec>& f) {
            f("graph", &spec::graph).text("the graph; the search begins at the vertex with the most edges");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        s.graph.scale = size == workload_size::paper ? 18 : 13;
        return s;
    }
    explicit bfs_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    kernel clear(wave w);
    kernel expand(wave w);

    const spec spec_;
    csr_graph host_;
    device_graph graph_;
    std::uint32_t source_ = 0;
    array<std::uint32_t> level_;
    frontier frontier_;
    std::uint32_t depth_ = 0;
};

void bfs_workload::prepare(device_memory& memory) {
    host_ = make_graph(spec_.graph);
    source_ = busiest_vertex(host_);
    graph_ = device_graph(memory, host_);
    level_ = memory.allocate<std::uint32_t>(host_.vertices);
    frontier_ = frontier(memory, host_.vertices);
}

host_task bfs_workload::run(gpu_system_if& gpu) {
    co_await gpu.launch({"clear", blocks_for(host_.vertices, usual_block), usual_block, this, &bfs_workload::clear});
    gpu.memory().write(level_, source_, 0u);
    frontier_.begin_with(gpu.memory(), source_);
    for (depth_ = 0; frontier_.size() != 0; ++depth_) {
        frontier_.begin_round(gpu.memory());
        co_await gpu.launch(
            {"expand", blocks_for(frontier_.size(), usual_block), usual_block, this, &bfs_workload::expand});
        frontier_.end_round(gpu.memory());
    }
}

kernel bfs_workload::clear(wave w) {
    const auto v = w.global_ids();
    co_await w.store(level_, v, not_reached, v < host_.vertices);
}

kernel bfs_workload::expand(wave w) {
    const auto place = w.global_ids();
    const mask has = place < frontier_.size();
    const auto v = co_await w.load(frontier_.vertices(), place, has);
    const auto [begin, end] = co_await w.all(w.load(graph_.begin, v, has), w.load(graph_.begin, v + 1, has));
    segment_walk walk(w, begin, end, has);
    while (walk.next()) {
        const auto to = co_await w.load(graph_.to, walk.item(), walk.here());
        const auto known = co_await w.load(level_, to, walk.here());
        mask first = walk.here() && known == not_reached;
        if (first.none()) continue;
        const auto before =
            co_await w.atomic_cas(level_, to, per_thread<std::uint32_t>(not_reached), depth_ + 1, first);
        first = first && before == not_reached;
        if (first.none()) continue;
        co_await frontier_.add(w, to, first);
    }
}

std::string bfs_workload::verify(device_memory& memory) {
    return difference("level", memory.read(level_), levels_from(host_, source_));
}

}  // namespace

workload_entry bfs() {
    return entry_of<bfs_workload>("bfs", "breadth-first search by levels from the vertex with most edges",
                                  "Graph500, BFS of Rodinia, Lonestar and GAP");
}

}  // namespace contraflow::workloads
