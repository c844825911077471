// SPDX-License-Identifier: Apache-2.0
#include "gpu/network/pcie_host.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "pcie/link/link_rate.h"

namespace contraflow::gpu {

// Memory is behind the root complex and not behind a link, so the link is wider than those of GPUs. Four channels of
// DDR4-3200 have 102 GB/s.
void pcie_host::spec::describe(config::fields<spec>& f) {
    f("link", &spec::link).text("from the root complex to the host's memory");
    f("read_latency", &spec::read_latency).text("of the host's memory, from a request's arrival to its first byte");
    f("read_rate", &spec::read_rate)
        .in(core::bandwidth::from_gb_per_s(0.001), core::bandwidth::from_gb_per_s(10000))
        .text("bandwidth of the host's memory for reads by GPUs");
    f("read_queue", &spec::read_queue).in(1, 65536).unit("requests").text("reads that wait for the host's memory");
    f("processing", &spec::processing)
        .text("time of the driver before it rings a GPU's doorbell, and after an interrupt");
}

pcie_host::pcie_host(const char* name, const pcie::port::resources& shared, pcie::tlp_pool& packets,
                     const pcie::function::spec& device, const pcie::address_map::function& place, const spec& s,
                     std::vector<std::uint64_t> command_bars)
    : events_(shared.events),
      spec_(s),
      command_bars_(std::move(command_bars)),
      function_(name, shared, packets, device, place, *this),
      memory_(shared.events, function_, {s.read_latency, s.read_rate, s.read_queue},
              std::string(function_.name()) + ".memory", memory_size),
      interrupts_(*this),
      gpus_(command_bars_.size()),
      records_(command_bars_.size() * command_slots),
      calls_(shared.events, *this),
      doorbells_(shared.statistics, std::string(function_.name()) + ".doorbells", "commands",
                 "given to GPUs: a packet, and a doorbell behind it"),
      interrupts_taken_(shared.statistics, std::string(function_.name()) + ".interrupts", "interrupts",
                        "messages of GPUs that commands have ended") {
    function_.map_fixed(0, memory_);
    function_.map_fixed(1, interrupts_);
    records_at_ = pin(reinterpret_cast<std::byte*>(records_.data()), records_.size() * sizeof(host_record));
}

std::uint64_t pcie_host::pin(std::byte* buffer, std::uint64_t bytes) {
    const auto offset = memory_.pin({buffer, bytes});
    if (!offset)
        throw std::length_error(fmt::format("{}: no room for {} bytes among {} that GPUs can address", name(), bytes,
                                            to_text(memory_size)));
    return memory_base + *offset;
}

void pcie_host::submit(unsigned gpu, const host_command& c, work_part& work) {
    ++under_way_;
    gpus_[gpu].preparing.push_back({c, &work});
    calls_.after<&pcie_host::prepared>(spec_.processing, gpu);
}

void pcie_host::prepared(std::uint32_t gpu) {
    gpu_side& g = gpus_[gpu];
    g.queue.push_back(g.preparing.front());
    g.preparing.pop_front();
    give(gpu);
}

// The doorbell is a posted write behind the packet's, and no posted write passes another.
void pcie_host::give(unsigned gpu) {
    gpu_side& g = gpus_[gpu];
    for (unsigned n = 0; n < command_slots && !g.queue.empty(); ++n) {
        slot& s = g.slots[n];
        if (s.work != nullptr) continue;
        host_command c = g.queue.front().command;
        s.work = g.queue.front().work;
        g.queue.pop_front();
        c.sequence = s.sequence = ++sequence_;
        s.handled = false;
        s.since = events_.now();
        s.packet = c.encode();
        core::store_le<std::uint32_t>(s.doorbell.data(), n);
        const auto post = [&](pcie::operation& o, std::uint64_t offset, std::uint8_t* bytes, std::size_t length) {
            o = {};
            o.kind = pcie::operation_kind::write;
            o.address = command_bars_[gpu] + offset;
            o.length = length;
            o.buffer = bytes;
            o.stream = pcie::no_stream;
            function_.start(o);
        };
        post(s.write, n * command_slot_bytes, s.packet.data(), s.packet.size());
        post(s.ring, doorbell_offset, s.doorbell.data(), s.doorbell.size());
        ++doorbells_;
    }
}

// One interrupt may stand for several records, and a record may be seen before its own interrupt.
void pcie_host::interrupt(std::uint64_t, std::uint32_t gpu) {
    ++interrupts_taken_;
    if (gpu >= gpus_.size()) return;
    for (unsigned n = 0; n < command_slots; ++n) {
        slot& s = gpus_[gpu].slots[n];
        const std::uint32_t number = gpu * command_slots + n;
        if (s.work == nullptr || s.handled || records_[number] != s.sequence) continue;
        s.handled = true;
        calls_.after<&pcie_host::handled>(spec_.processing, number);
    }
}

void pcie_host::handled(std::uint32_t number) {
    const unsigned gpu = number / command_slots;
    slot& s = gpus_[gpu].slots[number % command_slots];
    work_part& work = *std::exchange(s.work, nullptr);
    --under_way_;
    give(gpu);
    work.end();
}

void pcie_host::drop(const std::exception_ptr& why) {
    calls_.cancel();
    std::vector<work_part*> dropped;
    for (gpu_side& g : gpus_) {
        for (slot& s : g.slots)
            if (work_part* const w = std::exchange(s.work, nullptr); w != nullptr) dropped.push_back(w);
        for (std::deque<waiting>* const q : {&g.queue, &g.preparing}) {
            for (const waiting& w : *q) dropped.push_back(w.work);
            q->clear();
        }
    }
    under_way_ = 0;
    for (work_part* const w : dropped) {
        w->fail(why);
        w->end();
    }
}

bool pcie_host::control(core::control_verb verb) {
    if (verb == core::control_verb::pause) paused_since_ = events_.now();
    if (verb == core::control_verb::pause || verb == core::control_verb::enable || verb == core::control_verb::reset)
        paused_ = verb == core::control_verb::pause;
    const bool done = function_.control(verb);
    if (verb == core::control_verb::reset) memory_.reads().reset();
    return done;
}

void pcie_host::report_waits(std::vector<core::wait_edge>& edges) const {
    function_.report_waits(edges);
    memory_.reads().report_waits(edges);
    if (paused_) edges.push_back({name(), "enable", name(), paused_since_});
    for (unsigned gpu = 0; gpu < gpus_.size(); ++gpu)
        if (!gpus_[gpu].queue.empty())
            edges.push_back({name(), fmt::format("a command slot of GPU {}", gpu), function_.link().peer_name(),
                             gpus_[gpu].slots.front().since});
}

}  // namespace contraflow::gpu
