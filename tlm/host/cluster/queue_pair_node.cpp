// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/queue_pair_node.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::host {
namespace {

using nic::memory_space;

constexpr std::uint64_t page_of(memory_space s) { return 1ull << nic::page_bits(s); }
constexpr std::uint64_t words_of_an_entry = nic::work_entry_bytes / sizeof(std::uint64_t);

}  // namespace

queue_pair_node::queue_pair_node(const sc_core::sc_module_name& name, unsigned number, const queue_pair_node_spec& s,
                                 const resources& r)
    : sc_core::sc_module(name),
      spec_(config::buildable(s)),
      number_(number),
      memory_(s.memory.count),
      tree_(s, s.fabric, {r.events, r.statistics, memory_.all(), *this, *this},
            {gpu::pcie_gpu::place_of(s.gpu.values),
             [&](const host_tree::site& at) {
                 auto made = std::make_unique<gpu::pcie_gpu>(at.name.c_str(), at.bus, at.packets, at.function, at.place,
                                                             s.gpu.values);
                 gpu_ = made.get();
                 return made;
             }},
            {nic::queue_pair_nic::place(s.nic),
             [&](const host_tree::site& at) {
                 auto made = std::make_unique<nic::queue_pair_nic>(
                     at.name.c_str(),
                     nic::queue_pair_nic::resources{at.bus, at.packets, r.port, r.packets,
                                                    static_cast<std::uint16_t>(number)},
                     at.function, at.place, s.nic);
                 nic_ = made.get();
                 return made;
             }}),
      driver_(std::make_unique<queue_pair_driver>(tree_.host(), *nic_)),
      control_(gpu_->control_page()),
      doorbells_(gpu_->map_io<std::uint64_t>(nic_->register_address(0, nic::queue_pair_nic::queue_register::doorbell),
                                             s.nic.queues * nic::queue_pair_nic::page / sizeof(std::uint64_t))),
      host_window_(gpu_->map_io<std::uint64_t>(host_tree::host_base, memory_.size() / sizeof(std::uint64_t))),
      failures_(r.statistics, std::string(this->name()) + ".failures", "interrupts",
                "interrupts for queue pairs that have failed") {
    open();
}

// The driver, when it loads and after a reset.
void queue_pair_node::open() {
    nic_->configure_msi({host_tree::interrupt_address, nic::queue_pair_nic::failed_vector});
    control_key_ = driver_->register_memory({memory_space::host,
                                             control_.address(),
                                             {gpu_->control_address()},
                                             gpu::ppb_control_page,
                                             {.remote_write = true}});
}

// ---- memory

host_memory_full::host_memory_full(const std::string& node, core::bytes has, core::bytes left, core::bytes wanted)
    : std::invalid_argument(fmt::format("{}: the host has {} left of {}, and {} are asked for", node,
                                        core::to_text(left), core::to_text(has), core::to_text(wanted))),
      has_(has),
      needed_{has.count - left.count + wanted.count} {}

std::uint64_t queue_pair_node::reserve_host(std::uint64_t bytes) {
    const std::uint64_t whole = nic::whole_pages(memory_space::host, bytes);
    if (whole > memory_.size() - host_used_)
        throw host_memory_full(name(), {memory_.size()}, {memory_.size() - host_used_}, {whole});
    const std::uint64_t at = host_used_;
    host_used_ += whole;
    return host_tree::host_base + at;
}

std::span<std::uint8_t> queue_pair_node::host_bytes(std::uint64_t bus_address, std::uint64_t bytes) {
    const std::uint64_t at = bus_address - host_tree::host_base;
    if (at > memory_.size() || bytes > memory_.size() - at)
        throw std::out_of_range(
            fmt::format("{}: {} bytes at {:#x} are not in the host's memory", name(), bytes, bus_address));
    return memory_.all().subspan(at, bytes);
}

queue_pair_driver::handle queue_pair_node::register_gpu(std::uint64_t address, std::uint64_t bytes,
                                                        nic::access_rights rights) {
    const bool large = spec_.gpu.values.page_size.count >= page_of(memory_space::gpu0);
    const memory_space space = large ? memory_space::gpu0 : memory_space::host;
    std::vector<std::uint64_t> pages;
    for (std::uint64_t at = 0; at < bytes; at += page_of(space)) pages.push_back(gpu_->bus_address(address + at));
    return driver_->register_memory({space, address, std::move(pages), bytes, rights});
}

queue_pair_driver::handle queue_pair_node::register_host(std::uint64_t bus_address, std::uint64_t bytes,
                                                         nic::access_rights rights) {
    host_bytes(bus_address, bytes);  // or throws
    std::vector<std::uint64_t> pages;
    for (std::uint64_t at = 0; at < bytes; at += host_page) pages.push_back(bus_address + at);
    return driver_->register_memory({memory_space::host, bus_address, std::move(pages), bytes, rights});
}

// ---- queue pairs

