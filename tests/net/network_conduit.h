// SPDX-License-Identifier: Apache-2.0
// A network of any kind as a conduit: a stream a pair of nodes and class.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/network_if.h"
#include "observe/statistics.h"
#include "support/conduit_contract.h"
#include "support/token.h"

namespace contraflow::testing {

class network_conduit : public conduit {
public:
    // `client`: appended to a node's name in reports of waits.
    network_conduit(unsigned nodes, std::string client) : client_(std::move(client)), nodes_(nodes) {
        for (const auto kind : {net::packet_class::request, net::packet_class::response})
            for (unsigned from = 0; from < nodes; ++from)
                for (unsigned to = 0; to < nodes; ++to)
                    if (to != from) streams_.push_back({from, to, kind});
    }
    unsigned streams() const override { return static_cast<unsigned>(streams_.size()); }
    bool offer(unsigned n, std::uint64_t number) override {
        stream& s = streams_[n];
        net::network_port& port = net_->port(s.from);
        s.refused = !port.can_inject(s.kind, s.to);
        if (s.refused) return false;
        ++in_;
        port.inject(s.kind, {&tokens_.emplace_back(number), static_cast<std::uint32_t>(number * 37 % 129),
                             static_cast<std::uint16_t>(s.from), static_cast<std::uint16_t>(s.to)});
        return true;
    }
    void resume(unsigned n) override { net_->port(streams_[n].to).offer_again(streams_[n].kind); }
    void reset() override {
        net_->control(core::control_verb::reset);
        for (stream& s : streams_) s.refused = false;
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    std::uint64_t held() const override { return net_->outstanding(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override { net_->report_waits(edges); }
    std::string sender(unsigned n) const override { return name_of(streams_[n].from); }
    std::string receiver(unsigned n) const override { return name_of(streams_[n].to); }
    unsigned independent_of(unsigned n) const override {  // responses continue when requests are blocked
        return streams_[n].kind == net::packet_class::request ? n + streams() / 2 : n;
    }
    std::string broken() override {
        net_->settle();
        observe::conservation all;
        net_->check(all);
        std::string text = misled_;
        for (const auto& c : all.checks())
            if (!c.held()) text += c.name + "\n";
        return text;
    }

protected:
    void use(std::unique_ptr<net::network_if> made) {
        net_ = std::move(made);
        for (unsigned i = 0; i < nodes_; ++i) clients_.emplace_back(*this, i);
    }
    observe::statistics statistics_;

private:
    struct stream {
        unsigned from, to;
        net::packet_class kind;
        bool refused = false;
    };
    struct client final : net::client_if {
        client(network_conduit& w, unsigned n) : home(w), number(n), name(w.name_of(n)) {
            w.net_->port(n).set_client(*this);
        }
        bool can_take(net::packet_class kind, const link::packet& p) override {
            return home.user->may_take(home.stream_of(p.source, p.target, kind));
        }
        void take_packet(net::packet_class kind, const link::packet& p) override {
            const auto& t = p.payload_as<token>();
            if (p.target != number) home.misled_ += "a packet for another node\n";
            const unsigned hops = home.net_->hops(p.source, p.target);
            if (t.links != hops || t.nodes + 1 != hops) home.misled_ += "links and nodes that it did not pass\n";
            ++home.out_;
            home.user->arrived(home.stream_of(p.source, p.target, kind), t.number);
        }
        void may_inject(net::packet_class kind) override { home.offer_again(number, kind); }
        const char* client_name() const override { return name.c_str(); }
        network_conduit& home;
        unsigned number;
        std::string name;
    };
    std::string name_of(unsigned node) const { return "node" + std::to_string(node) + client_; }
    unsigned stream_of(unsigned from, unsigned to, net::packet_class kind) const {
        return static_cast<unsigned>(kind) * nodes_ * (nodes_ - 1) + from * (nodes_ - 1) + (to < from ? to : to - 1);
    }
    void offer_again(unsigned node, net::packet_class kind) {
        const unsigned others = nodes_ - 1;
        const unsigned first = stream_of(node, node == 0 ? 1 : 0, kind);
        ++turn_;
        for (unsigned i = 0; i < others; ++i) {
            const unsigned n = first + (turn_ + i) % others;
            if (!streams_[n].refused || !net_->port(node).can_inject(kind, streams_[n].to)) continue;
            streams_[n].refused = false;
            user->may_offer(n);
        }
    }

    const std::string client_;
    const unsigned nodes_;
    std::unique_ptr<net::network_if> net_;
    std::deque<client> clients_;
    std::vector<stream> streams_;
    std::deque<token> tokens_;
    std::uint64_t in_ = 0, out_ = 0;
    unsigned turn_ = 0;
    std::string misled_;
};

}  // namespace contraflow::testing
