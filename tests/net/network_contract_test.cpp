// SPDX-License-Identifier: Apache-2.0
// Networks of every topology with the smallest buffers, as conduits: a stream a pair of nodes and class.
#include <deque>

#include <gtest/gtest.h>

#include "net/network.h"
#include "support/conduit_contract.h"
#include "support/token.h"

namespace {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_independence;
using net::packet_class;
using net::topology;

net::network_spec tiny(topology t, unsigned columns = 0, unsigned rows = 0) {
    net::network_spec s;
    s.topology = t;
    s.mesh_columns = columns;
    s.mesh_rows = rows;
    s.link.queue = 1;
    s.link.receive_buffer = {160};
    s.link.lanes.lanes_per_direction = 2;
    return s;
}

class whole_network final : public contraflow::testing::conduit {
public:
    whole_network(const net::network_spec& s, unsigned nodes)
        : net_("", {sim.events(), statistics_, core::sim_time::from_ns(1), core::sim_time::from_us(5)}, s, nodes) {
        for (unsigned i = 0; i < nodes; ++i) clients_.emplace_back(*this, i);
        for (const auto kind : {packet_class::request, packet_class::response})
            for (unsigned from = 0; from < nodes; ++from)
                for (unsigned to = 0; to < nodes; ++to)
                    if (to != from) streams_.push_back({from, to, kind});
    }
    unsigned streams() const override { return static_cast<unsigned>(streams_.size()); }
    bool offer(unsigned n, std::uint64_t number) override {
        stream& s = streams_[n];
        net::port_if& port = net_.port(s.from);
        s.refused = !port.can_inject(s.kind, s.to);
        if (s.refused) return false;
        ++in_;
        port.inject(s.kind, {&tokens_.emplace_back(number), static_cast<std::uint32_t>(number * 37 % 129),
                             static_cast<std::uint16_t>(s.from), static_cast<std::uint16_t>(s.to)});
        return true;
    }
    void resume(unsigned n) override { net_.port(streams_[n].to).offer_again(streams_[n].kind); }
    void reset() override {
        net_.control(core::control_verb::reset);
        for (stream& s : streams_) s.refused = false;
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    std::uint64_t held() const override { return net_.outstanding(); }
    std::uint64_t dropped() const override {
        std::uint64_t sum = 0;
        for (const auto& l : net_.links())
            sum += l->channel(link::direction::ab).dropped() + l->channel(link::direction::ba).dropped();
        return sum;
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override { net_.report_waits(edges); }
    std::string sender(unsigned n) const override { return name_of(streams_[n].from); }
    std::string receiver(unsigned n) const override { return name_of(streams_[n].to); }
    unsigned independent_of(unsigned n) const override {  // responses go on behind requests that do not
        return streams_[n].kind == packet_class::request ? n + streams() / 2 : n;
    }
    std::string broken() override {
        net_.settle();
        observe::conservation all;
        net_.check(all);
        std::string text = misled_;
        for (const auto& c : all.checks())
            if (!c.held()) text += c.name + "\n";
        return text;
    }

private:
    struct stream {
        unsigned from, to;
        packet_class kind;
        bool refused = false;
    };
    struct client final : net::client_if {
        client(whole_network& w, unsigned n) : home(w), number(n) { w.net_.port(n).set_client(*this); }
        bool can_take(packet_class kind, const link::packet& p) override {
            return home.user->may_take(home.stream_of(p.source, p.target, kind));
        }
        void take_packet(packet_class kind, const link::packet& p) override {
            const auto& t = static_cast<const contraflow::testing::token&>(*p.payload);
            if (p.target != number) home.misled_ += "a packet for another node\n";
            const unsigned hops = home.net_.hops(p.source, p.target);
            if (t.links != hops || t.nodes + 1 != hops) home.misled_ += "links and nodes that it did not pass\n";
            ++home.out_;
            home.user->arrived(home.stream_of(p.source, p.target, kind), t.number);
        }
        void may_inject(packet_class kind) override { home.offer_again(number, kind); }
        const char* client_name() const override { return home.net_.port(number).name().c_str(); }
        whole_network& home;
        unsigned number;
    };
    static std::string name_of(unsigned node) { return "node" + std::to_string(node); }
    unsigned stream_of(unsigned from, unsigned to, packet_class kind) const {
        const auto nodes = static_cast<unsigned>(clients_.size());
        return static_cast<unsigned>(kind) * nodes * (nodes - 1) + from * (nodes - 1) + (to < from ? to : to - 1);
    }
    void offer_again(unsigned node, packet_class kind) {
        const auto others = static_cast<unsigned>(clients_.size()) - 1;
        const unsigned first = stream_of(node, node == 0 ? 1 : 0, kind);
        ++turn_;
        for (unsigned i = 0; i < others; ++i) {
            const unsigned n = first + (turn_ + i) % others;
            if (!streams_[n].refused || !net_.port(node).can_inject(kind, streams_[n].to)) continue;
            streams_[n].refused = false;
            user->may_offer(n);
        }
    }

    observe::statistics statistics_;
    net::network net_;
    std::deque<client> clients_;
    std::vector<stream> streams_;
    std::deque<contraflow::testing::token> tokens_;
    std::uint64_t in_ = 0, out_ = 0;
    unsigned turn_ = 0;
    std::string misled_;
};

contraflow::testing::conduit_instance instance(std::string name, const net::network_spec& s, unsigned nodes) {
    return {std::move(name), [s, nodes] { return std::make_unique<whole_network>(s, nodes); }};
}

const auto network_instances = ::testing::Values(
    instance("switch", tiny(topology::central_switch), 3),
    instance("fully_connected", tiny(topology::fully_connected), 3), instance("ring", tiny(topology::ring), 4),
    instance("mesh", tiny(topology::mesh, 2), 4), instance("torus_ring", tiny(topology::torus, 5), 5),
    instance("torus", tiny(topology::torus, 3), 6), instance("torus_3d", tiny(topology::torus, 3, 1), 6),
    instance("tree", tiny(topology::tree), 4));
INSTANTIATE_TEST_SUITE_P(network, conduit_contract, network_instances, contraflow::testing::name_of);
INSTANTIATE_TEST_SUITE_P(network, conduit_independence, network_instances, contraflow::testing::name_of);

// Every node to every other one as fast as it can, with room for one packet everywhere.
TEST(torus, of_three_dimensions_with_the_smallest_buffers_does_not_lock) {
    whole_network net(tiny(topology::torus, 3, 3), 27);
    contraflow::testing::conduit_user u(net, {.items = 12, .refuse_one_in = 5, .seed = 3});
    net.sim.run();
    for (unsigned i = 0; i < net.streams(); ++i) ASSERT_EQ(u.received(i), 12u);
    EXPECT_EQ(u.wrong, 0u);
    EXPECT_EQ(net.broken(), "");
}

}  // namespace
