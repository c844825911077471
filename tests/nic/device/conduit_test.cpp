// SPDX-License-Identifier: Apache-2.0
// A NIC's receive port and the datapath behind it as a conduit from the torus: puts are a stream, which arrives in the
// host's memory over PCIe, and get requests another, which arrives in the core.
#include <array>
#include <cstring>
#include <map>
#include <memory>

#include <gmock/gmock.h>

#include "nic/device/receive_port.h"
#include "nic/receive/receive_pipeline.h"
#include "nic/receive_conduit.h"
#include "pcie/fabric/link_tree.h"
#include "pcie/tlm/functions.h"

namespace port_conduit_test {

using namespace contraflow;
using namespace contraflow::nic;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_instance;

class port_conduit final : public contraflow::testing::conduit,
                           private core::channel_sender_if<torus_packet>,
                           private receive_user_if,
                           private pcie::requester_user_if,
                           private pcie::region_if {
public:
    port_conduit(const receive_spec& s, std::uint32_t writes, std::uint32_t headers)
        : spec_(s),
          nodes_(pcie::testing::two_functions()),
          map_(nodes_, places(nodes_)),
          tables_(s.buffers) {
        pcie::fabric_spec fabric;
        fabric.posted_headers = headers;
        tree_ = std::make_unique<pcie::link_tree>(
            pcie::port::resources{sim.events(), statistics_}, packets_, map_, fabric,
            [&](pcie::node_id id, std::uint32_t, const std::string& name, const pcie::port::spec& line) -> auto& {
                pcie::function::spec f;
                f.link = line;
                all_.push_back(std::make_unique<pcie::function>(
                    name.c_str(), pcie::port::resources{sim.events(), statistics_}, packets_, f, map_.at(id),
                    static_cast<pcie::requester_user_if&>(*this)));
                return static_cast<pcie::device_if&>(*all_.back());
            });
        all_[1]->map_bar(0, *this);
        base_ = map_.at(nodes_.endpoints()[1]).bars[0].base;
        constexpr auto host = memory_space::host;
        std::map<std::uint64_t, std::uint64_t> entries;
        for (std::uint64_t a = base_; a < base_ + size; a += 1ull << page_bits(host)) {
            const std::uint64_t number = a >> page_bits(host);
            entries[entry_address(host, 0x10000, number, 0)] = 0x20001;
            entries[entry_address(host, 0x20000, number, 1)] = 0x40001;
            entries[entry_address(host, 0x40000, number, 2)] = a | 1;
        }
        for (const auto& [address, value] : entries) tables_.set_entry(address, value);
        tested_ = std::make_unique<receive_port>(sim.events(), statistics_, *all_[0], tables_,
                                                 receive_port::spec{writes, core::sim_time::from_ns(100)},
                                                 static_cast<receive_user_if&>(*this), "nic.receive.dma");
        datapath_ = make_hardware_datapath({sim.events(), "nic.receive", spec_, node_, *tested_, tables_, statistics_});
        core::channel_spec c;
        c.depth = 0;
        c.item = "a packet";
        torus_ = std::make_unique<core::channel<torus_packet>>(
            sim.events(), c, core::channel<torus_packet>::sender{*this, 0, "torus"},
            core::channel<torus_packet>::receiver{*tested_, 0, "nic.receive"});
        tested_->connect(*datapath_);
        tested_->connect(*torus_);
        set_up();
    }
    unsigned streams() const override { return kinds; }
    bool offer(unsigned n, std::uint64_t number) override {
        packet_header h;
        h.length = get_request_payload;
        h.kind = static_cast<std::uint8_t>(n == puts ? packet_kind::put : packet_kind::get_request);
        h.process = 1;
        h.address = base_ + number * get_request_payload % size;
        std::array<std::uint8_t, get_request_payload> payload{};
        std::memcpy(payload.data(), &number, sizeof number);
        refused_[n] = !torus_->try_push(packet_words(h, payload));
        in_ += !refused_[n];
        return !refused_[n];
    }
    void resume(unsigned n) override {
        n == puts ? all_[1]->resume(pcie::credit_class::posted) : tested_->message_room();
    }
    void reset() override {
        dropped_ += held();
        tree_->control(core::control_verb::reset);
        datapath_->control(core::control_verb::reset);
        tested_->reset();
        torus_->reset();
        refused_ = {};
        set_up();
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    std::uint64_t held() const override { return in_ - out_ - dropped_; }
    std::uint64_t dropped() const override { return dropped_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        torus_->report_waits(edges);
        datapath_->report_waits(edges);
        tested_->report_waits(edges);
        for (const core::waiter_if* w : tree_->waiters()) w->report_waits(edges);
    }
    std::string sender(unsigned) const override { return "torus"; }
    std::string receiver(unsigned n) const override {
        return n == puts ? all_[1]->link().name() : std::string("nic.receive.mailbox");
    }
    std::string broken() override {
        std::string text = wrong_;
        observe::conservation checks;
        datapath_->check(checks);
        tree_->check(checks);
        for (const auto& c : checks.checks())
            if (held() == 0 && !c.held()) text += c.name + "\n";
        return text;
    }

private:
    static constexpr unsigned puts = 0, gets = 1, kinds = 2;
    static constexpr std::uint64_t size = 1u << 16;
    static std::vector<pcie::function_spec> places(const pcie::topology& t) {
        std::vector<pcie::function_spec> all(t.size());
        for (const pcie::node_id id : t.endpoints()) all[id].bars = {{{size}, true, "memory"}};
        return all;
    }
    void set_up() { datapath_->set_buffer(0, {true, 1, base_, size, memory_space::host, true, 0x10000, 0}); }
    bool arrive(unsigned n, const std::uint8_t* bytes) {
        if (!user->may_take(n)) return false;
        std::uint64_t number = 0;
        std::memcpy(&number, bytes, sizeof number);
        ++out_;
        user->arrived(n, number);
        return true;
    }
    // The torus: streams take turns.
    void channel_ready(unsigned) override {
        for (unsigned i = 0; i < kinds; ++i) {
            turn_ = (turn_ + 1) % kinds;
            if (!refused_[turn_] || !torus_->ready({})) continue;
            refused_[turn_] = false;
            user->may_offer(turn_);
        }
    }
    // the core
    bool take_message(const core_message& m) override { return arrive(gets, m.payload.data()); }
    void dropped(const packet_drop&) override { wrong_ += "a packet was thrown away\n"; }
    void invalidated() override {}
    void completion_written() override {}
    // the host's memory
    pcie::access_result write(std::uint64_t, const pcie::tlp& packet) override {
        return arrive(puts, packet.data) ? pcie::access_result::done : pcie::access_result::busy;
    }
    pcie::access_result request(pcie::inbound_request&, const pcie::tlp&) override {
        return pcie::access_result::unsupported;
    }
    void fetch(const pcie::inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}
    using pcie::requester_user_if::fetch;
    void finished(pcie::operation&) override {}

    const receive_spec spec_;
    const position node_{};
    observe::statistics statistics_;
    const pcie::topology nodes_;
    const pcie::address_map map_;
    pcie::tlp_pool packets_{4096};
    table_memory tables_;
    std::uint64_t base_ = 0;
    std::vector<std::unique_ptr<pcie::function>> all_;
    std::unique_ptr<pcie::link_tree> tree_;
    std::unique_ptr<receive_port> tested_;
    std::unique_ptr<receive_datapath_if> datapath_;
    std::unique_ptr<core::channel<torus_packet>> torus_;
    std::array<bool, kinds> refused_{};
    unsigned turn_ = 0;
    std::uint64_t in_ = 0, out_ = 0, dropped_ = 0;
    std::string wrong_;
};

conduit_instance instance(std::string name, const receive_spec& s, std::uint32_t writes, std::uint32_t headers) {
    return {std::move(name), [=] { return std::make_unique<port_conduit>(s, writes, headers); }};
}

INSTANTIATE_TEST_SUITE_P(receive_port, conduit_contract,
                         ::testing::Values(instance("small", contraflow::testing::smallest_receive(), 1, 1),
                                           instance("usual", {}, 16, 8)),
                         contraflow::testing::name_of);

}  // namespace port_conduit_test
