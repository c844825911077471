// SPDX-License-Identifier: Apache-2.0
// A receive datapath of any level as a conduit, between the torus and the NIC: puts are a stream, which arrives as
// writes, and get requests another, which arrives in the mailbox of the core.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/timer.h"
#include "nic/receive/datapath_factory.h"
#include "nic/smallest_receive.h"
#include "observe/statistics.h"
#include "support/conduit_contract.h"

namespace contraflow::testing {

class receive_conduit : public conduit, private nic::receive_client_if {
public:
    receive_conduit(const nic::datapath_factory& make, const nic::receive_spec& s) : spec_(s), tables_(s.buffers) {
        constexpr auto host = nic::memory_space::host;
        std::map<std::uint64_t, std::uint64_t> entries;
        for (std::uint64_t a = base; a < base + size; a += 1ull << nic::page_bits(host)) {
            const std::uint64_t number = a >> nic::page_bits(host);
            entries[nic::entry_address(host, 0x10000, number, 0)] = 0x20001;
            entries[nic::entry_address(host, 0x20000, number, 1)] = 0x40001;
            entries[nic::entry_address(host, 0x40000, number, 2)] = a | 1;
        }
        for (const auto& [address, value] : entries) tables_.set_entry(address, value);
        tested_ = make({sim.events(), path, spec_, node_, *this, tables_, statistics_});
        set_up();
    }
    unsigned streams() const override { return kinds; }
    bool offer(unsigned n, std::uint64_t number) override {
        if (!usable_ || !tested_->can_receive()) {
            if (!std::exchange(refused_[n], true)) refused_since_[n] = sim.events().now();
            return false;
        }
        nic::packet_header h;
        h.length = nic::get_request_payload;
        h.kind = static_cast<std::uint8_t>(n == puts ? nic::packet_kind::put : nic::packet_kind::get_request);
        h.process = 1;
        h.address = base + number * nic::get_request_payload % size;
        std::array<std::uint8_t, nic::get_request_payload> payload{};
        std::memcpy(payload.data(), &number, sizeof number);
        ++in_;
        tested_->receive(nic::packet_words(h, payload));
        return true;
    }
    void resume(unsigned n) override { n == puts ? tested_->dma_ready() : tested_->message_ready(); }
    void reset() override {
        dropped_ += held();
        tested_->control(core::control_verb::reset);
        calls_.cancel();
        refused_ = {};
        set_up();
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    std::uint64_t held() const override { return in_ - out_ - dropped_; }
    std::uint64_t dropped() const override { return dropped_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        for (unsigned n = 0; n < kinds; ++n)
            if (refused_[n]) edges.push_back({sender(n), "acceptance of a packet", path, refused_since_[n]});
        tested_->report_waits(edges);
    }
    std::string sender(unsigned n) const override { return n == puts ? "source_of_puts" : "source_of_gets"; }
    std::string receiver(unsigned n) const override { return std::string(path) + (n == puts ? ".dma" : ".mailbox"); }
    std::string broken() override {
        std::string text = wrong_;
        observe::conservation checks;
        tested_->check(checks);
        for (const auto& c : checks.checks())
            if (held() == 0 && !c.held()) text += c.name + "\n";
        return text;
    }

private:
    static constexpr unsigned puts = 0, gets = 1, kinds = 2;
    static constexpr const char* path = "nic.receive";
    static constexpr std::uint64_t base = 1ull << 32, size = 1u << 20;

    // A core learns of a buffer after some time; packets come then.
    void set_up() {
        tested_->set_buffer(0, {true, 1, base, size, nic::memory_space::host, true, 0x10000, 0});
        usable_ = false;
        look();
    }
    void look() {
        if (!tested_->idle()) return calls_.after<&receive_conduit::look>(core::sim_time::from_us(1));
        usable_ = true;
        calls_.after<&receive_conduit::may_receive>({});
    }
    // The streams take turns.
    void may_receive() override {
        for (unsigned i = 0; i < kinds; ++i) {
            turn_ = (turn_ + 1) % kinds;
            if (refused_[turn_] && tested_->can_receive()) {
                refused_[turn_] = false;
                user->may_offer(turn_);
            }
        }
    }
    bool arrive(unsigned n, const std::uint8_t* bytes) {
        if (!user->may_take(n)) return false;
        std::uint64_t number = 0;
        std::memcpy(&number, bytes, sizeof number);
        ++out_;
        user->arrived(n, number);
        return true;
    }
    bool take_dma(const nic::dma_request& r) override {
        if (r.kind != nic::dma_kind::data || r.bytes.size() != nic::get_request_payload) wrong_ += "another write\n";
        if (!arrive(puts, r.bytes.data())) return false;
        calls_.after<&receive_conduit::acknowledge>(core::sim_time::from_ns(100), r.tag);
        return true;
    }
    bool take_message(const nic::core_message& m) override { return arrive(gets, m.payload.data()); }
    void read_table(std::uint64_t address) override {
        entry_ = tables_.entry(address);
        calls_.after<&receive_conduit::answer>(core::sim_time::from_ns(10));
    }
    void acknowledge(std::uint32_t tag) { tested_->acknowledged(static_cast<std::uint16_t>(tag)); }
    void answer() { tested_->table_entry(entry_); }
    void dropped(const nic::packet_drop&) override { wrong_ += "a packet was thrown away\n"; }
    void invalidated() override {}

    const nic::receive_spec spec_;
    const nic::position node_{};
    observe::statistics statistics_;
    nic::table_memory tables_;
    core::cancellable_calls<receive_conduit> calls_{sim.events(), *this};
    std::unique_ptr<nic::receive_datapath_if> tested_;
    bool usable_ = false;
    std::array<bool, kinds> refused_{};
    std::array<core::sim_time, kinds> refused_since_{};
    unsigned turn_ = 0;
    std::uint64_t in_ = 0, out_ = 0, dropped_ = 0, entry_ = 0;
    std::string wrong_;
};

}  // namespace contraflow::testing
