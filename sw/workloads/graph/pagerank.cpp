// SPDX-License-Identifier: Apache-2.0
// PageRank by power iteration: each vertex gathers shares of its predecessors' ranks. The ranks of vertices without a
// successor are divided among all vertices.
// Source: Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, 1999.
#include <cmath>

#include <fmt/format.h>

#include "workloads/graph/graph_source.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/segment_walk.h"
#include "workloads/support/usual_block.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class pagerank_workload final : public workload_if {
public:
    struct spec {
        graph_source graph;
        unsigned iterations = 3;
        double damping = 0.85;

        static void describe(config::fields<spec>& f) {
            f("graph", &spec::graph).text("the graph");
            f("iterations", &spec::iterations).in(1, 1000).text("rounds of giving and gathering");
            f("damping", &spec::damping).in(0, 1).text("share of a rank that goes along the edges");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        s.graph.scale = 12;
        if (size == workload_size::paper) {
            s.graph.scale = 17;
            s.iterations = 2;
        }
        return s;
    }
    explicit pagerank_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    kernel begin(wave w);
    kernel give(wave w);
    kernel gather(wave w);
    std::vector<double> ranks_on_the_host() const;

    const spec spec_;
    csr_graph host_;
    device_graph predecessors_;
    array<std::uint32_t> successors_;  // their number at each vertex
    array<double> rank_;
    array<double> given_;     // to each successor
    array<double> unplaced_;  // for each iteration: the rank of vertices without a successor
    unsigned iteration_ = 0;
};

void pagerank_workload::prepare(device_memory& memory) {
    host_ = make_graph(spec_.graph);
    std::vector<std::uint32_t> successors(host_.vertices);
    for (std::uint32_t v = 0; v < host_.vertices; ++v) successors[v] = host_.degree(v);
    predecessors_ = device_graph(memory, reversed(host_));
    successors_ = memory.upload(successors);
    rank_ = memory.allocate<double>(host_.vertices);
    given_ = memory.allocate<double>(host_.vertices);
    unplaced_ = memory.allocate<double>(spec_.iterations);
}

host_task pagerank_workload::run(gpu_system_if& gpu) {
    const std::uint32_t grid = blocks_for(host_.vertices, usual_block);
    co_await gpu.launch({"begin", grid, usual_block, this, &pagerank_workload::begin});
    for (iteration_ = 0; iteration_ < spec_.iterations; ++iteration_) {
        co_await gpu.launch({"give", grid, usual_block, this, &pagerank_workload::give});
        co_await gpu.launch({"gather", grid, usual_block, this, &pagerank_workload::gather});
    }
}

kernel pagerank_workload::begin(wave w) {
    const auto v = w.global_ids();
    co_await w.store(rank_, v, 1.0 / host_.vertices, v < host_.vertices);
}

kernel pagerank_workload::give(wave w) {
    const auto v = w.global_ids();
    const mask in = v < host_.vertices;
    const auto [rank, successors] = co_await w.all(w.load(rank_, v, in), w.load(successors_, v, in));
    w.work(8);  // a division
    co_await w.store(given_, v, rank / max(per_thread<double>(successors), 1.0), in);
    const mask unplaced = in && successors == 0u;
    if (unplaced.any()) co_await w.atomic_add(unplaced_, iteration_, sum(rank, unplaced), mask::thread(0));
}

kernel pagerank_workload::gather(wave w) {
    const auto v = w.global_ids();
    const mask in = v < host_.vertices;
    const auto [begin, end, unplaced] =
        co_await w.all(w.load(predecessors_.begin, v, in), w.load(predecessors_.begin, v + 1, in),
                       w.load(unplaced_, iteration_, mask::thread(0)));
    per_thread<double> gathered;
    segment_walk walk(w, begin, end, in);
    while (walk.next()) {
        const auto from = co_await w.load(predecessors_.to, walk.item(), walk.here());
        walk.add_to_owners(co_await w.load(given_, from, walk.here()), gathered);
    }
    const double all = host_.vertices;
    w.work(3);
    co_await w.store(rank_, v, (1.0 - spec_.damping) / all + spec_.damping * (gathered + unplaced[0] / all), in);
}

// Pushes along successors, while the kernels pull from predecessors: the sums are added in another order.
std::vector<double> pagerank_workload::ranks_on_the_host() const {
    const double all = host_.vertices;
    std::vector<double> rank(host_.vertices, 1.0 / all);
    for (unsigned i = 0; i < spec_.iterations; ++i) {
        std::vector<double> received(host_.vertices, 0.0);
        double unplaced = 0;
        for (std::uint32_t v = 0; v < host_.vertices; ++v) {
            if (host_.degree(v) == 0) unplaced += rank[v];
            for (std::uint32_t k = host_.begin[v]; k < host_.begin[v + 1]; ++k)
                received[host_.to[k]] += rank[v] / host_.degree(v);
        }
        for (std::uint32_t v = 0; v < host_.vertices; ++v)
            rank[v] = (1 - spec_.damping + spec_.damping * unplaced) / all + spec_.damping * received[v];
    }
    return rank;
}

std::string pagerank_workload::verify(device_memory& memory) {
    // All terms are positive: a sum of n of them is wrong by at most n units of 2^-53, whatever the order, and an
    // iteration does not amplify that error. n is below 10^6 or so, iterations are few.
    constexpr double tolerance = 1e-9;
    const auto expected = ranks_on_the_host();
    const auto rank = memory.read(rank_);
    for (std::uint32_t v = 0; v < host_.vertices; ++v)
        if (!(std::abs(rank[v] - expected[v]) <= tolerance * expected[v]))
            return fmt::format("vertex {} has rank {} instead of {}", v, rank[v], expected[v]);
    return {};
}

}  // namespace

workload_entry pagerank() {
    return entry_of<pagerank_workload>("pagerank", "ranks of a network's vertices by power iteration",
                                       "PageRank of GAP and Pannotia");
}

}  // namespace contraflow::workloads
