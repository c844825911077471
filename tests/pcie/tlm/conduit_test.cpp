// SPDX-License-Identifier: Apache-2.0
// Functions of a PCIe tree as conduits: a stream a pair of functions and class of request, posted or not, each item a
// TLP with its number as data. The buffers are the smallest.
#include <cstring>
#include <deque>

#include <gtest/gtest.h>

#include "functions.h"
#include "support/conduit_contract.h"

namespace {

using namespace contraflow;
using namespace contraflow::pcie;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_independence;

class functions_conduit final : public contraflow::testing::conduit, private requester_user_if {
public:
    functions_conduit(topology t, const fabric_spec& s)
        : nodes_(std::move(t)),
          map_(nodes_, with_memory(nodes_)),
          ends_(nodes_.endpoints()) {
        const auto count = static_cast<unsigned>(ends_.size());
        for (unsigned from = 0; from < count; ++from)
            for (unsigned to = 0; to < count; ++to)
                if (to != from)
                    for (const auto kind : {operation_kind::write, operation_kind::confirmed_write})
                        streams_.push_back({from, to, kind});
        tree_ = std::make_unique<link_tree>(
            port::resources{sim.events(), statistics_}, pool_, map_, s,
            [&](node_id id, std::uint32_t number, const std::string& name, const port::spec& line) -> device_if& {
                function::spec f;
                f.link = line;
                f.requests.tags = s.tags;
                f.latency = s.endpoint_latency;
                all_.push_back(std::make_unique<function>(name.c_str(), port::resources{sim.events(), statistics_},
                                                          pool_, f, map_.at(id),
                                                          static_cast<requester_user_if&>(*this)));
                regions_.push_back(std::make_unique<region>(*this, number));
                all_.back()->map_bar(0, *regions_.back());
                return *all_.back();
            });
    }
    unsigned streams() const override { return static_cast<unsigned>(streams_.size()); }
    bool offer(unsigned n, std::uint64_t number) override {
        stream& s = streams_[n];
        s.refused = !room(s.from, s.kind);
        if (s.refused) return false;
        if (free_.empty()) free_.push_back(&items_.emplace_back());
        item& i = *free_.back();
        free_.pop_back();
        std::memcpy(i.bytes, &number, sizeof number);
        i.kind = s.kind;
        i.address = map_.at(ends_[s.to]).bars[0].base + n * 64;
        i.length = sizeof number;
        i.buffer = i.bytes;
        i.from = s.from;
        ++waiting_.at(s.from)[s.kind == operation_kind::write];
        ++in_;
        all_[s.from]->start(i);
        return true;
    }
    void resume(unsigned n) override {
        all_[streams_[n].to]->resume(streams_[n].kind == operation_kind::write ? credit_class::posted
                                                                               : credit_class::non_posted);
    }
    void reset() override {
        dropped_ += held();
        tree_->control(core::control_verb::reset);
        for (stream& s : streams_) s.refused = false;
        for (auto& w : waiting_) w = {};
        free_.clear();
        for (item& i : items_) free_.push_back(&i);
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    std::uint64_t held() const override { return in_ - out_ - dropped_; }
    std::uint64_t dropped() const override { return dropped_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        for (const core::waiter_if* w : tree_->waiters()) w->report_waits(edges);
    }
    std::string sender(unsigned n) const override { return all_[streams_[n].from]->link().name(); }
    std::string receiver(unsigned n) const override { return all_[streams_[n].to]->link().name(); }
    // Posted writes go on when other requests are blocked.
    unsigned independent_of(unsigned n) const override { return n / 2 * 2; }
    std::string broken() override {
        std::string text = wrong_;
        observe::conservation checks;
        tree_->check(checks);
        for (const auto& c : checks.checks())
            if (!c.held()) text += c.name + "\n";
        for (const auto& f : all_)
            if (f->unexpected() != 0) text += "unexpected completions\n";
        return text;
    }

private:
    struct stream {
        unsigned from, to;
        operation_kind kind;
        bool refused = false;
    };
    struct item : operation {
        std::uint8_t bytes[8] = {};
        unsigned from = 0;
    };
    struct region final : region_if {
        region(functions_conduit& h, unsigned n) : home(h), number(n) {}
        access_result write(std::uint64_t offset, const tlp& packet) override {
            return home.arrive(number, offset, packet);
        }
        access_result request(inbound_request& r, const tlp& packet) override {
            return home.arrive(number, r.offset, packet);
        }
        void fetch(const inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}
        functions_conduit& home;
        unsigned number;
    };
    static std::vector<function_spec> with_memory(const topology& t) {
        std::vector<function_spec> specs(t.size());
        for (const node_id id : t.endpoints()) specs[id].bars = {{{1u << 16}, true, "memory"}};
        return specs;
    }
    // Each kind has room of its own.
    bool room(unsigned from, operation_kind kind) const { return waiting_.at(from)[kind == operation_kind::write] < 3; }
    access_result arrive(unsigned to, std::uint64_t offset, const tlp& packet) {
        const auto n = static_cast<unsigned>(offset / 64);
        const stream& s = streams_.at(n);
        if (s.to != to || packet.requester != map_.at(ends_[s.from]).id) wrong_ += "an item for another\n";
        if ((packet.kind == tlp_kind::memory_write) != (s.kind == operation_kind::write)) wrong_ += "another kind\n";
        if (!user->may_take(n)) return access_result::busy;
        std::uint64_t number = 0;
        std::memcpy(&number, packet.data, sizeof number);
        ++out_;
        user->arrived(n, number);
        return access_result::done;
    }
    void finished(operation& o) override {
        if (o.failed()) wrong_ += "an item was refused\n";
        free_.push_back(&static_cast<item&>(o));
    }
    void issued(operation& o) override {
        const unsigned from = static_cast<item&>(o).from;
        const operation_kind kind = o.kind;
        --waiting_.at(from)[kind == operation_kind::write];
        ++turn_;
        for (unsigned i = 0; i < streams_.size() && room(from, kind); ++i) {
            const unsigned n = (turn_ + i) % streams();
            if (streams_[n].from != from || streams_[n].kind != kind || !std::exchange(streams_[n].refused, false))
                continue;
            user->may_offer(n);
        }
    }

    observe::statistics statistics_;
    topology nodes_;
    address_map map_;
    std::vector<node_id> ends_;
    tlp_pool pool_{4096};
    std::vector<stream> streams_;
    std::vector<std::unique_ptr<region>> regions_;
    std::vector<std::unique_ptr<function>> all_;
    std::unique_ptr<link_tree> tree_;
    std::deque<item> items_;
    std::vector<item*> free_;
    std::array<std::array<unsigned, 2>, 4> waiting_{};  // by function and kind
    unsigned turn_ = 0;
    std::uint64_t in_ = 0, out_ = 0, dropped_ = 0;
    std::string wrong_;
};

fabric_spec tiny(double errors) {
    fabric_spec s;
    s.posted_headers = s.non_posted_headers = s.completion_headers = 1;
    s.posted_data = {128};
    s.non_posted_data = {128};
    s.completion_data = {128};
    s.replay_tlps = 2;
    s.tags = 8;
    s.faults.bit_error_rate = errors;
    return s;
}

topology chain() {
    topology t;
    const node_id rc = pcie::testing::add_switch(t, no_node, "rc", node_kind::root_complex);
    const node_id upper = pcie::testing::add_switch(t, rc, "upper");
    pcie::testing::add_gpus(t, pcie::testing::add_switch(t, upper, "lower"), 0, 1);
    pcie::testing::add_gpus(t, rc, 1, 1);
    return t;
}

template <class Topology>
contraflow::testing::conduit_instance instance(std::string name, Topology make, double errors = 0) {
    return {std::move(name), [=] { return std::make_unique<functions_conduit>(make(), tiny(errors)); }};
}

const auto pcie_instances =
    ::testing::Values(instance("two_functions", pcie::testing::two_functions),
                      instance("through_three_switches", chain), instance("lossy_links", chain, 2e-5));
INSTANTIATE_TEST_SUITE_P(pcie, conduit_contract, pcie_instances, contraflow::testing::name_of);
INSTANTIATE_TEST_SUITE_P(pcie, conduit_independence, pcie_instances, contraflow::testing::name_of);

}  // namespace
