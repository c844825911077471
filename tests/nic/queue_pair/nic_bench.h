// SPDX-License-Identifier: Apache-2.0
// Nodes with a NIC with queue pairs, a GPU that is only memory, and a host, joined by a switch with links of 100 Gb/s.
// The test is the software on the GPU: it writes entries into the GPU's memory and reads completions there. The host's
// driver registers memory, opens queue pairs and rings doorbells over PCIe.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "core/simulation.h"
#include "host/rdma/queue_pair_driver.h"
#include "nic/queue_pair/queue_pair_nic.h"
#include "nic/queue_pair/switched_network.h"
#include "pcie/device/memory_region.h"
#include "pcie/fabric/link_tree.h"
#include "support/wait_text.h"

namespace contraflow::nic::testing {

using core::sim_time;

struct bench_spec {
    queue_pair_spec nic;
    unsigned nodes = 2;
    switched_network_spec network;
    pcie::link_tree_spec fabric;
    std::uint32_t entries = 64, completions = 64;  // of the rings
    std::uint32_t first_sequence = 0xffff'fff0;    // the numbers wrap around

    bench_spec() {
        fabric.max_payload = {256};
        fabric.read_completion_boundary = {256};
        fabric.posted_data = fabric.completion_data = {16384};  // no limit below that of the wire
        fabric.non_posted_data = {4096};                        // AtomicOps carry data
    }
};

// The GPU's memory: notes writes in order of arrival, and can hold them back.
class watched_memory final : public pcie::region_if {
public:
    struct note {
        std::uint64_t offset = 0;
        std::uint32_t length = 0;
        sim_time at{};
    };
    watched_memory(core::scheduler& events, std::span<std::uint8_t> bytes) : events_(events), memory_(bytes) {}
    pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override {
        if (blocked) return pcie::access_result::busy;
        const pcie::byte_span span = pcie::span_of(packet);
        notes.push_back({offset, span.length, events_.now()});
        return memory_.write(offset, packet);
    }
    pcie::access_result request(pcie::inbound_request& r, const pcie::tlp& packet) override {
        if (fails) return pcie::access_result::aborted;
        return memory_.request(r, packet);
    }
    void fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override {
        memory_.fetch(r, from, to, length);
    }
    std::vector<note> notes;
    bool blocked = false, fails = false;

private:
    core::scheduler& events_;
    pcie::memory_region memory_;
};

class bench;

class node final : private pcie::requester_user_if, private pcie::interrupt_user_if, private message_observer_if {
public:
    static constexpr std::uint64_t data_bytes = 4u << 20, rings_at = data_bytes, ring_bytes = 1u << 16;
    static constexpr std::uint64_t gpu_bytes = 8u << 20;
    static constexpr std::uint64_t host_base = 0x1000'0000, host_bytes = 1u << 20, interrupt_at = 0xfee0'0000;
    static constexpr std::uint64_t base = 0x7000'0000'0000;  // virtual address of the data
    static constexpr std::uint64_t page = 4096;

    node(bench& of, unsigned number);

