// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/gpu_socket.h"

#include <bit>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::gpu {
namespace {

// Folding the upper address bits spreads strides of a power of two. It needs a power of two of parts.
memory::interleave spread(unsigned parts, std::uint64_t granule) {
    return memory::interleave(parts, granule, std::has_single_bit(parts));
}

std::vector<unsigned> ways_to(net::network_if* net, unsigned from, unsigned sockets) {
    std::vector<unsigned> out(net == nullptr ? 0 : sockets);
    for (unsigned to = 0; to < out.size(); ++to)
        if (to != from) out[to] = net->port(from).link_to(to);
    return out;
}

template <class Parts, class Do> void each(const Parts& parts, Do what) {
    for (const auto& p : parts) what(*p);
}

}  // namespace

gpu_socket::gpu_socket(const sc_core::sc_module_name& name, const memory::resources& shared, const gpu_spec& s,
                       unsigned number, const machine_memory& machine, net::network_if* net, cta_sink_if& sink)
    : sc_core::sc_module(name),
      number_(number),
      check_protocol_(s.check_protocol),
      map_(machine.map),
      banks_(spread(s.l2.banks, s.l1.line.count)),
      link_ports_(spread(s.rdma_ports, s.l1.line.count)),
      io_output_(s.io_port ? s.l2.banks + (net == nullptr ? 0 : net->port(number).links() * s.rdma_ports)
                           : memory::address_to_port_if::nowhere),
      routes_(machine.map, number, banks_, link_ports_, ways_to(net, number, s.sockets), io_output_),
      homes_(machine.map),
      client_owners_(s.client_ports) {
    const unsigned ports = net == nullptr ? 0 : net->port(number).links() * s.rdma_ports;
    memory::crossbar_spec x = s.crossbar;
    x.cycle = s.cycle();
    x.inputs = s.units + ports + s.client_ports + 2 * s.shader_arrays();
    x.outputs = s.l2.banks + ports + (s.io_port ? 1 : 0);
    if (machine.translation != nullptr)
        translation_ =
            std::make_unique<gpu_translation>(shared, machine.translation->levels, s.cycle(),
                                              machine.translation->table, map_, number, machine.translation->below);
    if (check_protocol_) shared.events.keep_kernel_time();  // checkers ask the kernel for the time
    crossbar_ = std::make_unique<memory::crossbar>("crossbar", shared, x, routes_);
    build_units(shared, s, machine, sink);
    build_memory(shared, s);
    if (net != nullptr) build_rdma(shared, s, *net);
    for (unsigned i = 0; i < s.client_ports; ++i) {
        client_ports_.push_back(
            std::make_unique<memory::request_port>(i == 0 ? "host" : fmt::format("client{}", i).c_str(), shared,
                                                   static_cast<memory::request_owner_if&>(*this), i));
        client_ports_[i]->bind(crossbar_->up(s.units + ports + i));
    }
    build_arrays(shared, s, machine.profile, s.units + ports + s.client_ports);
}

gpu_socket::~gpu_socket() = default;

void gpu_socket::join(memory::request_port& from, memory::response_port& to) {
    if (!check_protocol_) {
        from.bind(to);
        return;
    }
    auto& c = *checkers_.emplace_back(
        std::make_unique<memory::protocol_checker>(fmt::format("check{}", checkers_.size()).c_str()));
    from.bind(c.in);
    c.out.bind(to);
}

void gpu_socket::build_units(const memory::resources& shared, const gpu_spec& s, const machine_memory& machine,
                             cta_sink_if& sink) {
    compute_unit_spec u = s.unit;
    u.line = s.l1.line;
    u.cycle = s.cycle();
    u.socket = number_;
    if (translation_) {
        u.translation = &translation_->for_units();
        u.l1_tlb = machine.translation->levels.l1;
    }
    memory::cache_spec c = s.l1;
    c.cycle = s.cycle();
    c.level = memory::cache_level::l1;
    c.socket = number_;
    for (unsigned i = 0; i < s.units; ++i) {
        u.number = i;
        c.seed = s.l1.seed + i;
        units_.push_back(std::make_unique<compute_unit>(fmt::format("cu{}", i).c_str(), shared, u, machine, sink));
        l1_.push_back(std::make_unique<memory::cache>(fmt::format("cu{}_l1", i).c_str(), shared, c));
        if (translation_) translation_->add_unit(units_[i]->memory_side());
        join(units_[i]->l1(), l1_[i]->up);
        if (s.fabric.reorder == core::sim_time{}) {
            join(l1_[i]->down, crossbar_->up(i));
            continue;
        }
        memory::data_fabric_spec f = s.fabric;
        f.line = s.l1.line;
        f.seed = s.fabric.seed + i;
        fabric_.push_back(std::make_unique<memory::data_fabric>(fmt::format("cu{}_fabric", i).c_str(), shared, f));
        join(l1_[i]->down, fabric_[i]->up);
        join(fabric_[i]->down, crossbar_->up(i));
    }
}

