// SPDX-License-Identifier: Apache-2.0
#include "shmem/host_process.h"

#include <cstring>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "shmem/error.h"

namespace contraflow::shmem {

using gpu::task;

void host_process::spec::describe(config::fields<spec>& f) {
    f("post", &spec::post).text("time of the CPU to write an entry and ring");
    f("look", &spec::look)
        .in(core::sim_time::from_ns(1), core::sim_time::from_us(1'000'000))
        .text("time of the CPU's look at a completion or a flag");
    f("memory", &spec::memory)
        .in(core::bandwidth::from_gb_per_s(1), core::bandwidth::from_gb_per_s(10'000))
        .text("rate of the host's memory, which decides how fast its threads compute");
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
    if (c) pe_.reached(moment::seen, 0, to);
}

task<> host_process::post(unsigned to, nic::work_entry e) {
    while (!queues_.room(to)) co_await take(to);
    pe_.reached(moment::taken, 0, to);
    co_await timer_.pause(spec_.post);
    queues_.post(to, e);
    pe_.reached(moment::posted, 0, to);
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
    holder_ = "another PE";
    while (flag(i) < value) co_await timer_.pause(spec_.look);
    waits_for_.clear();
}

task<> host_process::quiet() {
    for (unsigned to = 0; to < pe_.n_pes(); ++to) {
        if (to == pe_.my_pe()) continue;
        if (queues_.open(to) != 0) {
            waits_for_ = fmt::format("completions of queue pair {} to PE {}", queues_.end(to).number, to);
            holder_ = "another PE";
        }
        while (queues_.open(to) != 0) co_await take(to);
    }
    waits_for_.clear();
}

task<> host_process::await_arrivals() {
    waits_for_ = "the answer to a read of the path block";
    holder_ = "its GPU";
    read_.kind = pcie::operation_kind::read;
    read_.address = node_.gpu().control_address() + static_cast<std::uint64_t>(gpu::ppb_register::flushes);
    read_.length = answer_.size();
    read_.buffer = answer_.data();
    read_.owner = this;
    co_await answer_awaiter{*this};
    waits_for_.clear();
    if (read_.failed()) throw error(fmt::format("PE {}, the host: a read of the path block has failed", pe_.my_pe()));
}

void host_process::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!waits_for_.empty()) edges.push_back({fmt::format("pe{}.host", pe_.my_pe()), waits_for_, holder_, {}});
}

}  // namespace contraflow::shmem
