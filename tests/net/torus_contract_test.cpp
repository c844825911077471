// SPDX-License-Identifier: Apache-2.0
// Tori and meshes with the smallest buffers, perfect and faulty wires, as conduits; and rings of every length, which
// deadlock if their datelines are wrong.
#include <gtest/gtest.h>

#include "net/network_conduit.h"
#include "net/torus/torus_network.h"

namespace {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_independence;
using contraflow::testing::conduit_user;

net::torus_spec tiny(std::vector<std::uint32_t> nodes, net::topology shape = net::topology::torus) {
    net::torus_spec s;
    s.topology = shape;
    s.nodes = std::move(nodes);
    s.router = 3;
    s.wire = 2;
    s.buffer = 9;  // the longest packet
    s.queue = 1;
    s.virtual_channels = 2;
    return s;
}

net::torus_spec with_errors(net::torus_spec s) {
    s.error_rate = 0.05;
    s.retry_buffer = 3;
    return s;
}

net::torus_spec with_channels(net::torus_spec s, std::uint32_t n) {
    s.virtual_channels = n;
    return s;
}

class whole_torus final : public contraflow::testing::network_conduit {
public:
    explicit whole_torus(const net::torus_spec& s) : network_conduit(s.node_count(), ".client") {
        auto made = std::make_unique<net::torus_network>("", sim.events(), statistics_, s);
        whole_ = made.get();
        use(std::move(made));
    }
    std::uint64_t dropped() const override { return whole_->dropped(); }

private:
    const net::torus_network* whole_ = nullptr;
};

contraflow::testing::conduit_instance instance(std::string name, const net::torus_spec& s) {
    return {std::move(name), [s] { return std::make_unique<whole_torus>(s); }};
}

const auto torus_instances = ::testing::Values(
    instance("two", tiny({2})), instance("ring", tiny({5})), instance("plane", tiny({3, 2})),
    instance("line", tiny({4}, net::topology::mesh)), instance("mesh", tiny({2, 2, 2}, net::topology::mesh)),
    instance("channels", with_channels(tiny({4, 2}), 4)), instance("bad_wires", with_errors(tiny({4}))));
INSTANTIATE_TEST_SUITE_P(torus, conduit_contract, torus_instances, contraflow::testing::name_of);
INSTANTIATE_TEST_SUITE_P(torus, conduit_independence, torus_instances, contraflow::testing::name_of);

// Every node sends to every other one as fast as it can, with room for one packet everywhere.
void expect_no_lock(const net::torus_spec& s, std::uint64_t items) {
    whole_torus net(s);
    conduit_user u(net, {.items = items, .refuse_one_in = 5, .seed = 3});
    net.sim.run();
    for (unsigned i = 0; i < net.streams(); ++i) ASSERT_EQ(u.received(i), items) << "stream " << i;
    EXPECT_EQ(u.wrong, 0u);
    EXPECT_EQ(net.broken(), "");
}

TEST(torus_lock, rings_of_every_length_with_the_smallest_buffers_do_not_lock) {
    for (std::uint32_t length = 2; length <= 12; ++length) {
        SCOPED_TRACE(length);
        expect_no_lock(tiny({length}), 20);
    }
}

TEST(torus_lock, of_three_dimensions_with_the_smallest_buffers_does_not_lock) { expect_no_lock(tiny({3, 3, 4}), 4); }

}  // namespace