// Pages of an allocation that get their places one after the other are adjacent in the GPU's memory, as the NIC needs.
gpu::array<std::uint64_t> queue_pair_node::ring_in(ring_place where, std::uint64_t words, std::uint64_t& bus_address) {
    const std::uint64_t bytes = words * sizeof(std::uint64_t);
    if (where == ring_place::host) {
        bus_address = reserve_host(bytes);
        return host_array<std::uint64_t>(bus_address, words);
    }
    const auto ring = gpu_->memory().allocate<std::uint64_t>(words, memory::memory_type::uncached);
    bus_address = gpu_->bus_address(ring.address());
    const std::uint64_t page = spec_.gpu.values.page_size.count;
    for (std::uint64_t at = page; at < bytes; at += page) gpu_->bus_address(ring.address() + at);
    return ring;
}

queue_pair_end queue_pair_node::make_end(const ring_sizes& sizes) {
    if (ends_ == spec_.nic.queues)
        throw std::invalid_argument(fmt::format("{}: all {} queue pairs of the NIC are in use", name(), ends_));
    queue_pair_end q;
    q.number = ends_;
    q.node = number_;
    q.sizes = sizes;
    q.rings.entries = sizes.entries;
    q.rings.completions = sizes.completions;
    q.entries = ring_in(sizes.entries_in, sizes.entries * words_of_an_entry, q.rings.entries_at);
    q.completions = ring_in(sizes.completions_in, sizes.completions * words_of_an_entry, q.rings.completions_at);
    q.doorbell = doorbells_.slice(ends_ * nic::queue_pair_nic::page / sizeof(std::uint64_t), 2);
    ++ends_;
    return q;
}

void queue_pair_node::clear_rings(const queue_pair_end& q) {
    const auto clear = [this](ring_place where, const gpu::array<std::uint64_t>& ring, std::uint64_t bus_address) {
        if (where == ring_place::gpu) return gpu_->memory().fill(ring, std::uint64_t{0});
        std::ranges::fill(host_bytes(bus_address, ring.size() * sizeof(std::uint64_t)), std::uint8_t{0});
    };
    clear(q.sizes.entries_in, q.entries, q.rings.entries_at);
    clear(q.sizes.completions_in, q.completions, q.rings.completions_at);
    gpu_->ppb().control(core::control_verb::invalidate);  // no entry of before the NIC's reset may be read again
}

void queue_pair_node::write_entry(const queue_pair_end& q, const nic::work_entry& e) {
    entry_bytes bytes{};
    e.encode(bytes);
    store_entry(q, e.number, bytes);
}

void queue_pair_node::store_entry(const queue_pair_end& q, std::uint32_t number, const entry_bytes& bytes) {
    const std::uint64_t place = (number - 1) % q.sizes.entries;
    if (q.sizes.entries_in == ring_place::gpu)
        gpu_->memory().write_bytes(q.entries.address(place * words_of_an_entry), std::as_bytes(std::span(bytes)));
    else
        std::ranges::copy(bytes, host_bytes(q.rings.entries_at + place * bytes.size(), bytes.size()).begin());
}

void queue_pair_node::post(const queue_pair_end& q, const nic::work_entry& e) {
    entry_bytes bytes{};
    e.encode(bytes);
    store_entry(q, e.number, bytes);
    if (spec_.nic.pushed_entries)
        driver_->doorbell(q.number, bytes);
    else
        driver_->doorbell(q.number, e.number);
}

std::optional<nic::queue_completion> queue_pair_node::completion(const queue_pair_end& q, std::uint32_t n) const {
    std::array<std::uint8_t, nic::queue_completion_bytes> bytes{};
    const std::uint64_t place = (n - 1) % q.sizes.completions;
    if (q.sizes.completions_in == ring_place::gpu)
        gpu_->memory().read_bytes(q.completions.address(place * words_of_an_entry),
                                  std::as_writable_bytes(std::span(bytes)));
    else
        std::copy_n(memory_.all().begin() + static_cast<std::ptrdiff_t>(q.rings.completions_at - host_tree::host_base +
                                                                        place * bytes.size()),
                    bytes.size(), bytes.begin());
    const auto c = nic::queue_completion::decode(bytes);
    if (c.number == 0 || c.phase != nic::queue_completion::phase_of(n, q.sizes.completions)) return std::nullopt;
    return c;
}

// ---- all of it

bool queue_pair_node::idle() const { return tree_.idle() && nic_->idle() && gpu_->idle(); }

bool queue_pair_node::control(core::control_verb verb) {
    using enum core::control_verb;
    if (verb != pause && verb != enable && verb != reset) return false;
    const bool done = tree_.control(verb);
    if (verb != reset) return done;
    driver_->reset();
    open();
    return done;
}

void queue_pair_node::check(observe::conservation& checks) const {
    tree().check(checks);
    nic_->check(checks);
    gpu_->check(checks);
}

}  // namespace contraflow::host
