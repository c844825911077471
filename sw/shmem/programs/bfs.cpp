// SPDX-License-Identifier: Apache-2.0
#include "shmem/programs/bfs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "shmem/context.h"
#include "shmem/programs/meeting.h"
#include "workloads/support/segment_walk.h"

namespace contraflow::shmem {

using gpu::mask;
using gpu::per_thread;
using workloads::not_reached;

void bfs::spec::describe(config::fields<spec>& f) {
    f("graph", &spec::graph).text("the graph; the search begins at the vertex with the most edges");
    f("workgroups", &spec::workgroups).in(1, 1024).text("of a PE, of one wavefront each, with a context each");
}

bfs::shared_graph bfs::graph_of(const spec& s) {
    return std::make_shared<const workloads::csr_graph>(workloads::make_graph(s.graph));
}

bfs::bfs(const spec& s, shared_graph graph, unsigned pes)
    : spec_(s),
      graph_(std::move(graph)),
      pes_(pes),
      source_(workloads::busiest_vertex(*graph_)) {}

std::uint64_t bfs::heap_bytes() const {
    return 2 * pes_ * most() * sizeof(std::uint32_t) + std::uint64_t{words} * pes_ * sizeof(std::uint64_t);
}

void bfs::prepare(job& j) {
    for (unsigned rank = 0; rank < pes_; ++rank) memory_.push_back(place(j[rank], rank));
}

bfs::memory bfs::place(pe& on, unsigned rank) const {
    gpu::device_memory& gpu = on.memory();
    std::vector<std::uint32_t> begin{0}, to;
    for (std::uint32_t v = rank; v < graph_->vertices; v += pes_) {
        to.insert(to.end(), graph_->to.begin() + graph_->begin[v], graph_->to.begin() + graph_->begin[v + 1]);
        begin.push_back(static_cast<std::uint32_t>(to.size()));
    }
    std::vector<std::uint32_t> level(begin.size() - 1, not_reached), order(level.size()), tails(1 + pes_);
    if (source_ % pes_ == rank) {
        level[source_ / pes_] = 0;
        order[0] = source_ / pes_;
        tails[0] = 1;
    }
    memory m;
    m.begin = gpu.upload(begin);
    m.to = gpu.upload(to);
    m.level = gpu.upload(level);
    m.order = gpu.upload(order);
    m.tails = gpu.upload(tails);
    m.known = gpu.upload(std::vector<std::uint32_t>(graph_->vertices));
    m.met = gpu.upload(std::vector<std::uint64_t>{0});
    m.outbox = on.malloc<std::uint32_t>(pes_ * most());
    m.inbox = on.malloc<std::uint32_t>(pes_ * most());
    m.counts = on.malloc<std::uint64_t>(std::size_t{words} * pes_);
    gpu.write(m.counts, std::vector<std::uint64_t>(m.counts.size()));
    return m;
}

gpu::task<> bfs::whole(context& c, gpu::wave w) {
    const memory& m = memory_[c.my_pe()];
    progress at;
    at.last = source_ % pes_ == c.my_pe() ? 1 : 0;
    at.put.resize(pes_);
    at.taken.resize(pes_);
    for (;; ++at.level) {
        co_await expand(c, w, at);
        co_await all_here(c, w, at);
        co_await send(c, w, at);
        co_await take(c, w, at);
        co_await all_here(c, w, at);
        if (w.cta() == 0) {
            const std::uint32_t tail = (co_await w.load_uncached(m.tails, 0, mask::thread(0)))[0];
            for (unsigned to = 0; to < pes_; ++to)
                co_await c.p(count(m, found, c.my_pe()), word_of(at.level, tail - at.last), to);
        }
        std::uint64_t all = 0;
        std::uint32_t own = 0;
        for (unsigned from = 0; from < pes_; ++from) {
            const std::uint32_t n = co_await number_from(c, w, found, from, at.level);
            all += n;
            if (from == c.my_pe()) own = n;
        }
        if (all == 0) co_return;
        at.first = std::exchange(at.last, at.last + own);
    }
}

gpu::task<> bfs::all_here(context& c, gpu::wave w, progress& at) {
    ++at.meetings;
    co_await meet(w, memory_[c.my_pe()].met, at.meetings * spec_.workgroups, c.of().configuration().poll.count);
}

gpu::task<std::uint32_t> bfs::number_from(context& c, gpu::wave w, word kind, unsigned from, std::uint32_t level) {
    const auto place = count(memory_[c.my_pe()], kind, from);
    co_await c.wait_until(place, cmp::ge, word_of(level, 0));
    co_return static_cast<std::uint32_t>((co_await w.load_uncached(place, 0, mask::thread(0)))[0]);
}

// Workgroups take the vertices of the frontier in turns of a wavefront's width.
gpu::task<> bfs::expand(context& c, gpu::wave w, const progress& at) {
    const memory& m = memory_[c.my_pe()];
    const auto stride = static_cast<std::uint32_t>(w.cta_count() * w.width());
    for (auto next = at.first + static_cast<std::uint32_t>(w.cta() * w.width()); next < at.last; next += stride) {
        const auto i = w.thread_ids() + next;
        const mask has = i < at.last;
        const auto v = co_await w.load_uncached(m.order, i, has);
        const auto [begin, end] = co_await w.all(w.load(m.begin, v, has), w.load(m.begin, v + 1u, has));
        workloads::segment_walk walk(w, begin, end, has);
        while (walk.next()) {
            const auto to = co_await w.load(m.to, walk.item(), walk.here());
            const auto owner = to % pes_;
            const mask own = walk.here() && owner == c.my_pe();
            if (own.any()) co_await claim(m, w, to / pes_, at.level + 1, own);
            mask others = walk.here() && !own;
            if (others.none()) continue;
            others = others && co_await w.load(m.known, to, others) == 0u;
            if (others.none()) continue;
            others = others && co_await w.atomic_exchange(m.known, to, 1u, others) == 0u;
            for (mask left = others; left.any();) {
                const std::uint32_t pe = owner[left.lowest()];
                const mask same = left && owner == pe;
                const auto base = co_await w.atomic_add(m.tails, 1 + pe, same.count(), mask::thread(0));
                const auto offset = gpu::exclusive_sum(per_thread<std::uint32_t>(1u), same);
                co_await w.store(m.outbox, offset + base[0] + static_cast<std::uint32_t>(pe * most()), to / pes_, same);
                left = left && !same;
            }
        }
    }
}

// Those of the PE's vertices that have no level get this one, and go into the next frontier.
gpu::task<> bfs::claim(const memory& m, gpu::wave w, per_thread<std::uint32_t> place, std::uint32_t level, mask which) {
    which = which && co_await w.load(m.level, place, which) == not_reached;
    if (which.none()) co_return;
    const auto before = co_await w.atomic_cas(m.level, place, per_thread<std::uint32_t>(not_reached), level, which);
    which = which && before == not_reached;
    if (which.none()) co_return;
    const auto base = co_await w.atomic_add(m.tails, 0, which.count(), mask::thread(0));
    const auto offset = gpu::exclusive_sum(per_thread<std::uint32_t>(1u), which);
    co_await w.store(m.order, offset + base[0], place, which);
}

// Each workgroup puts to PEs of its own.
gpu::task<> bfs::send(context& c, gpu::wave w, progress& at) {
    const memory& m = memory_[c.my_pe()];
    const std::size_t from = c.my_pe() * most();  // of the inboxes there
    for (auto to = static_cast<unsigned>(w.cta()); to < pes_; to += static_cast<unsigned>(w.cta_count())) {
        if (to == c.my_pe()) continue;
        const std::uint32_t tail = (co_await w.load_uncached(m.tails, 1 + to, mask::thread(0)))[0];
        const std::size_t put = at.put[to], n = tail - put;
        co_await c.put_nbi(m.inbox.slice(from + put, n), m.outbox.slice(to * most() + put, n), n, to);
        co_await c.fence();
        co_await c.p(count(m, sent, c.my_pe()), word_of(at.level, tail), to);
        at.put[to] = tail;
    }
}

// All workgroups share what has come from each PE.
gpu::task<> bfs::take(context& c, gpu::wave w, progress& at) {
    const memory& m = memory_[c.my_pe()];
    const auto stride = static_cast<std::uint32_t>(w.cta_count() * w.width());
    for (unsigned from = 0; from < pes_; ++from) {
        if (from == c.my_pe()) continue;
        const std::uint32_t here = co_await number_from(c, w, sent, from, at.level);
        for (auto next = at.taken[from] + static_cast<std::uint32_t>(w.cta() * w.width()); next < here;
             next += stride) {
            const auto i = w.thread_ids() + next;
            const mask has = i < here;
            const auto place = co_await w.load(m.inbox, i + static_cast<std::uint32_t>(from * most()), has);
            co_await claim(m, w, place, at.level + 1, has);
        }
        at.taken[from] = here;
    }
}

std::string bfs::verify(job& j) const {
    const auto right = workloads::levels_from(*graph_, source_);
    for (unsigned rank = 0; rank < pes_; ++rank) {
        const auto seen = j[rank].memory().read(memory_[rank].level);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const std::size_t v = i * pes_ + rank;
            if (seen[i] != right[v])
                return fmt::format("vertex {} has level {}, and it should be {}", v, seen[i], right[v]);
        }
    }
    return {};
}

}  // namespace contraflow::shmem
