// SPDX-License-Identifier: Apache-2.0
// A node: host memory behind a root complex, a GPU, and a NIC near them, all on PCIe Gen2 x8. The test acts as the
// driver: it writes descriptors into host memory and rings the doorbell over PCIe. Packets that leave towards the
// torus are kept, and compared with the data that was sent.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "core/little_endian.h"
#include "core/simulation.h"
#include "host/cluster/node_tree.h"
#include "nic/receive/receive_pipeline.h"
#include "nic/transmit/table_core.h"
#include "support/wait_text.h"

namespace contraflow::nic::testing {

using placing = host::nic_place;

struct node_spec {
    placing where = placing::beside_gpu;
    gpu::peer_spec gpu;
    transmit_spec transmit;
    table_core::spec core;
    pcie::timed_reads::spec host{core::sim_time::from_ns(200), core::bandwidth::from_gb_per_s(20), 64};
    std::uint32_t tags = 32;
    std::uint32_t max_read_request = 512;
    core::sim_time completion_timeout = core::sim_time::from_us(500);
    receive_spec receive;
    receive_port::spec port;
    datapath_factory make_receive = make_hardware_datapath;
    const core_factory* make_core = nullptr;  // none: a table with the times of `core`
    bool loop_back = false;                   // packets return to the receive side; else they are kept
    std::size_t sink_depth = 4;               // packets
    host::node_links_spec fabric;