// `input`: the first one of the crossbar that is theirs.
void gpu_socket::build_arrays(const memory::resources& shared, const gpu_spec& s, request_profile& profile,
                              unsigned input) {
    if (!s.shader_array.present()) return;
    shader_array_spec a = s.shader_array;
    a.region = {s.kept_for_code().count / sizeof(std::uint64_t) * sizeof(std::uint64_t)};  // whole words of it
    code_ = std::make_unique<code_memory>(a, map_.base(number_) + map_.memory_for_pages().count);
    std::vector<std::uint8_t> code(a.region.count);
    code_memory::fill(code_->begin(), code);
    dram_->bytes().write(code_->begin(), code.data(), code.size());
    const auto add_cache = [&](std::vector<std::unique_ptr<memory::cache>>& to, const std::string& name,
                               memory::cache_spec c, memory::request_port& from) {
        c.cycle = s.cycle();
        c.level = memory::cache_level::l1;
        c.socket = number_;
        c.seed += to.size();
        to.push_back(std::make_unique<memory::cache>(name.c_str(), shared, c));
        join(from, to.back()->up);
        join(to.back()->down, crossbar_->up(input++));
    };
    for (unsigned i = 0; i < s.shader_arrays(); ++i) {
        const unsigned first = i * a.units;
        arrays_.push_back(
            std::make_unique<shader_array>(fmt::format("sa{}", i).c_str(), shared, a, number_, first, *code_, profile));
        for (unsigned u = first; u < std::min(s.units, first + a.units); ++u) units_[u]->join(*arrays_.back());
        add_cache(l1i_, fmt::format("sa{}_l1i", i), a.instructions, arrays_.back()->instructions);
        add_cache(l1s_, fmt::format("sa{}_l1s", i), a.scalars, arrays_.back()->scalars);
    }
}

void gpu_socket::build_memory(const memory::resources& shared, const gpu_spec& s) {
    memory::dram_spec d = s.dram;
    d.base = map_.base(number_);
    d.socket = number_;
    d.ports = s.l2.banks;
    dram_ = std::make_unique<memory::dram>("dram", shared, d);
    memory::cache_spec c = s.own_bank();
    c.cycle = s.cycle();
    c.level = memory::cache_level::l2;
    c.socket = number_;
    c.bank = banks_;
    for (unsigned i = 0; i < s.l2.banks; ++i) {
        c.seed = s.l2.bank.seed + i;
        l2_.push_back(std::make_unique<memory::cache>(fmt::format("l2_{}", i).c_str(), shared, c));
        join(crossbar_->down(i), l2_[i]->up);
        join(l2_[i]->down, dram_->up(i));
    }
}

void gpu_socket::build_rdma(const memory::resources& shared, const gpu_spec& s, net::network_if& net) {
    rdma_ = std::make_unique<rdma_engine>("rdma", shared, rdma_engine::spec{number_, link_ports_, s.rdma, s.cycle()},
                                          homes_, net);
    memory::cache_spec c = s.remote_bank(rdma_->ports());
    c.cycle = s.cycle();
    c.level = memory::cache_level::l2;
    c.socket = number_;
    c.bank = link_ports_;
    for (unsigned i = 0; i < rdma_->ports(); ++i) {
        memory::request_port& way_out = crossbar_->down(s.l2.banks + i);
        if (s.caches_remote()) {
            c.seed = s.l2.bank.seed + i;
            remote_.push_back(std::make_unique<memory::cache>(fmt::format("remote_{}", i).c_str(), shared, c));
            join(way_out, remote_[i]->up);
            join(remote_[i]->down, rdma_->to_l1(i));
        } else {
            join(way_out, rdma_->to_l1(i));
        }
        join(rdma_->to_l2(i), crossbar_->up(s.units + i));
    }
}

void gpu_socket::debug_access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, std::size_t length) {
    tlm::tlm_generic_payload trans;
    trans.set_command(command);
    trans.set_address(address);
    trans.set_data_ptr(data);
    trans.set_data_length(static_cast<unsigned>(length));
    trans.set_streaming_width(static_cast<unsigned>(length));
    if ((*client_ports_.front())->transport_dbg(trans) != length)
        throw std::out_of_range(fmt::format("{}: debug access to {} bytes at {:#x}", name(), length, address));
}

