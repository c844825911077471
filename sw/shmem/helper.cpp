// SPDX-License-Identifier: Apache-2.0
#include "shmem/helper.h"

#include <utility>

#include "core/little_endian.h"

namespace contraflow::shmem {

helper::helper(core::scheduler& events, host::queue_pair_node& node, const pe& of, std::vector<served> all,
               std::vector<host_queues>& queues)
    : node_(node),
      pe_(of),
      spec_(of.configuration()),
      all_(std::move(all)),
      queues_(queues),
      timer_(events) {}

void helper::start() {
    stops_ = false;
    if (std::exchange(runs_, true)) return;
    run().start_on(thread_);
    thread_.resume();
}

gpu::host_task helper::run() {
    while (!stops_) {
        for (served& q : all_) {
            co_await timer_.pause(spec_.helper_look);
            co_await take_entry(q);
            if (queues_[q.context].open(q.to) == 0) continue;
            co_await timer_.pause(spec_.helper_look);  // at the line of a completion, another one
            co_await take_completion(q);
        }
    }
    runs_ = false;
}

std::span<const std::uint8_t, nic::work_entry_bytes> helper::entry(const served& q) const {
    const std::uint64_t at = q.entries_at + q.taken % spec_.entries * nic::work_entry_bytes;
    return node_.host_bytes(at, nic::work_entry_bytes).first<nic::work_entry_bytes>();
}

gpu::task<> helper::take_entry(served& q) {
    if (nic::work_entry::number_of(entry(q)) != q.taken + 1 || !queues_[q.context].room(q.to)) co_return;
    pe_.reached(moment::taken, q.context, q.to);
    co_await timer_.pause(spec_.helper_serve);
    const auto e = nic::work_entry::decode(entry(q));
    ++q.taken;
    if (!e) co_return complete(q, nic::work_status::bad_entry, 0);
    queues_[q.context].post(q.to, *e);
    pe_.reached(moment::posted, q.context, q.to);
}

gpu::task<> helper::take_completion(served& q) {
    const auto c = queues_[q.context].take(q.to);
    if (!c) co_return;
    co_await timer_.pause(spec_.helper_serve);
    complete(q, c->status, c->opcode);
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
