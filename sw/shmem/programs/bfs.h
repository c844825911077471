// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels: vertex v belongs to PE v mod n, and the vertices that a level finds for another PE
// are put there, all at once, with their number. Source of the form: Buluc, Madduri: Parallel Breadth-First Search on
// Distributed Memory Systems, SC 2011, with vertices dealt out (1D).
//
//   a level:  edges of the own frontier -> own vertices are claimed, others go into the outbox of their PE
//      -> workgroups meet -> put of what is new, fence, p of its number -> vertices from others are claimed
//      -> workgroups meet -> p of how many were found, to all -> none anywhere: the end
//
// A PE puts a vertex to its owner once in the whole search, so outboxes only grow and nothing is overwritten. A number
// travels with its level in one word of 8 bytes. A PE writes its next word only after the others' of this level, which
// they send after all their workgroups have read it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shmem/programs/program_if.h"
#include "workloads/graph/graph_source.h"

namespace contraflow::shmem {

class bfs final : public program_if {
public:
    struct spec {
        workloads::graph_source graph;
        unsigned workgroups = 16;
        static void describe(config::fields<spec>& f);
    };
    using shared_graph = std::shared_ptr<const workloads::csr_graph>;
    // For several runs. Throws text::input_error if a file has an error.
    static shared_graph graph_of(const spec& s);
    bfs(const spec& s, shared_graph graph, unsigned pes);

    void prepare(job& j) override;
    unsigned steps() const override { return 1; }
    unsigned workgroups() const override { return spec_.workgroups; }
    unsigned threads(unsigned wave_width) const override { return wave_width; }
    std::uint64_t heap_bytes() const override;
    bool puts_at_any_time() const override { return true; }
    gpu::task<> whole(context& c, gpu::wave w) override;
    gpu::task<> compute(pe&, gpu::wave, unsigned, part) override { co_return; }
    std::vector<message> messages(const pe&, unsigned, unsigned) const override { return {}; }
    std::vector<sender> senders(const pe&, unsigned, unsigned) const override { return {}; }
    // Each vertex has the level that the host finds.
    std::string verify(job& j) const override;

private:
    enum word : unsigned { sent, found, words };
    struct memory {                              // of a PE
        gpu::array<std::uint32_t> begin, to;     // edges of its vertices, which are named by their place: v / n
        gpu::array<std::uint32_t> level, order;  // of its vertices; those that are found, level after level
        gpu::array<std::uint32_t> tails;         // vertices in order, and in the outbox of each PE
        gpu::array<std::uint32_t> known;         // by vertex: 1 if it has been put into an outbox
        gpu::array<std::uint64_t> met;           // workgroups, so far
        // Symmetric: vertices by PE, and words by kind and PE.
        gpu::array<std::uint32_t> outbox, inbox;
        gpu::array<std::uint64_t> counts;
    };
    // What a workgroup remembers from level to level.
    struct progress {
        std::uint32_t level = 0, first = 0, last = 0;  // the frontier: order[first] to order[last - 1]
        std::uint64_t meetings = 0;
        std::vector<std::uint32_t> put, taken;  // by PE: of the outbox, of the inbox
    };
    memory place(pe& on, unsigned rank) const;
    gpu::task<> expand(context& c, gpu::wave w, const progress& at);
    gpu::task<> claim(const memory& m, gpu::wave w, gpu::per_thread<std::uint32_t> place, std::uint32_t level,
                      gpu::mask which);
    gpu::task<> send(context& c, gpu::wave w, progress& at);
    gpu::task<> take(context& c, gpu::wave w, progress& at);
    gpu::task<> all_here(context& c, gpu::wave w, progress& at);
    // Waits for the level's word of that PE; the number in it.
    gpu::task<std::uint32_t> number_from(context& c, gpu::wave w, word kind, unsigned from, std::uint32_t level);
    gpu::array<std::uint64_t> count(const memory& m, word kind, unsigned of) const {
        return m.counts.slice(std::size_t{kind} * pes_ + of, 1);
    }
    static std::uint64_t word_of(std::uint32_t level, std::uint32_t number) {
        return std::uint64_t{level + 1} << 32 | number;
    }
    std::size_t most() const { return (graph_->vertices + pes_ - 1) / pes_; }  // vertices of a PE

    const spec spec_;
    const shared_graph graph_;
    const unsigned pes_;
    const std::uint32_t source_;
    std::vector<memory> memory_;
};

}  // namespace contraflow::shmem
