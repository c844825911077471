// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/registration_cache.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace contraflow::host {

registration_cache::registration_cache(rdma_process& process, observe::statistics& statistics, const std::string& path,
                                       const spec& s, page_map pages)
    : process_(process),
      spec_(s),
      pages_(std::move(pages)),
      hits_(statistics, path + ".hits", "puts", "puts from memory that was registered"),
      misses_(statistics, path + ".misses", "puts", "puts whose memory had to be registered"),
      evictions_(statistics, path + ".evictions", "entries", "entries that were deregistered to make room") {
    if (s.entries == 0) throw std::invalid_argument("registration_cache: it has room for no entry");
}

registration_cache::place registration_cache::find(const rdma_process::put_request& r) {
    return std::ranges::find_if(entries_, [&](const entry& e) {
        return !e.closing && e.what.space == r.space && r.from >= e.what.base && r.from + r.length <= e.end();
    });
}

gpu::task<> registration_cache::remove(place e) {
    e->closing = true;
    co_await process_.work(spec_.page * e->what.pages.size());
    co_await process_.deregister(e->handle);
    entries_.erase(e);
    process_.wake(unused_);
}

// Until no entry overlaps those pages, for BUF_LIST's first entry with an address decides, and one more may be made.
gpu::task<> registration_cache::make_room(const span& wanted, nic::memory_space space) {
    for (;;) {
        auto victim = std::ranges::find_if(entries_, [&](const entry& e) { return e.overlaps(wanted, space); });
        if (victim == entries_.end() && entries_.size() < spec_.entries) co_return;
        if (victim == entries_.end()) {
            const auto last = std::find_if(entries_.rbegin(), entries_.rend(),
                                           [](const entry& e) { return e.uses == 0 && !e.closing; });
            victim = last == entries_.rend() ? entries_.end() : std::prev(last.base());
        }
        if (victim == entries_.end() || victim->uses != 0 || victim->closing) {
            co_await rdma_process::until{unused_};
            continue;
        }
        ++evictions_;
        co_await remove(victim);
    }
}

gpu::task<rdma_process::message> registration_cache::put(rdma_process::put_request r) {
    if (r.length == 0) throw std::invalid_argument("registration_cache: a put of no bytes");
    auto e = find(r);
    ++(e != entries_.end() ? hits_ : misses_);
    while (e == entries_.end()) {
        const std::uint64_t page = 1ull << nic::page_bits(r.space);
        span wanted{r.from / page * page, (r.from + r.length + page - 1) / page * page};
        // What overlaps is registered again together with it.
        for (const entry& other : entries_)
            if (!other.closing && other.overlaps(wanted, r.space))
                wanted = {std::min(wanted.base, other.what.base), std::max(wanted.end, other.end())};
        co_await make_room(wanted, r.space);
        const std::uint64_t bytes = wanted.end - wanted.base;
        entries_.push_front({pages_(r.space, wanted.base, bytes), 0, 0, true});
        e = entries_.begin();
        co_await process_.work(spec_.page * (bytes / page));
        e->handle = process_.register_memory(e->what);
        e->closing = false;
        process_.wake(unused_);
    }
    entries_.splice(entries_.begin(), entries_, e);
    ++e->uses;
    const rdma_process::message m = co_await process_.put(r);
    of_[m] = e;
    co_return m;
}

gpu::task<nic::transmit_status> registration_cache::sent(rdma_process::message m) {
    const nic::transmit_status how = co_await process_.sent(m);
    const auto of = of_.find(m);
    if (--of->second->uses == 0) process_.wake(unused_);
    of_.erase(of);
    co_return how;
}

gpu::task<> registration_cache::clear() {
    for (;;) {
        const auto e = std::ranges::find_if(entries_, [](const entry& one) { return one.uses == 0 && !one.closing; });
        if (e == entries_.end()) co_return;
        co_await remove(e);
    }
}

void registration_cache::reset() {
    unused_.clear();
    of_.clear();
    entries_.clear();
}

}  // namespace contraflow::host
