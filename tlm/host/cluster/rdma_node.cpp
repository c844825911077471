// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/rdma_node.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::host {

rdma_node::rdma_node(const sc_core::sc_module_name& name, unsigned number, const rdma_node_spec& s, const resources& r,
                     const parts& chosen)
    : sc_core::sc_module(name),
      spec_(s),
      r_(r),
      position_(r.positions.of(number)),
      memory_(s.memory.count),
      tree_(s, position_, {r.events, r.statistics, memory_.all(), *this, *this}, chosen),
      port_({std::string(this->name()) + ".torus_port", number, s.transmit.clock.time_of({1}), r.torus_word}, r) {
    using channel = torus_port::channel;
    const std::string path = this->name();
    const std::string function = nic().function().name();
    const auto to_torus = [&](const char* queue, net::packet_class kind) {
        core::channel_spec out;
        out.path = path + queue;
        out.depth = s.torus_queue;
        return std::make_unique<channel>(r.events, out, channel::sender{nic().transmit(), 0, function + ".transmit"},
                                         channel::receiver{port_, static_cast<unsigned>(kind), path + ".torus_port"});
    };
    to_torus_ = to_torus(".to_torus", net::packet_class::response);
    requests_ = to_torus(".requests", net::packet_class::request);
    core::channel_spec in;
    in.path = path + ".from_torus";
    in.depth = 0;
    in.item = "a packet";
    from_torus_ = std::make_unique<channel>(r.events, in, channel::sender{port_, 0, path + ".torus_port"},
                                            channel::receiver{nic().port(), 0, function + ".receive"});
    nic().transmit().connect(*to_torus_, *requests_);
    nic().port().connect(*from_torus_, r.torus_word);
    port_.connect(*requests_, *to_torus_, *from_torus_);
    tree_.attach();
    tree_.open();
    process_ = std::make_unique<rdma_process>(
        s.process, rdma_process::resources{r.events, tree_.host(), memory_.all(), host_base, 0, nic(),
                                           gpu().registers_of(0), s.gpu.values.copy_queue});
}

// ---- the driver

std::uint64_t rdma_node::free_from() const {
    return nic::whole_pages(nic::memory_space::host, rdma_process::ring_bytes(spec_.process.entries));
}

rdma_process::region rdma_node::host_region(std::uint64_t base, std::uint64_t at, std::uint64_t bytes) const {
    const std::uint64_t page = 1ull << nic::page_bits(nic::memory_space::host);
    if (at % page != 0 || bytes % page != 0 || at < free_from() || at > memory_.size() || bytes > memory_.size() - at)
        throw std::invalid_argument(
            fmt::format("{}: the host has no {} bytes in whole pages at {:#x}", name(), bytes, at));
    rdma_process::region r{nic::memory_space::host, base, {}, {}, 0};
    for (std::uint64_t p = 0; p < bytes; p += page) r.pages.push_back(host_base + at + p);
    return r;
}

rdma_process::region rdma_node::gpu_region(std::uint64_t base, std::uint64_t at, std::uint64_t bytes) {
    const std::uint64_t size = gpu_memory().size();
    if (at % gpu::peer_page != 0 || bytes == 0 || bytes % gpu::peer_page != 0 || at > size || bytes > size - at)
        throw std::invalid_argument(
            fmt::format("{}: the GPU has no {} bytes in whole pages at {:#x}", name(), bytes, at));
    gpu().memory().let(at, bytes, token);
    rdma_process::region r{nic::memory_space::gpu0, base, {}, {}, token};
    for (std::uint64_t p = 0; p < bytes; p += gpu::peer_page) {
        r.pages.push_back(at + p);
        if (spec_.transmit.reading == nic::gpu_reading::peer_to_peer) continue;
        const auto mapped = gpu().bar1().map(at + p, gpu::peer_page);
        if (!mapped) throw std::invalid_argument(fmt::format("{}: BAR1 of the GPU is full", name()));
        r.apertures.push_back(mapped->offset);
        gpu_usable_ = std::max(gpu_usable_, mapped->ready);
    }
    return r;
}

void rdma_node::recover_gpu() {
    tree_.open();
    nic().recover(0);
}

// ---- all of it

bool rdma_node::idle() const {
    return nic().transmit().idle() && nic().receive().idle() && nic().core().idle() && port_.held() == 0 &&
           to_torus_->held() == 0 && requests_->held() == 0;
}

bool rdma_node::control(core::control_verb verb) {
    using enum core::control_verb;
    if (verb != pause && verb != enable && verb != reset) return false;
    const bool done = tree_.control(verb);
    if (verb != reset) return nic().receive().control(verb) && done;
    to_torus_->reset();
    requests_->reset();
    from_torus_->reset();
    port_.reset();
    tree_.open();
    process_->reset();
    return done;
}

void rdma_node::check(observe::conservation& checks) const {
    tree().check(checks);
    nic().check(checks);
    const std::string path = name();
    checks.check(path + ": packets that left the NIC, and those injected, unroutable and under way", "packets",
                 to_torus_->pushed() + requests_->pushed(),
                 port_.injected() + port_.unroutable() + port_.held() + port_.dropped() + to_torus_->held() +
                     to_torus_->dropped() + requests_->held() + requests_->dropped());
}

void rdma_node::report_waits(std::vector<core::wait_edge>& edges) const {
    tree_.report_waits(edges);
    port_.report_waits(edges);
}

}  // namespace contraflow::host
