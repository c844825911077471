// SPDX-License-Identifier: Apache-2.0
// Two bridges between TLM-2.0 sockets and a PCIe tree as a conduit, each between its initiator and the other's target.
#include <gtest/gtest.h>

#include "functions.h"
#include "memory/transaction_conduit.h"
#include "pcie/bridge/socket_bridge.h"

namespace bridge_conduit_test {

using namespace contraflow;
using namespace contraflow::pcie;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_independence;

class joined_bridges final : public memory::testing::transaction_conduit {
public:
    joined_bridges(const fabric_spec& s, std::size_t queue)
        : nodes_(pcie::testing::two_functions()),
          map_(nodes_, pcie::testing::functions::with_memory(nodes_)) {
        tree_ = std::make_unique<link_tree>(
            port::resources{sim.events(), statistics_}, packets_, map_, s,
            [&](node_id id, std::uint32_t number, const std::string& name, const port::spec& line) -> device_if& {
                function::spec f;
                f.link = line;
                f.requests.tags = s.tags;
                f.latency = s.endpoint_latency;
                // Address 0 of the initiators is the other function's BAR.
                const socket_bridge::spec b{{f, 0}, queue, map_.at(nodes_.endpoints()[1 - number]).bars[0].base};
                all_.push_back(std::make_unique<socket_bridge>(
                    name.c_str(), socket_bridge::resources{sim.events(), statistics_, payloads_, packets_}, b,
                    map_.at(id)));
                return *all_.back();
            });
        for (const auto& b : all_) add_initiator(b->in);
        for (const auto& b : all_) add_target(b->out);
        add_stream(0, 1);
        add_stream(1, 0);
    }
    std::string broken() override {
        std::string text = transaction_conduit::broken();
        observe::conservation checks;
        tree_->check(checks);
        for (const auto& b : all_) b->check(checks);
        for (const auto& c : checks.checks())
            if (held() == 0 && !c.held()) text += c.name + "\n";
        return text;
    }

private:
    std::uint64_t address(unsigned, unsigned, std::uint64_t number) const override { return number % 256 * 128; }
    void reset_tested() override { tree_->control(core::control_verb::reset); }
    void report_tested(std::vector<core::wait_edge>& edges) const override {
        for (const core::waiter_if* w : tree_->waiters()) w->report_waits(edges);
        // A function knows only addresses; the builder of the tree knows the functions behind them.
        for (unsigned i = 0; i < 2; ++i)
            if (all_[i]->bridge().outstanding() != 0)
                edges.push_back({all_[i]->name(), "answers", all_[1 - i]->name(), {}});
    }

    topology nodes_;
    address_map map_;
    tlp_pool packets_{4096};
    std::vector<std::unique_ptr<socket_bridge>> all_;
    std::unique_ptr<link_tree> tree_;
};

contraflow::testing::conduit_instance instance(std::string name, std::uint32_t headers, std::size_t queue) {
    return {std::move(name), [=] {
                fabric_spec s;
                s.non_posted_headers = s.completion_headers = headers;
                s.non_posted_data = {headers * 128};  // writes are deferrable memory writes
                s.tags = 4;
                return std::make_unique<joined_bridges>(s, queue);
            }};
}

const auto bridge_instances = ::testing::Values(instance("small", 1, 1), instance("deep", 16, 8));
INSTANTIATE_TEST_SUITE_P(socket_bridge, conduit_contract, bridge_instances, contraflow::testing::name_of);
INSTANTIATE_TEST_SUITE_P(socket_bridge, conduit_independence, bridge_instances, contraflow::testing::name_of);

}  // namespace bridge_conduit_test
