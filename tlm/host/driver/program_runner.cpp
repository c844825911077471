// SPDX-License-Identifier: Apache-2.0
#include "host/driver/program_runner.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "host/driver/launch_command.h"

namespace contraflow::host {

program_runner::program_runner(driver& d, const spec& s) : driver_(d), process_(d.create_context()), spec_(s) {
    if (s.gpus.empty()) throw std::invalid_argument("a program on no GPUs");
    const unsigned all = process_.create_unified_gpu(s.gpus);
    switch (s.execution) {
    case execution_model::one: process_.select_gpu(s.gpus[0]); break;
    case execution_model::unified: process_.select_gpu(all); break;
    case execution_model::split:
        for (const unsigned g : s.gpus) {
            process_.select_gpu(g);
            queues_.push_back(&process_.create_queue());
        }
        break;
    }
    if (queues_.empty()) queues_.push_back(&process_.create_queue());
    const bool first_only = s.memory == memory_model::discrete && s.execution == execution_model::one;
    process_.select_gpu(first_only ? s.gpus[0] : all);
}

// ---- memory

std::uint64_t program_runner::reserve(std::size_t bytes) {
    const bool discrete = spec_.memory == memory_model::discrete;
    const std::uint64_t address = process_.allocate({bytes}, discrete ? page_order::runs : page_order::interleaved);
    arrays_.push_back({address, std::vector<std::byte>(bytes)});
    return address;
}

bool program_runner::protect(std::uint64_t address, memory::access_rights rights) {
    if (rights != memory::access_rights::none) return process_.protect(address, rights);
    process_.free(address);
    std::erase_if(arrays_, [&](const array& a) { return a.address == address; });
    return true;
}

const program_runner::array& program_runner::array_at(std::uint64_t address, std::size_t length) const {
    const auto after = std::upper_bound(arrays_.begin(), arrays_.end(), address,
                                        [](std::uint64_t a, const array& of) { return a < of.address; });
    if (after != arrays_.begin()) {
        const array& a = *std::prev(after);
        const std::uint64_t offset = address - a.address;
        if (offset <= a.copy.size() && length <= a.copy.size() - offset) return a;
    }
    throw std::out_of_range(fmt::format("host access to {} bytes at {:#x}, which is not allocated", length, address));
}

void program_runner::write_bytes(std::uint64_t address, std::span<const std::byte> from) {
    const array& a = array_at(address, from.size());
    if (from.empty()) return;
    if (spec_.memory == memory_model::discrete && !fetched_) {
        transfers_.push_back({address, {from.begin(), from.end()}, true});
        return;
    }
    if (fetched_) {
        array& own = const_cast<array&>(a);  // the object itself is not const
        std::memcpy(own.copy.data() + (address - own.address), from.data(), from.size());
    }
    driver_.write_in_place(process_.process(), address, from);
}

void program_runner::read_bytes(std::uint64_t address, std::span<std::byte> to) const {
    const array& a = array_at(address, to.size());
    if (to.empty()) return;
    if (fetched_) {
        std::memcpy(to.data(), a.copy.data() + (address - a.address), to.size());
        return;
    }
    driver_.read_in_place(process_.process(), address, to);
    if (spec_.memory == memory_model::unified) return;
    drop_done_transfers();
    for (const transfer& t : transfers_) {  // written by the host, not yet copied to the GPU
        if (!t.to_device) continue;
        const std::uint64_t begin = std::max(t.address, address);
        const std::uint64_t end = std::min(t.address + t.bytes.size(), address + to.size());
        if (begin < end) std::memcpy(to.data() + (begin - address), t.bytes.data() + (begin - t.address), end - begin);
    }
    transfers_.push_back({address, std::vector<std::byte>(to.size()), false});
}

void program_runner::drop_done_transfers() const {
    while (!transfers_.empty() && transfers_.front().ordered && transfers_.front().ordered->done())
        transfers_.pop_front();
}

// The first queue carries the copies, and launches wait for them.
void program_runner::order_transfers() {
    drop_done_transfers();
    for (transfer& t : transfers_) {
        if (t.ordered) continue;
        if (t.to_device)
            t.ordered = queues_[0]->copy_to_device(t.address, t.bytes);
        else
            t.ordered = queues_[0]->copy_from_device(t.bytes, t.address);
        before_[0] = *t.ordered;
    }
}

gpu::host_task program_runner::whole(gpu::host_task program, std::function<void()> ended) {
    co_await program;
    if (spec_.memory == memory_model::discrete) co_await fetch();
    if (ended) ended();
}

gpu::host_task program_runner::fetch() {
    for (std::size_t i = 1; i < before_.size(); ++i) queues_[0]->wait(before_[i]);
    if (before_.empty()) before_.push_back(queues_[0]->record());
    order_transfers();
    for (array& a : arrays_) queues_[0]->copy_from_device(a.copy, a.address);
    const event all = queues_[0]->synchronise();
    co_await all;
    fetched_ = true;
}

void program_runner::start(gpu::host_task program, std::function<void()> ended) {
    driver_.start(whole(std::move(program), std::move(ended)));
}

// ---- kernels

gpu::launch_operation program_runner::launch(gpu::kernel_launch kernel) {
    for (const unsigned g : spec_.gpus) driver_.machine().processor(g).check_room(kernel);
    if (before_.empty())
        for (command_queue* q : queues_) before_.push_back(q->record());
    // A kernel and the copies before it begin when the previous kernel has ended on every GPU.
    const std::vector<event> earlier = before_;
    for (std::size_t i = 1; i < queues_.size(); ++i) queues_[0]->wait(earlier[i]);
    order_transfers();
    for (std::size_t i = 1; i < queues_.size(); ++i) {
        for (std::size_t k = 1; k < queues_.size(); ++k)
            if (k != i) queues_[i]->wait(earlier[k]);
        queues_[i]->wait(before_[0]);
    }
    gpu::launch_state& state = launches_.emplace_back(std::move(kernel));
    running& r = running_.emplace_back(running{&state, {}, queues_.size()});
    const gpu::cta_run all{0, state.launch.ctas()};
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        before_[i] = queues_[i]->launch(state.launch, gpu::part_of(all, i, queues_.size()));
        r.parts.push_back(before_[i]);
    }
    for (const event& e : r.parts) e.then(core::callback::to<&running::part_ended>(r));
    return gpu::launch_operation(state);
}

void program_runner::running::part_ended() {
    if (--left != 0) return;
    state->begun = core::sim_time::never();
    for (const event& e : parts) {
        const auto& launched = static_cast<const launch_command&>(e.of());
        if (launched.error()) state->fail(launched.error());
        for (const auto& p : launched.parts()) {
            state->begun = std::min(state->begun, p.begun);
            state->ended_at = std::max(state->ended_at, p.ended_at);
        }
    }
    state->end();
}

}  // namespace contraflow::host
