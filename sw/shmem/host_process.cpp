// SPDX-License-Identifier: Apache-2.0
#include "shmem/host_process.h"

#include <cstring>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "gpu/ppb/ppb_protocol.h"
#include "shmem/error.h"

namespace contraflow::shmem {

using gpu::task;

void host_process::spec::describe(config::fields<spec>& f) {
    f("post", &spec::post).text("time of the CPU to write an entry and ring");
    f("look", &spec::look).text("time of the CPU's look at a completion or a flag");
}

host_process::host_process(core::scheduler& events, host::queue_pair_cluster& cluster, const pe& of, unsigned index,
                           std::size_t flags, const spec& s)
    : pe_(of),
      node_(cluster.node(of.my_pe())),
      spec_(s),
      queues_(cluster, of.my_pe(), index),
      timer_(events),
      flags_at_(node_.reserve_host(flags * 8)) {
    flags_key_ = node_.register_host(flags_at_, flags * 8, {.remote_write = true}).remote_key;
}

void host_process::meet(const std::vector<host_process*>& all) {
    for (const host_process* h : all) others_.push_back({h->flags_at_, h->flags_key_});
}

std::uint64_t host_process::flag(std::size_t i) const {
    return core::load_le<std::uint64_t>(node_.host_bytes(flags_at_ + i * 8, 8).data());
}

task<> host_process::take(unsigned to) {
    co_await timer_.pause(spec_.look);
    const auto c = queues_.take(to);
    if (c && c->status != nic::work_status::done)
        throw error(fmt::format("PE {}, the host: entry {} of queue pair {} to PE {} has failed: {}", pe_.my_pe(),
                                c->number, queues_.end(to).number, to, to_text(c->status)));
}

task<> host_process::post(unsigned to, nic::work_entry e) {
    while (!queues_.room(to)) co_await take(to);
    co_await timer_.pause(spec_.post);
    queues_.post(to, e);
}

task<> host_process::put_nbi(std::uint64_t dest, std::uint64_t source, std::uint64_t bytes, unsigned to) {
    const std::uint64_t there = pe_.offset_of(dest, bytes), here = pe_.offset_of(source, bytes);
    if (to >= pe_.n_pes() || to == pe_.my_pe() || there == pe::not_symmetric || here == pe::not_symmetric)
        throw error(
            fmt::format("PE {}, the host: a put of {} bytes from {:#x} to {:#x} of PE {} is not one between the "
                        "symmetric heaps, {}, of two PEs",
                        pe_.my_pe(), bytes, source, dest, to, pe_.heap_text()));
    nic::work_entry e;
    e.remote_address = pe_.where().base + there;
    e.remote_key = pe_.where().remote_keys[to];
    e.local_address = pe_.where().base + here;
    e.local_key = pe_.where().key;
    e.length = static_cast<std::uint32_t>(bytes);
    co_await post(to, e);
}

task<> host_process::fence(unsigned to) {
    nic::work_entry e;
    e.inline_data = true;
    e.remote_address = pe_.control_page() + static_cast<std::uint64_t>(gpu::ppb_register::control);
    e.remote_key = pe_.where().remote_keys[to];
    e.length = 4;
    core::store_le<std::uint32_t>(e.data.data(), static_cast<std::uint32_t>(gpu::ppb_invalidate_and_flush));
    co_await post(to, e);
}

task<> host_process::signal(unsigned to, std::size_t flag, std::uint64_t value) {
    nic::work_entry e;
    e.inline_data = true;
    e.remote_address = others_.at(to).address + flag * 8;
    e.remote_key = others_.at(to).key;
    e.length = 8;
    core::store_le<std::uint64_t>(e.data.data(), value);
    co_await post(to, e);
}

task<> host_process::wait(std::size_t i, std::uint64_t value) {
    waits_for_ = fmt::format("flag {} of its memory >= {}", i, value);
    while (flag(i) < value) co_await timer_.pause(spec_.look);
    waits_for_.clear();
}

task<> host_process::quiet() {
    for (unsigned to = 0; to < pe_.n_pes(); ++to) {
        if (to == pe_.my_pe()) continue;
        if (queues_.open(to) != 0)
            waits_for_ = fmt::format("completions of queue pair {} to PE {}", queues_.end(to).number, to);
        while (queues_.open(to) != 0) co_await take(to);
    }
    waits_for_.clear();
}

}  // namespace contraflow::shmem
