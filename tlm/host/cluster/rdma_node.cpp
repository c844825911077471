// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/rdma_node.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "nic/little_endian.h"

namespace contraflow::host {
namespace {

constexpr std::uint64_t interrupt_address = 0xfee0'0000, interrupt_bytes = 1u << 12;

}  // namespace

rdma_node::rdma_node(const sc_core::sc_module_name& name, unsigned number, const rdma_node_spec& s, const resources& r,
                     const parts& chosen)
    : sc_core::sc_module(name),
      spec_(s),
      r_(r),
      position_(r.positions.of(number)),
      memory_(s.memory.count),
      core_(r.events, s.core),
      port_({std::string(this->name()) + ".torus_port", number, s.transmit.clock.time_of({1}), r.torus_word},
            {r.events, r.statistics, r.port, r.packets, r.positions}) {
    build_tree(chosen);
    using channel = core::channel<nic::torus_packet>;
    const std::string path = this->name();
    const std::string function = nic_->function().name();
    core::channel_spec out;
    out.path = path + ".to_torus";
    out.depth = s.torus_queue;
    to_torus_ = std::make_unique<channel>(r.events, out, channel::sender{nic_->transmit(), 0, function + ".transmit"},
                                          channel::receiver{port_, 0, path + ".torus_port"});
    core::channel_spec in;
    in.path = path + ".from_torus";
    in.depth = 0;
    in.item = "a packet";
    from_torus_ = std::make_unique<channel>(r.events, in, channel::sender{port_, 0, path + ".torus_port"},
                                            channel::receiver{nic_->port(), 0, function + ".receive"});
    nic_->transmit().connect(*to_torus_);
    nic_->port().connect(*from_torus_);
    port_.connect(*to_torus_, *from_torus_);
    nic_->port().attach(
        0, {true, gpu_->window_of(0), gpu_->registers_of(0) + static_cast<std::uint64_t>(gpu::peer_register::window)});
    nic_->transmit().attach(0, {true, gpu_->registers_of(0), gpu_->aperture_base()});
    open();
    process_ = std::make_unique<rdma_process>(
        s.process, rdma_process::resources{r.events, *host_, memory_, host_base, 0, *nic_, core_});
}

void rdma_node::build_tree(const parts& chosen) {
    using pcie::node_id, pcie::node_kind;
    const auto add = [&](std::string name, node_kind kind, node_id parent, pcie::link_rate rate = {}) {
        pcie::topology_node n;
        n.name = std::move(name);
        n.kind = kind;
        n.link = rate;
        return nodes_.add(n, parent);
    };
    const bool two = spec_.nic_at == nic_place::other_socket;
    const node_id machine = two ? add("machine", node_kind::machine, pcie::no_node) : pcie::no_node;
    if (two) nodes_.socket_link = spec_.socket_link;
    const node_id root = add("rc", node_kind::root_complex, machine);
    const node_id host = add("host", node_kind::endpoint, root, spec_.host_link);
    const node_id sw = add("switch", node_kind::pcie_switch, root, spec_.gpu_link);
    const node_id gpu = add("gpu", node_kind::endpoint, sw, spec_.gpu_link);
    const node_id above_nic = two                                     ? add("rc1", node_kind::root_complex, machine)
                              : spec_.nic_at == nic_place::beside_gpu ? sw
                                                                      : root;
    const node_id nic = add("nic", node_kind::endpoint, above_nic, spec_.nic_link);
    std::vector<pcie::function_spec> places(nodes_.size());
    places[host].fixed = {{host_base, memory_.size()}, {interrupt_address, interrupt_bytes}};
    places[gpu] = gpu::peer_gpu::place_of(spec_.gpu.values);
    places[nic] = nic::rdma_nic::place();
    map_ = std::make_unique<pcie::address_map>(nodes_, places);
    const pcie::port::resources shared{r_.events, r_.statistics};
    tree_ = std::make_unique<pcie::link_tree>(
        shared, pool_, *map_, spec_.fabric,
        [&](node_id id, std::uint32_t, const std::string& name, const pcie::port::spec& line) -> pcie::device_if& {
            pcie::function::spec f;
            f.link = line;
            f.latency = spec_.fabric.endpoint_latency;
            f.requests.tags = spec_.fabric.tags;
            f.requests.max_read_request = static_cast<std::uint32_t>(spec_.fabric.max_read_request.count);
            f.requests.completion_timeout = spec_.fabric.completion_timeout;
            f.answers.read_completion_boundary =
                static_cast<std::uint32_t>(spec_.fabric.read_completion_boundary.count);
            if (id == gpu) {
                gpu_ = std::make_unique<gpu::peer_gpu>(name.c_str(), shared, pool_, f, map_->at(id), spec_.gpu.values);
                return *gpu_;
            }
            if (id == nic) {
                nic_ = std::make_unique<nic::rdma_nic>(
                    name.c_str(), shared, pool_, f, map_->at(id),
                    nic::rdma_nic::spec{position_, spec_.transmit, spec_.receive, spec_.port},
                    nic::rdma_nic::parts{core_, chosen.make_receive});
                return *nic_;
            }
            host_ = std::make_unique<pcie::function>(name.c_str(), shared, pool_, f, map_->at(id),
                                                     static_cast<pcie::requester_user_if&>(*this));
            return *host_;
        });
    host_region_ = std::make_unique<pcie::timed_memory>(r_.events, *host_, spec_.reads,
                                                        std::string(host_->name()) + ".memory", memory_);
    host_->map_fixed(0, *host_region_);
    host_->map_fixed(1, interrupts_);
}

// ---- the driver

void rdma_node::open() {
    write(opening_[0], gpu::peer_register::answer_base, nic_->answers_base());
    write(opening_[1], gpu::peer_register::answer_size, nic::peer_reader::window);
    for (const unsigned vector : {0u, 1u}) nic_->configure_msi(vector, {interrupt_address, vector});
}

void rdma_node::write(driver_write& w, gpu::peer_register r, std::uint64_t value) {
    nic::store(w.bytes.data(), value, w.bytes.size());
    w.what = {};
    w.what.kind = pcie::operation_kind::write;
    w.what.address = gpu_->registers_of(0) + static_cast<std::uint64_t>(r);
    w.what.length = w.bytes.size();
    w.what.buffer = w.bytes.data();
    host_->start(w.what);
}

std::uint64_t rdma_node::free_from() const {
    constexpr std::uint64_t page = 1u << 12;
    return (rdma_process::ring_bytes(spec_.process.entries) + page - 1) / page * page;
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
    gpu_->memory().let(at, bytes, token);
    rdma_process::region r{nic::memory_space::gpu0, base, {}, {}, token};
    for (std::uint64_t p = 0; p < bytes; p += gpu::peer_page) {
        r.pages.push_back(at + p);
        if (spec_.transmit.reading == nic::gpu_reading::peer_to_peer) continue;
        const auto mapped = gpu_->bar1().map(at + p, gpu::peer_page);
        if (!mapped) throw std::invalid_argument(fmt::format("{}: BAR1 of the GPU is full", name()));
        r.apertures.push_back(mapped->offset);
        gpu_usable_ = std::max(gpu_usable_, mapped->ready);
    }
    return r;
}

// ---- all of it

bool rdma_node::idle() const {
    return nic_->transmit().idle() && nic().receive().idle() && port_.held() == 0 && to_torus_->held() == 0;
}

bool rdma_node::control(core::control_verb verb) {
    using enum core::control_verb;
    if (verb != pause && verb != enable && verb != reset) return false;
    const bool done = tree_->control(verb);
    if (verb != reset) return nic_->receive().control(verb) && done;
    host_region_->reads().reset();
    to_torus_->reset();
    from_torus_->reset();
    port_.reset();
    open();
    process_->reset();
    return done;
}

void rdma_node::check(observe::conservation& checks) const {
    tree_->check(checks);
    nic_->check(checks);
    const std::string path = name();
    checks.check(path + ": packets that left the NIC, and those injected, unroutable and under way", "packets",
                 to_torus_->pushed(),
                 port_.injected() + port_.unroutable() + port_.held() + port_.dropped() + to_torus_->held() +
                     to_torus_->dropped());
}

void rdma_node::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const core::waiter_if* w : tree_->waiters()) w->report_waits(edges);
    host_region_->reads().report_waits(edges);
    port_.report_waits(edges);
}

}  // namespace contraflow::host
