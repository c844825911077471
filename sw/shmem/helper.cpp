// SPDX-License-Identifier: Apache-2.0
#include "shmem/helper.h"

#include <algorithm>
#include <utility>

#include "core/little_endian.h"

namespace contraflow::shmem {

helper::helper(core::scheduler& events, host::queue_pair_node& node, const pe& of, std::vector<served> all,
               std::vector<host_queues>& queues)
    : events_(events),
      node_(node),
      pe_(of),
      spec_(of.configuration()),
      all_(std::move(all)),
      queues_(queues),
      timer_(events) {
    node.call_when_host_memory_is_written(core::callback::to<&helper::written>(*this));
}

void helper::start() {
    stops_ = false;
    if (std::exchange(runs_, true)) return;
    run().start_on(thread_);
    thread_.resume();
}

void helper::stop() {
    stops_ = true;
    written();
}

helper::place helper::after(place p) const {
    if (!p.completion && queues_[all_[p.queue].context].open(all_[p.queue].to) != 0) return {p.queue, true};
    return {p.queue + 1 == all_.size() ? 0 : p.queue + 1, false};
}

gpu::host_task helper::run() {
    next_ = {};
    vain_ = 0;
    for (bool pauses = true;;) {
        if (pauses) co_await timer_.pause(spec_.helper_look);
        served& q = all_[next_.queue];
        bool found = false;
        if (next_.completion)
            found = co_await take_completion(q);
        else
            found = co_await take_entry(q);
        next_ = after(next_);
        if (stops_ && next_.queue == 0 && !next_.completion) break;
        vain_ = found ? 0 : vain_ + 1;
        pauses = stops_ || vain_ < all_.size() || vain_ < places();
        if (!pauses) co_await written_awaiter{*this};
    }
    runs_ = false;
}

// The looks that would have been in vain are over: it goes on with the next one, at its time.
void helper::written() {
    vain_ = 0;
    if (!std::exchange(sleeps_, false)) return;
    const std::uint64_t passed = (events_.now() - since_).ps, look = std::max<std::uint64_t>(1, spec_.helper_look.ps);
    const std::uint64_t looks = std::max<std::uint64_t>(1, (passed + look - 1) / look);
    for (std::uint64_t i = (looks - 1) % places(); i > 0; --i) next_ = after(next_);
    timer_.resume_after(since_ + core::sim_time{look * looks} - events_.now(), thread_);
}

std::span<const std::uint8_t, nic::work_entry_bytes> helper::entry(const served& q) const {
    const std::uint64_t at = q.entries_at + q.taken % spec_.entries * nic::work_entry_bytes;
    return node_.host_bytes(at, nic::work_entry_bytes).first<nic::work_entry_bytes>();
}

gpu::task<bool> helper::take_entry(served& q) {
    if (nic::work_entry::number_of(entry(q)) != q.taken + 1 || !queues_[q.context].room(q.to)) co_return false;
    pe_.reached(moment::taken, q.context, q.to);
    co_await timer_.pause(spec_.helper_serve);
    const auto e = nic::work_entry::decode(entry(q));
    ++q.taken;
    if (!e) {
        complete(q, nic::work_status::bad_entry, 0);
        co_return true;
    }
    open_queues_ += queues_[q.context].open(q.to) == 0;
    queues_[q.context].post(q.to, *e);
    pe_.reached(moment::posted, q.context, q.to);
    co_return true;
}

gpu::task<bool> helper::take_completion(served& q) {
    const auto c = queues_[q.context].take(q.to);
    if (!c) co_return false;
    open_queues_ -= queues_[q.context].open(q.to) == 0;
    co_await timer_.pause(spec_.helper_serve);
    complete(q, c->status, c->opcode);
    co_return true;
}

void helper::complete(served& q, nic::work_status s, std::uint8_t opcode) {
    const std::uint64_t places = std::uint64_t{spec_.entries} * completions_per_entry;
    const std::uint64_t at = q.completions_at + q.completed % places * nic::queue_completion_bytes;
    ++q.completed;
    pe_.reached(moment::answered, q.context, q.to);
    const std::uint64_t word =
        static_cast<std::uint64_t>(s) | std::uint64_t{opcode} << 8 | std::uint64_t{q.completed} << 32;
    core::store_le<std::uint64_t>(node_.host_bytes(at, 8).data(), word);
}

}  // namespace contraflow::shmem