    std::uint8_t& at(std::uint64_t offset) { return gpu[place(offset)]; }
    // Of a byte of the data in the GPU's memory: pages are shuffled.
    std::uint64_t place(std::uint64_t offset) const { return pages[offset / page] * page + offset % page; }
    // Calls each(first, done, length) for each part that lies in one page, `done` bytes after `offset`.
    template <class Each> void in_pages(std::uint64_t offset, std::uint64_t length, Each each) {
        for (std::uint64_t done = 0, part = 0; done < length; done += part) {
            part = std::min(page - (offset + done) % page, length - done);
            each(&at(offset + done), done, part);
        }
    }
    void fill(std::uint64_t offset, std::uint64_t length, std::uint64_t seed) {
        std::mt19937_64 draw(seed);
        std::vector<std::uint64_t> drawn((length + 7) / 8);
        for (auto& word : drawn) word = draw();
        in_pages(offset, length, [&](std::uint8_t* first, std::uint64_t done, std::uint64_t part) {
            std::memcpy(first, reinterpret_cast<const char*>(drawn.data()) + done, part);
        });
    }
    std::vector<std::uint8_t> bytes(std::uint64_t offset, std::uint64_t length) {
        std::vector<std::uint8_t> all(length);
        in_pages(offset, length, [&](const std::uint8_t* first, std::uint64_t done, std::uint64_t part) {
            std::memcpy(all.data() + done, first, part);
        });
        return all;
    }
    std::uint64_t word(std::uint64_t offset) {
        std::uint64_t v = 0;
        for (unsigned i = 0; i < 8; ++i) v |= std::uint64_t{at(offset + i)} << 8 * i;
        return v;
    }
    void set_word(std::uint64_t offset, std::uint64_t v) {
        for (unsigned i = 0; i < 8; ++i) at(offset + i) = static_cast<std::uint8_t>(v >> 8 * i);
    }
    // Writes the next entry of a queue pair, and does not ring.
    std::uint32_t post(std::uint32_t queue, work_entry e) {
        e.number = ++posted[queue];
        e.encode(std::span<std::uint8_t, work_entry_bytes>(entry_at(queue, e.number), work_entry_bytes));
        return e.number;
    }
    void ring(std::uint32_t queue) { driver->doorbell(queue, posted[queue]); }
    void put(std::uint32_t queue, const work_entry& e) {
        post(queue, e);
        ring(queue);
    }
    // With the entry in the write that rings.
    void push(std::uint32_t queue, const work_entry& e) {
        const std::uint8_t* const here = entry_at(queue, post(queue, e));
        driver->doorbell(queue, std::span<const std::uint8_t, work_entry_bytes>(here, work_entry_bytes));
    }
    std::uint8_t* entry_at(std::uint32_t queue, std::uint32_t number);
    // Takes the completions that have arrived, and tells the NIC unless it is not to know.
    std::vector<queue_completion> take(std::uint32_t queue, bool tell = true);
    host::queue_pair_driver::rings rings_of(std::uint32_t queue) const;
    std::uint64_t gpu_address(std::uint64_t offset) const { return gpu_bar + offset; }
    void open_again();

