// SPDX-License-Identifier: Apache-2.0
#include "shmem/job.h"

#include <fmt/format.h>

#include "shmem/context.h"

namespace contraflow::shmem {
namespace {

constexpr std::uint64_t page = 4096;        // in the NIC's tables
constexpr std::size_t queue_registers = 4;  // of 8 bytes: doorbell, consumed, state, counts

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

std::uint64_t job::library_bytes(const spec& s, unsigned pes) {
    return std::uint64_t{s.contexts} * nic::work_entry_bytes + sync_words(pes) * 8;
}

job::job(core::scheduler& events, host::queue_pair_cluster& cluster, const spec& s)
    : events_(events),
      spec_(s),
      cluster_(cluster),
      heap_bytes_(whole_pages(library_bytes(s, cluster.nodes()) + s.heap.count)),
      cached_bytes_(whole_pages(s.cached_heap.count)),
      heap_(cluster.nodes(), library_bytes(s, cluster.nodes()), heap_bytes_),
      cached_heap_(cluster.nodes(), heap_bytes_, heap_bytes_ + cached_bytes_) {
    const unsigned all = cluster.nodes();
    for (unsigned rank = 0; rank < all; ++rank) register_heap(cluster.node(rank));
    host::ring_sizes sizes;
    sizes.entries = spec_.entries;
    sizes.completions = spec_.entries * completions_per_entry;
    if (spec_.helpers != 0) sizes.entries_in = sizes.completions_in = host::ring_place::host;
    cluster.connect_all(spec_.contexts, sizes);
    served_.resize(all);
    for (unsigned rank = 0; rank < all; ++rank) {
        pes_.emplace_back(events, cluster.node(rank).gpu().memory(), heap_, cached_heap_, spec_, addresses_of(rank));
        if (spec_.templates && spec_.helpers == 0) write_templates(pes_.back());
        make_helpers(rank);
    }
}

// One region: the heap, and behind it the control page, so that a fence has the same key as a put.
void job::register_heap(host::queue_pair_node& n) {
    gpu::device_memory& memory = n.gpu().memory();
    heaps_.emplace_back(memory.reserve_uncached(heap_bytes_), heap_bytes_);
    cached_heaps_.emplace_back(cached_bytes_ == 0 ? 0 : memory.reserve(cached_bytes_), cached_bytes_);
    std::vector<std::uint64_t> pages;
    for (const auto& part : {heaps_.back(), cached_heaps_.back()})
        for (std::uint64_t at = 0; at < part.size(); at += page)
            pages.push_back(n.gpu().bus_address(part.address() + at));
    pages.push_back(n.gpu().control_address());
    handles_.push_back(n.driver().register_memory({nic::memory_space::host,
                                                   heap_base,
                                                   std::move(pages),
                                                   heap_bytes_ + cached_bytes_ + gpu::ppb_register_size,
                                                   {true, true, true, true}}));
}

pe_addresses job::addresses_of(unsigned rank) {
    host::queue_pair_node& n = cluster_.node(rank);
    pe_addresses a;
    a.rank = rank;
    a.pes = cluster_.nodes();
    a.base = heap_base;
    a.heap = heaps_[rank];
    a.cached_heap = cached_heaps_[rank];
    a.control = n.control_page();
    a.key = handles_[rank].local_key;
    for (const auto& h : handles_) a.remote_keys.push_back(h.remote_key);
    a.results = {a.heap.address(), std::size_t{spec_.contexts} * entry_words};
    a.sync = {a.results.address(a.results.size()), sync_words(a.pes)};
    a.owners = n.gpu().memory().allocate<std::uint64_t>(spec_.contexts);
    for (unsigned c = 0; c < spec_.contexts; ++c)
        for (unsigned to = 0; to < a.pes; ++to) {
            if (to == rank)
                a.queues.emplace_back();
            else
                a.queues.push_back(spec_.helpers == 0 ? kernel_queue(cluster_.end(rank, to, c))
                                                      : helper_queue(cluster_.end(rank, to, c), c));
        }
    a.records = n.gpu().memory().allocate<std::uint32_t>(a.queues.size() * context::record_words(spec_));
    return a;
}

queue_addresses job::kernel_queue(const host::queue_pair_end& e) {
    return {e.entries, e.completions, {e.doorbell.address(), queue_registers}, e.number, false};
}

queue_addresses job::helper_queue(const host::queue_pair_end& e, unsigned context) {
    host::queue_pair_node& n = cluster_.node(e.node);
    const std::size_t words = std::size_t{spec_.entries} * entry_words;
    helper::served q{context, e.peer, n.reserve_host(words * 8), n.reserve_host(words * 8 * completions_per_entry)};
    served_[e.node].push_back(q);
    return {n.host_array<std::uint64_t>(q.entries_at, words),
            n.host_array<std::uint64_t>(q.completions_at, words * completions_per_entry),
            {},
            e.number,
            true};
}

void job::make_helpers(unsigned rank) {
    helper_queues_.emplace_back();
    if (spec_.helpers == 0) return;
    auto& queues = helper_queues_.back();
    for (unsigned c = 0; c < spec_.contexts; ++c) queues.emplace_back(cluster_, rank, c);
    for (unsigned t = 0; t < spec_.helpers; ++t) {
        std::vector<helper::served> own;
        for (const helper::served& q : served_[rank])
            if (q.context % spec_.helpers == t) own.push_back(q);
        if (!own.empty()) helpers_.emplace_back(events_, cluster_.node(rank), pes_[rank], std::move(own), queues);
    }
}

void job::start_helpers() {
    for (helper& h : helpers_) h.start();
}
void job::stop_helpers() {
    for (helper& h : helpers_) h.stop();
}

// What entries of one queue have in common: the keys and the length. They have no number, so they are not ready.
void job::write_templates(const pe& of) {
    const pe_addresses& at = of.where();
    for (std::size_t i = 0; i < at.queues.size(); ++i) {
        const auto& ring = at.queues[i].entries;
        if (ring.size() == 0) continue;  // to itself
        std::vector<std::uint64_t> words(ring.size());
        for (std::size_t e = 0; e < words.size(); e += entry_words) {
            words[e + 3] = at.remote_keys[i % at.pes];
            words[e + 5] = at.key | spec_.template_bytes.count << 32;
        }
        cluster_.node(at.rank).gpu().memory().write(ring, words);
    }
}

void job::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const pe& p : pes_)
        for (const wait_note* n : *p.waits()) {
            std::string holder = "another PE";
            if (n->what == wait_note::kind::completion)
                holder = fmt::format("queue pair {} of {}", p.where().queues[n->context * pes() + n->pe].number,
                                     cluster_.node(p.my_pe()).nic().function().name());
            edges.push_back(
                {fmt::format("pe{}.context{}", p.my_pe(), n->context), p.wait_text(*n), std::move(holder), n->since});
        }
}

}  // namespace contraflow::shmem
