// SPDX-License-Identifier: Apache-2.0
// The chain of waits across a tree: from a request, through the switches on its way, to the device that does not
// answer.
#include <array>

#include <gtest/gtest.h>

#include "functions.h"
#include "observe/wait_chain.h"

namespace wait_chain_test {

using namespace contraflow;
using namespace contraflow::pcie;
using contraflow::pcie::testing::add_gpus;
using contraflow::pcie::testing::add_switch;
using contraflow::pcie::testing::functions;

// Three functions, a switch above each.
topology three_switches() {
    topology t;
    const node_id rc = add_switch(t, no_node, "rc", node_kind::root_complex);
    for (int n = 0; n < 3; ++n) add_gpus(t, add_switch(t, rc, fmt::format("sw{}", n)), n, 1);
    return t;
}

// Never answers; with a read of its own, as a device that needs another's data for its answer.
class silent_region final : public region_if, private requester_user_if {
public:
    silent_region(access_result how, function* self = nullptr, std::uint64_t from = 0) : how_(how), self_(self) {
        read_.kind = operation_kind::read;
        read_.address = from;
        read_.length = bytes_.size();
        read_.buffer = bytes_.data();
        read_.owner = this;
    }
    access_result write(std::uint64_t, const tlp&) override { return access_result::busy; }
    access_result request(inbound_request&, const tlp&) override {
        if (self_ != nullptr) self_->start(read_);
        return how_;
    }
    void fetch(const inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}
    using requester_user_if::fetch;

private:
    void finished(operation&) override {}

    const access_result how_;
    function* const self_;
    operation read_;
    std::array<std::uint8_t, 64> bytes_{};
};

std::vector<core::wait_edge> waits_of(const functions& f) {
    std::vector<core::wait_edge> edges;
    for (const core::waiter_if* w : f.tree->waiters()) w->report_waits(edges);
    return edges;
}

TEST(wait_chain, names_the_device_that_answers_a_request_and_goes_on_from_there) {
    functions f(three_switches(), functions::with_memory(three_switches()), {}, 64, {}, false);
    silent_region relay(access_result::later, f.all[1].get(), f.address(2, 0)), silent(access_result::later);
    f.all[1]->map_bar(0, relay);
    f.all[2]->map_bar(0, silent);
    std::array<std::uint8_t, 64> bytes{};
    operation o = f.make(operation_kind::read, f.address(1, 0), bytes.size(), bytes.data());
    f.carry_out(0, o);
    const auto lines = observe::longest_chain(waits_of(f)).lines();
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].find("gpu0.link waits for completions of gpu1.link (since "), 0u) << lines[0];
    EXPECT_EQ(lines[1].find("gpu1.link waits for completions of gpu2.link (since "), 0u) << lines[1];
    EXPECT_EQ(lines[2], "gpu2.link reports no wait of its own");
}

// Requests that fill the buffers on their way have not reached the device: the chain goes along them.
TEST(wait_chain, goes_along_the_switches_where_requests_are_held_up_in_them) {
    fabric_spec s;
    s.non_posted_headers = 1;
    functions f(three_switches(), functions::with_memory(three_switches()), s, 64, {}, false);
    silent_region busy(access_result::busy);
    f.all[1]->map_bar(0, busy);
    std::array<std::uint8_t, 4096> bytes{};
    operation o = f.make(operation_kind::read, f.address(1, 0), bytes.size(), bytes.data());
    f.carry_out(0, o);
    bool held_up = false;
    for (const core::wait_edge& e : waits_of(f)) {
        held_up = held_up || e.waiter == "sw0.to_gpu0";
        EXPECT_FALSE(e.waiter == "gpu0.link" && e.holder == "gpu1.link") << e.resource;
    }
    EXPECT_TRUE(held_up);
}

}  // namespace wait_chain_test