    bench& of;
    const unsigned number;
    std::vector<std::uint8_t> gpu = std::vector<std::uint8_t>(gpu_bytes),
                              memory = std::vector<std::uint8_t>(host_bytes);
    std::vector<std::uint64_t> pages;
    pcie::topology nodes;
    std::unique_ptr<pcie::address_map> map;
    pcie::tlp_pool tlps{4096};
    std::unique_ptr<pcie::function> host_side, gpu_side;
    std::unique_ptr<queue_pair_nic> nic;
    std::unique_ptr<pcie::link_tree> tree;
    std::unique_ptr<watched_memory> watched;
    std::unique_ptr<pcie::memory_region> host_region;
    pcie::interrupt_window interrupts{*this};
    std::unique_ptr<host::queue_pair_driver> driver;
    host::queue_pair_driver::handle data;
    std::map<std::uint32_t, std::uint32_t> posted, taken;
    std::uint64_t gpu_bar = 0;
    unsigned failures = 0;  // interrupts
    std::vector<message_end> ends;

private:
    void finished(pcie::operation&) override {}
    void interrupt(std::uint64_t, std::uint32_t) override { ++failures; }
    void message_ended(const message_end& m) override { ends.push_back(m); }
};

class bench final {
public:
    explicit bench(const bench_spec& s = {}) : spec(s) {
        net = std::make_unique<switched_network>("net.", sim.events(), statistics, s.network, s.nodes);
        for (unsigned n = 0; n < s.nodes; ++n) all.push_back(std::make_unique<node>(*this, n));
        sim.run_to(sim_time::from_us(1));
        for (const auto& n : all) n->open_again();
    }
    node& operator[](unsigned n) { return *all[n]; }
    // Opens a queue pair at both ends.
    void connect(unsigned a, std::uint32_t qa, unsigned b, std::uint32_t qb) {
        host::queue_pair_driver::connect({*all[a]->driver, qa, all[a]->rings_of(qa), spec.first_sequence},
                                         {*all[b]->driver, qb, all[b]->rings_of(qb), spec.first_sequence + 77});
        sim.run();
    }
    work_entry write(unsigned from, std::uint64_t at, unsigned to, std::uint64_t there, std::uint32_t length) {
        work_entry e;
        e.signalled = true;
        e.local_address = node::base + at;
        e.local_key = all[from]->data.local_key;
        e.remote_address = node::base + there;
        e.remote_key = all[to]->data.remote_key;
        e.length = length;
        return e;
    }
    work_entry read(unsigned from, std::uint64_t at, unsigned to, std::uint64_t there, std::uint32_t length) {
        work_entry e = write(from, at, to, there, length);
        e.opcode = work_opcode::read;
        return e;
    }
    work_entry store(unsigned to, std::uint64_t there, std::uint64_t value, std::uint32_t length = 8) {
        work_entry e = write(to, 0, to, there, length);
        e.inline_data = true;
        for (unsigned i = 0; i < std::min(8u, length); ++i) e.data[i] = static_cast<std::uint8_t>(value >> 8 * i);
        return e;
    }
    work_entry add(unsigned from, std::uint64_t at, unsigned to, std::uint64_t there, std::uint64_t what) {
        work_entry e = write(from, at, to, there, 8);
        e.opcode = work_opcode::fetch_add;
        e.operand = what;
        return e;
    }
    work_entry swap(unsigned from, std::uint64_t at, unsigned to, std::uint64_t there, std::uint64_t compare,
                    std::uint64_t value) {
        work_entry e = add(from, at, to, there, value);
        e.opcode = work_opcode::compare_swap;
        e.compare = compare;
        return e;
    }
    std::string waits() {
        std::vector<core::wait_edge> edges;
        net->report_waits(edges);
        for (const auto& n : all) {
            n->nic->report_waits(edges);
            for (const core::waiter_if* w : n->tree->waiters()) w->report_waits(edges);
        }
        return contraflow::testing::wait_text(edges);
    }
    void expect_clean() {
        net->settle();
        observe::conservation checks;
        std::vector<const transport_port*> ports;
        for (const auto& n : all) {
            n->nic->check(checks);
            n->tree->check(checks);
            EXPECT_TRUE(n->nic->idle());
            EXPECT_EQ(n->tlps.in_flight(), 0u);
            ports.push_back(&n->nic->network());
        }
        net->check(checks, ports);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_EQ(net->packets().packets(), 0u);
        EXPECT_EQ(waits(), "");
    }
    // Everything, in mid-flight too.
    void reset() {
        for (const auto& n : all) {
            n->nic->control(core::control_verb::reset);
            n->tree->control(core::control_verb::reset);
            n->driver->reset();
        }
        EXPECT_EQ(net->packets().packets(), net->outstanding());  // the NICs hold none
        net->control(core::control_verb::reset);
        sim.run_to(sim.events().now() + sim_time::from_us(1));
    }
    // All statistics, as text.
    std::string report() {
        net->settle();
        std::string text;
        for (const observe::stat_row& r : statistics.rows(sim.events().now()))
            text += fmt::format("{} {} {}\n", r.path, r.metric, r.value);
        return text;
    }

