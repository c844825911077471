// SPDX-License-Identifier: Apache-2.0
#include "node_programs/distributed_bfs.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "node_programs/messages.h"

namespace contraflow::node_programs {

namespace {

using word = std::uint32_t;

class distributed_bfs final : public node_program_if {
public:
    distributed_bfs(const bfs_spec& s, unsigned ranks)
        : spec_(s),
          ranks_(ranks),
          graph_(workloads::make_graph(s.graph)),
          root_(workloads::busiest_vertex(graph_)),
          level_(graph_.vertices, workloads::not_reached) {}

    // Lists to be sent, then those received in even levels, then those of odd levels; in each, one list a rank.
    core::bytes window() const override { return {3 * ranks_ * list_bytes()}; }
    void prepare(unsigned, std::span<std::uint8_t> window) override {
        std::fill(window.begin(), window.end(), std::uint8_t{0});
    }
    gpu::host_task run(const node_view& node) override;
    std::string verify() const override;
    std::string operation() const override { return "traversed edges"; }
    program_counts counts() const override { return counts_; }

private:
    // A list: the number of its vertices, the number of vertices that the sender has found in this level for all ranks,
    // then the vertices.
    static constexpr std::uint64_t head = 2;
    std::uint64_t list_bytes() const { return (head + graph_.vertices / ranks_ + 1) * sizeof(word); }
    std::uint64_t offset(unsigned area, unsigned rank) const { return (area * ranks_ + rank) * list_bytes(); }
    static word get(const node_view& node, std::uint64_t at) { return core::load_le<word>(&node.window[at]); }
    static void set(const node_view& node, std::uint64_t at, word w) { core::store_le<word>(&node.window[at], w); }

    const bfs_spec spec_;
    const unsigned ranks_;
    const workloads::csr_graph graph_;
    const word root_;
    std::vector<word> level_;  // by vertex, written only by its rank
    program_counts counts_;
};

// A sender writes a list again two levels later, and before that it waits for this node's list of the level between.
gpu::host_task distributed_bfs::run(const node_view& node) {
    messages m(node, counts_);
    std::vector<bool> told(graph_.vertices);  // vertices of other ranks that this one has found
    std::vector<word> frontier;
    if (root_ % ranks_ == node.rank) {
        level_[root_] = 0;
        frontier.push_back(root_);
    }
    for (word level = 1;; ++level) {
        std::vector<word> next;
        std::vector<word> found(ranks_);  // vertices in each list
        word all = 0, edges = 0;
        for (const word v : frontier) {
            edges += graph_.degree(v);
            for (word e = graph_.begin[v]; e < graph_.begin[v + 1]; ++e) {
                const word to = graph_.to[e];
                const unsigned owner = to % ranks_;
                if (owner == node.rank) {
                    if (level_[to] != workloads::not_reached) continue;
                    level_[to] = level;
                    next.push_back(to);
                } else if (!told[to]) {
                    told[to] = true;
                    set(node, offset(0, owner) + (head + found[owner]++) * sizeof(word), to);
                } else {
                    continue;
                }
                ++all;
            }
        }
        counts_.operations += edges;
        co_await node.process.work(spec_.launch + core::sim_time{spec_.edge_time.ps * edges});
        const unsigned area = 1 + level % 2;
        for (unsigned n = 1; n < ranks_; ++n) {
            const unsigned to = (node.rank + n) % ranks_;
            set(node, offset(0, to), found[to]);
            set(node, offset(0, to) + sizeof(word), all);
            co_await m.put(to, offset(0, to), offset(area, node.rank),
                           static_cast<std::uint32_t>((head + found[to]) * sizeof(word)), tag_of(level));
        }
        for (unsigned n = 1; n < ranks_; ++n) {
            const unsigned from = (node.rank + n) % ranks_;
            // The receiver does not know how long the list is.
            const std::uint64_t list = offset(area, from);
            co_await m.arrived(from, tag_of(level), list, static_cast<std::uint32_t>(list_bytes()));
            all += get(node, list + sizeof(word));
            for (word i = 0; i < get(node, list); ++i) {
                const word v = get(node, list + (head + i) * sizeof(word));
                if (v >= graph_.vertices || v % ranks_ != node.rank || level_[v] != workloads::not_reached) continue;
                level_[v] = level;
                next.push_back(v);
            }
        }
        co_await m.all_sent();
        if (all == 0) co_return;  // no rank has found a vertex; all ranks see this in the same level
        frontier = std::move(next);
    }
}

std::string distributed_bfs::verify() const {
    std::vector<word> wanted(graph_.vertices, workloads::not_reached);
    std::vector<word> queue{root_};
    wanted[root_] = 0;
    for (std::size_t n = 0; n < queue.size(); ++n) {
        const word v = queue[n];
        for (word e = graph_.begin[v]; e < graph_.begin[v + 1]; ++e) {
            const word to = graph_.to[e];
            if (wanted[to] != workloads::not_reached) continue;
            wanted[to] = wanted[v] + 1;
            queue.push_back(to);
        }
    }
    for (word v = 0; v < graph_.vertices; ++v)
        if (level_[v] != wanted[v]) return fmt::format("vertex {} is in level {}, not {}", v, level_[v], wanted[v]);
    return {};
}

}  // namespace

void bfs_spec::describe(config::fields<bfs_spec>& f) {
    f("graph", &bfs_spec::graph).text("the graph that is searched");
    f("edge_time", &bfs_spec::edge_time).text("time of a GPU to visit one edge; assumed");
    f("launch", &bfs_spec::launch).text("time of a kernel without its edges; assumed");
}

std::unique_ptr<node_program_if> make_bfs(const bfs_spec& s, unsigned ranks) {
    return std::make_unique<distributed_bfs>(s, ranks);
}

}  // namespace contraflow::node_programs