    node_spec() {
        gpu.memory = {2u << 20};
        gpu.aperture = {2u << 20};
        fabric.read_completion_boundary = {128};
    }
    host::rdma_node_spec whole() const {
        host::rdma_node_spec s;
        s.nic_at = where;
        s.gpu.values = gpu;
        s.transmit = transmit;
        s.core = core;
        s.reads = host;
        s.receive = receive;
        s.port = port;
        s.fabric = fabric;
        s.fabric.tags = tags;
        s.fabric.max_read_request = {max_read_request};
        s.fabric.completion_timeout = completion_timeout;
        return s;
    }
};

class transmit_node final : private core::channel_receiver_if<torus_packet>,
                            private pcie::requester_user_if,
                            private pcie::interrupt_user_if {
public:
    static constexpr std::uint64_t host_bytes = 4u << 20, ring_at = 0, completions_at = 1u << 20, data_at = 2u << 20;
    static constexpr std::uint32_t entries = 4096;
    static constexpr std::uint64_t gpu_virtual = 0x7000'0000'0000;
    static constexpr std::uint16_t process = 5;
    static constexpr position here{1, 0, 0}, there{2, 1, 0};

    node_spec spec;
    core::simulation sim;
    observe::statistics statistics;
    std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(host_bytes);  // the host's memory

private:
    host::node_tree all_;

public:
    const pcie::topology& nodes = all_.nodes();
    const pcie::tlp_pool& pool = all_.pool();
    gpu::peer_gpu* const gpu = &all_.gpu();
    pcie::function* const host = &all_.host();
    rdma_nic* const nic = &all_.nic();
    pcie::link_tree* const tree = &all_.links();
    std::unique_ptr<core::channel<torus_packet>> out, requests;
    struct left {
        packet_header header;
        std::vector<std::uint8_t> payload;
        core::sim_time at{};
    };
    std::deque<left> packets;  // packets that have left
    unsigned bad_packets = 0;  // packets with a wrong CRC, or padded with anything but zeros
    bool blocked = false;      // the torus takes nothing
    unsigned interrupts = 0, receive_interrupts = 0;
    std::function<void(std::uint32_t vector)> on_interrupt;
    std::uint32_t posted = 0;          // descriptors
    std::vector<std::uint64_t> pages;  // pages of the GPU buffer, in GPU memory

    explicit transmit_node(const node_spec& s)
        : spec(s),
          all_(s.whole(), here, {sim.events(), statistics, memory, *this, *this}, {spec.make_receive, spec.make_core}) {
        const auto to_torus = [this](const char* path) {
            core::channel_spec c;
            c.path = path;
            c.depth = spec.sink_depth;
            return std::make_unique<core::channel<torus_packet>>(
                sim.events(), c, core::channel<torus_packet>::sender{nic->transmit(), 0, "nic.transmit"},
                spec.loop_back ? core::channel<torus_packet>::receiver{nic->port(), 0, "nic.receive"}
                               : core::channel<torus_packet>::receiver{*this, 0, "torus"});
        };
        out = to_torus("to_torus");
        requests = to_torus("requests");
        nic->transmit().connect(*out, *requests);
        if (spec.loop_back) {
            nic->port().connect(*out);
            nic->port().connect(*requests);
        }
        std::mt19937_64 draw(1);
        fill(gpu->memory().bytes(), draw);
        fill(std::span(memory).subspan(data_at), draw);
        gpu->memory().let(0, spec.gpu.memory.count, 3);
        sim.run_to(core::sim_time::from_us(1));
        open();
        sim.run();
    }

    // Acts as the driver when it loads: answer window and attachment, registered GPU buffer, the ring.
    void open() {
        open_gpu();
        place_ring(host_base + ring_at);
        all_.attach();
        posted = 0;
    }
    void open_gpu() { all_.open(); }
    // Of all of PCIe, the memory of the host and the way to the torus.
    bool reset() {
        out->reset();
        requests->reset();
        return all_.control(core::control_verb::reset);
    }
    void place_ring(std::uint64_t address) {
        to_nic(nic_register::ring_low, static_cast<std::uint32_t>(address));
        to_nic(nic_register::ring_high, static_cast<std::uint32_t>(address >> 32));
        to_nic(nic_register::completions_low, static_cast<std::uint32_t>(host_base + completions_at));
        to_nic(nic_register::completions_high, 0);
        to_nic(nic_register::ring_entries, entries);
    }
    void host_write(std::uint64_t address, std::uint64_t value, unsigned length) { write(address, value, length); }
    // Maps the virtual pages of the GPU buffer, shuffled, and into BAR1 in order.
    void register_gpu() {
        const std::uint64_t count = spec.gpu.memory.count / gpu::peer_page;
        for (std::uint64_t i = 0; i < count; ++i) pages.push_back((i * 5 + 3) % count * gpu::peer_page);
        const bool aperture = spec.transmit.reading == gpu_reading::bar1;
        const auto places = aperture ? map_pages() : pages;
        const std::uint64_t first = gpu_virtual / gpu::peer_page, root = gpu_root + (aperture ? aperture_tables : 0);
        for (std::uint64_t i = 0; i < count; ++i) {
            constexpr auto space = memory_space::gpu0;
            auto& tables = nic->tables();
            tables.set_entry(entry_address(space, root, first + i, 0), (gpu_root + 0x40000) | table_valid);
            tables.set_entry(entry_address(space, gpu_root + 0x40000, first + i, 1),
                             (gpu_root + 0x80000) | table_valid);
            tables.set_entry(entry_address(space, gpu_root + 0x80000, first + i, 2), places[i] | table_valid);
        }
        set_gpu_buffer();
    }
    // After a reset, which has taken all pages out of BAR1: maps them at the same places.
    void register_gpu_again() {
        if (spec.transmit.reading == gpu_reading::bar1) map_pages();
        set_gpu_buffer();
    }
    // May be read; nothing is put there.
    void set_gpu_buffer() {
        nic->set_buffer(0, {true, process, gpu_virtual, spec.gpu.memory.count, memory_space::gpu0, false, gpu_root, 0});
    }
    void post(const descriptor& d) {
        std::array<std::uint8_t, descriptor::size> bytes;
        d.encode(bytes);
        post_bytes(bytes);
    }
    void post_bytes(const std::array<std::uint8_t, descriptor::size>& bytes) {
        std::ranges::copy(bytes, memory.begin() + static_cast<long>(ring_at + posted++ % entries * descriptor::size));
    }
    void ring_doorbell() { to_nic(nic_register::doorbell, posted); }
    static descriptor put(memory_space space, std::uint64_t source, std::uint32_t length, std::uint16_t tag) {
        descriptor d;
        d.space = space;
        d.process = process;
        d.length = length;
        d.source = source;
        d.address = 0x1234'0000 + source % 65536;
        d.tag = tag;
        d.notify = true;
        d.target = there;
        return d;
    }
    void put_gpu(std::uint64_t offset, std::uint32_t length, std::uint16_t tag = 1) {
        const descriptor d = put(memory_space::gpu0, gpu_virtual + offset, length, tag);
        expected_.push_back({tag, d.address, gpu_bytes(offset, length)});
        post(d);
    }
    // Cut as the driver cuts it: at pages; the last packet notifies.
    void put_host(std::uint64_t offset, std::uint32_t length, std::uint16_t tag = 1) {
        const auto begin = memory.begin() + static_cast<long>(data_at + offset);
        expected_.push_back({tag, 0x5000'0000, {begin, begin + length}});
        for (std::uint64_t at = 0; at < length;) {
            const std::uint64_t from = host_base + data_at + offset + at;
            const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(length - at, 4096 - from % 4096));
            descriptor d = put(memory_space::host, from, part, tag);
            d.address = 0x5000'0000 + at;
            at += part;
            d.notify = at == length;
            post(d);
        }
    }
    std::vector<std::uint8_t> gpu_bytes(std::uint64_t offset, std::uint32_t length) {
        std::vector<std::uint8_t> all(length);
        for (std::uint32_t i = 0; i < length; ++i)
            all[i] = gpu->memory().bytes()[pages[(offset + i) / gpu::peer_page] + (offset + i) % gpu::peer_page];
        return all;
    }
    transmit_completion completion(std::uint32_t number) const {
        return transmit_completion::decode(std::span<const std::uint8_t, transmit_completion::size>(
            memory.data() + completions_at + number % entries * transmit_completion::size, transmit_completion::size));
    }
    // Every put has left, each message in order and whole; its completion says so.
    void expect_sent() {
        std::vector<std::uint8_t> got;
        std::size_t next = 0;
        EXPECT_EQ(bad_packets, 0u);
        for (const message& m : expected_) {
            const auto& [tag, address, bytes] = m;
            got.clear();
            while (got.size() < bytes.size() && next < packets.size()) {
                const left& p = packets[next++];
                EXPECT_EQ(p.header.tag, tag);
                EXPECT_EQ(p.header.source, here);
                EXPECT_EQ(p.header.target, there);
                EXPECT_EQ(p.header.process, process);
                EXPECT_EQ(p.header.address, address + got.size());
                got.insert(got.end(), p.payload.begin(), p.payload.end());
                EXPECT_EQ(p.header.notify, got.size() == bytes.size());
            }
            EXPECT_TRUE(got == bytes) << "message " << tag;
        }
        EXPECT_EQ(next, packets.size());
        for (std::uint32_t i = 0; i < posted; ++i) {
            EXPECT_EQ(completion(i).sequence, i + 1);
            EXPECT_EQ(completion(i).status, transmit_status::done);
        }
        EXPECT_GT(interrupts, 0u);
        expect_clean();
    }
    void expect_clean() {
        observe::conservation checks;
        tree->check(checks);
        nic->check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_TRUE(nic->transmit().idle());
        EXPECT_EQ(waits(), "");
    }
    void drop_expected() { expected_.clear(); }
    std::string waits() const {
        std::vector<core::wait_edge> edges;
        nic->report_waits(edges);
        gpu->report_waits(edges);
        out->report_waits(edges);
        requests->report_waits(edges);
        return contraflow::testing::wait_text(edges);
    }
    void unblock() {
        blocked = false;
        out->resume();
        requests->resume();
    }
    // Bytes per second of payload, from the first packet that has left to the last.
    double rate() const {
        std::uint64_t bytes = 0;
        for (std::size_t i = 1; i < packets.size(); ++i) bytes += packets[i].payload.size();
        return static_cast<double>(bytes) / (packets.back().at - packets.front().at).seconds();
    }
    // The port that sends towards or from the NIC.
    const pcie::port& nic_port(bool up) const { return tree->sender({*nodes.find("nic"), up}); }

    static constexpr std::uint64_t host_base = host::node_tree::host_base;
    static constexpr std::uint64_t gpu_root = 0x20'0000;  // root of its page table

private:
    static void fill(std::span<std::uint8_t> bytes, std::mt19937_64& draw) {
        for (std::size_t i = 0; i < bytes.size(); i += 8) {
            const std::uint64_t word = draw();
            std::memcpy(bytes.data() + i, &word, sizeof word);
        }
    }
    std::vector<std::uint64_t> map_pages() {
        std::vector<std::uint64_t> places;
        for (const std::uint64_t page : pages) {
            const auto m = gpu->bar1().map(page, gpu::peer_page);
            places.push_back(m->offset);
            sim.run_to(m->ready);
        }
        return places;
    }
    void to_gpu(gpu::peer_register r, std::uint64_t value) {
        write(gpu->registers_of(0) + static_cast<std::uint64_t>(r), value, 8);
    }
    void to_nic(nic_register r, std::uint32_t value) { write(nic->register_address(r), value, 4); }
    void write(std::uint64_t address, std::uint64_t value, unsigned length) {
        auto& w = writes_.emplace_back();
        core::store_le<std::uint64_t>(w.bytes, value);
        w.what.kind = pcie::operation_kind::write;
        w.what.address = address;
        w.what.length = length;
        w.what.buffer = w.bytes;
        host->start(w.what);
    }
    bool can_take(unsigned, const torus_packet&) override { return !blocked; }
    void take(unsigned, torus_packet p) override {
        left l;
        l.at = sim.events().now();
        l.header = packet_header::decode(std::span<const std::uint8_t, word_bytes>(p.data(), word_bytes));
        const std::size_t footer = p.size() - word_bytes;
        bad_packets += checksum({p.data(), footer}) != core::load_le<std::uint32_t>(p.data() + footer);
        bad_packets += p.size() != std::size_t{words_of(l.header.length)} * word_bytes;
        bad_packets += !std::all_of(p.begin() + word_bytes + l.header.length, p.begin() + static_cast<long>(footer),
                                    [](std::uint8_t b) { return b == 0; });
        l.payload.assign(p.begin() + word_bytes, p.begin() + word_bytes + l.header.length);
        packets.push_back(std::move(l));
    }
    void interrupt(std::uint64_t, std::uint32_t vector) override {
        if (vector == 0) ++interrupts;
        if (vector == 1) ++receive_interrupts;
        if (on_interrupt) on_interrupt(vector);
    }
    void finished(pcie::operation&) override {}

    struct small_write {
        pcie::operation what;
        std::uint8_t bytes[64] = {};
    };
    std::deque<small_write> writes_;
    struct message {
        std::uint16_t tag = 0;
        std::uint64_t address = 0;
        std::vector<std::uint8_t> bytes;
    };
    std::vector<message> expected_;
};

}  // namespace contraflow::nic::testing