    const bench_spec spec;
    core::simulation sim;
    observe::statistics statistics;
    std::unique_ptr<switched_network> net;
    std::vector<std::unique_ptr<node>> all;
};

inline node::node(bench& b, unsigned n) : of(b), number(n), pages(data_bytes / page) {
    std::iota(pages.begin(), pages.end(), 0);
    std::mt19937_64 draw(n + 1);
    std::shuffle(pages.begin(), pages.end(), draw);
    const auto add = [&](std::string name, pcie::node_kind kind, pcie::node_id parent) {
        pcie::topology_node t;
        t.name = fmt::format("{}{}", name, n);
        t.kind = kind;
        t.link = {3, 16};
        return nodes.add(t, parent);
    };
    using enum pcie::node_kind;
    const auto root = add("rc", root_complex, pcie::no_node);
    const auto host_node = add("host", endpoint, root);
    const auto sw = add("switch", pcie_switch, root);
    const auto gpu_node = add("gpu", endpoint, sw);
    const auto nic_node = add("nic", endpoint, sw);
    std::vector<pcie::function_spec> places(nodes.size());
    places[host_node].fixed = {{host_base, host_bytes}, {interrupt_at, 4096}};
    places[gpu_node].bars = {{{gpu_bytes}, true, "memory"}};
    places[nic_node] = queue_pair_nic::place(b.spec.nic);
    map = std::make_unique<pcie::address_map>(nodes, places);
    const pcie::port::resources shared{b.sim.events(), b.statistics};
    tree = std::make_unique<pcie::link_tree>(
        shared, tlps, *map, b.spec.fabric,
        [&](pcie::node_id id, std::uint32_t, const std::string& name,
            const pcie::port::spec& line) -> pcie::device_if& {
            pcie::function::spec f;
            f.link = line;
            f.latency = b.spec.fabric.endpoint_latency;
            f.requests.max_payload = static_cast<std::uint32_t>(b.spec.fabric.max_payload.count);
            f.requests.max_read_request = static_cast<std::uint32_t>(b.spec.fabric.max_read_request.count);
            f.requests.tags = b.spec.fabric.tags;
            f.answers.read_completion_boundary =
                static_cast<std::uint32_t>(b.spec.fabric.read_completion_boundary.count);
            if (id == nic_node) {
                nic = std::make_unique<queue_pair_nic>(name.c_str(),
                                                       queue_pair_nic::resources{shared, tlps, b.net->port(n),
                                                                                 b.net->packets(),
                                                                                 static_cast<std::uint16_t>(n)},
                                                       f, map->at(id), b.spec.nic);
                return *nic;
            }
            auto& made = id == gpu_node ? gpu_side : host_side;
            made = std::make_unique<pcie::function>(name.c_str(), shared, tlps, f, map->at(id),
                                                    static_cast<pcie::requester_user_if&>(*this));
            return *made;
        });
    watched = std::make_unique<watched_memory>(b.sim.events(), gpu);
    gpu_side->map_bar(0, *watched);
    host_region = std::make_unique<pcie::memory_region>(memory);
    host_side->map_fixed(0, *host_region);
    host_side->map_fixed(1, interrupts);
    gpu_bar = map->at(gpu_node).bars[0].base;
    driver = std::make_unique<host::queue_pair_driver>(*host_side, *nic);
    nic->set_observer(this);
}

// After the start, and after a reset: registers the data.
inline void node::open_again() {
    nic->configure_msi({interrupt_at, 0});
    std::vector<std::uint64_t> places;
    for (const std::uint64_t p : pages) places.push_back(gpu_address(p * page));
    data = driver->register_memory({memory_space::host, base, places, 0, {true, true, true, true}});
    posted.clear();
    taken.clear();
    std::fill(gpu.begin() + rings_at, gpu.end(), std::uint8_t{0});
    of.sim.run();
}

inline host::queue_pair_driver::rings node::rings_of(std::uint32_t queue) const {
    const std::uint64_t at = rings_at + queue * ring_bytes;
    return {gpu_address(at), gpu_address(at + ring_bytes / 2), of.spec.entries, of.spec.completions};
}

inline std::uint8_t* node::entry_at(std::uint32_t queue, std::uint32_t n) {
    return gpu.data() + rings_at + queue * ring_bytes + (n - 1) % of.spec.entries * work_entry_bytes;
}

inline std::vector<queue_completion> node::take(std::uint32_t queue, bool tell) {
    std::vector<queue_completion> all;
    for (;;) {
        const std::uint32_t next = taken[queue] + 1;
        const std::uint64_t at =
            rings_at + queue * ring_bytes + ring_bytes / 2 + (next - 1) % of.spec.completions * queue_completion_bytes;
        const auto c = queue_completion::decode(
            std::span<const std::uint8_t, queue_completion_bytes>(gpu.data() + at, queue_completion_bytes));
        if (c.number == 0 || c.phase != queue_completion::phase_of(next, of.spec.completions)) break;
        all.push_back(c);
        ++taken[queue];
    }
    if (tell && !all.empty()) driver->consumed(queue, taken[queue]);
    return all;
}

}  // namespace contraflow::nic::testing
