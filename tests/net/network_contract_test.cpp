// SPDX-License-Identifier: Apache-2.0
// Networks of every topology with the smallest buffers, as conduits: a stream a pair of nodes and class.
#include <gtest/gtest.h>

#include "net/network.h"
#include "net/network_conduit.h"

namespace {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_independence;
using net::topology;

net::network_spec tiny(topology t, std::vector<std::uint32_t> nodes = {}) {
    net::network_spec s;
    s.topology = t;
    s.nodes = std::move(nodes);
    s.link.queue = 1;
    s.link.receive_buffer = {160};
    s.link.lanes.lanes_per_direction = 2;
    return s;
}

class whole_network final : public contraflow::testing::network_conduit {
public:
    whole_network(const net::network_spec& s, unsigned nodes) : network_conduit(nodes, "") {
        auto made = std::make_unique<net::network>("",
                                                   link::reversible_link::resources{sim.events(), statistics_,
                                                                                    core::sim_time::from_ns(1),
                                                                                    core::sim_time::from_us(5)},
                                                   s, nodes);
        whole_ = made.get();
        use(std::move(made));
    }
    std::uint64_t dropped() const override {
        std::uint64_t sum = 0;
        for (const auto& l : whole_->links())
            sum += l->channel(link::direction::ab).dropped() + l->channel(link::direction::ba).dropped();
        return sum;
    }

private:
    const net::network* whole_ = nullptr;
};

contraflow::testing::conduit_instance instance(std::string name, const net::network_spec& s, unsigned nodes) {
    return {std::move(name), [s, nodes] { return std::make_unique<whole_network>(s, nodes); }};
}

const auto network_instances = ::testing::Values(
    instance("switch", tiny(topology::central_switch), 3),
    instance("fully_connected", tiny(topology::fully_connected), 3), instance("ring", tiny(topology::ring), 4),
    instance("mesh", tiny(topology::mesh, {2, 2}), 4), instance("torus_ring", tiny(topology::torus, {5}), 5),
    instance("torus", tiny(topology::torus, {3, 2}), 6), instance("torus_3d", tiny(topology::torus, {3, 1, 2}), 6),
    instance("tree", tiny(topology::tree), 4));
INSTANTIATE_TEST_SUITE_P(network, conduit_contract, network_instances, contraflow::testing::name_of);
INSTANTIATE_TEST_SUITE_P(network, conduit_independence, network_instances, contraflow::testing::name_of);

// Every node sends to every other one as fast as it can, with room for one packet everywhere.
TEST(torus, of_three_dimensions_with_the_smallest_buffers_does_not_lock) {
    whole_network net(tiny(topology::torus, {3, 3, 3}), 27);
    contraflow::testing::conduit_user u(net, {.items = 12, .refuse_one_in = 5, .seed = 3});
    net.sim.run();
    for (unsigned i = 0; i < net.streams(); ++i) ASSERT_EQ(u.received(i), 12u);
    EXPECT_EQ(u.wrong, 0u);
    EXPECT_EQ(net.broken(), "");
}

}  // namespace