void gpu_socket::invalidate_copies() {
    each(l1_, [](memory::cache& c) { c.invalidate(); });
    each(l1s_, [](memory::cache& c) { c.invalidate(); });  // each launch has its own arguments
    each(remote_, [](memory::cache& c) { c.invalidate(); });
}

bool gpu_socket::control(core::control_verb verb) {
    bool done = false;
    switch (verb) {
    case core::control_verb::pause:
    case core::control_verb::drain:
    case core::control_verb::enable:  // only units begin work; the other parts must finish it
        each(units_, [&](compute_unit& u) { done |= u.control(verb); });
        return done;
    case core::control_verb::invalidate:
        invalidate_copies();
        if (translation_) {
            translation_->control(verb);
            each(units_, [&](compute_unit& u) { u.memory_side().translator()->tlb().control(verb); });
        }
        return true;
    case core::control_verb::flush: each(l2_, [&](memory::cache& c) { done |= c.control(verb); }); return done;
    case core::control_verb::reset: reset(); return true;
    }
    return false;
}

void gpu_socket::reset() {
    constexpr auto verb = core::control_verb::reset;
    each(units_, [](compute_unit& u) { u.control(verb); });
    if (translation_) translation_->control(verb);
    each(client_ports_, [](memory::request_port& p) { p.reset(); });
    each(arrays_, [](shader_array& a) { a.control(verb); });
    for (const auto* caches : {&l1_, &l1i_, &l1s_, &l2_, &remote_})
        each(*caches, [](memory::cache& c) { c.control(verb); });
    crossbar_->control(verb);
    each(fabric_, [](memory::data_fabric& f) { f.control(verb); });
    dram_->control(verb);
    if (rdma_) rdma_->control(verb);
    each(checkers_, [](memory::protocol_checker& c) { c.reset(); });
}

bool gpu_socket::idle() const {
    bool rest =
        crossbar_->idle() && dram_->idle() && (!rdma_ || rdma_->idle()) && (!translation_ || translation_->idle());
    each(units_, [&](const compute_unit& u) { rest &= u.idle(); });
    each(arrays_, [&](const shader_array& a) { rest &= a.idle(); });
    for (const auto* caches : {&l1_, &l1i_, &l1s_, &l2_, &remote_})
        each(*caches, [&](const memory::cache& c) { rest &= c.idle(); });
    each(fabric_, [&](const memory::data_fabric& f) { rest &= f.idle(); });
    return rest;
}

void gpu_socket::report_waits(std::vector<core::wait_edge>& edges) const {
    each(units_, [&](const compute_unit& u) { u.report_waits(edges); });
    if (translation_) translation_->report_waits(edges);
    each(arrays_, [&](const shader_array& a) { a.report_waits(edges); });
    for (const auto* caches : {&l1_, &l1i_, &l1s_})
        each(*caches, [&](const memory::cache& c) { c.report_waits(edges); });
    crossbar_->report_waits(edges);
    // The crossbar doesn't know which component delays its answers: it waits for those below it that wait.
    const auto below = [&](const std::string& name, const core::waiter_if& waiter) {
        const std::size_t before = edges.size();
        waiter.report_waits(edges);
        if (edges.size() > before) edges.push_back({crossbar_->name(), "answers", name, edges[before].since});
    };
    each(l2_, [&](const memory::cache& c) { below(c.name(), c); });
    each(remote_, [&](const memory::cache& c) { below(c.name(), c); });
    if (rdma_) below(rdma_->name(), *rdma_);
    each(fabric_, [&](const memory::data_fabric& f) { f.report_waits(edges); });
    dram_->report_waits(edges);
}

void gpu_socket::check(observe::conservation& checks) const {
    each(units_, [&](const compute_unit& u) { u.check(checks); });
    each(arrays_, [&](const shader_array& a) { a.check(checks); });
    for (const auto* caches : {&l1_, &l1i_, &l1s_, &l2_, &remote_})
        each(*caches, [&](const memory::cache& c) { c.check(checks); });
    if (translation_) translation_->check(checks);
    crossbar_->check(checks);
    if (rdma_) rdma_->check(checks);
    each(fabric_, [&](const memory::data_fabric& f) { f.check(checks); });
    dram_->check(checks);
    for (const auto& c : checkers_)
        checks.check(fmt::format("{}: rules of the base protocol kept", c->name()), "violations", 0,
                     c->violations().size());
}

std::uint64_t gpu_socket::outstanding() const {
    std::uint64_t sum = 0;
    each(units_, [&](const compute_unit& u) { sum += u.outstanding(); });
    return sum;
}

}  // namespace contraflow::gpu
