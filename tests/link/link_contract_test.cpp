// SPDX-License-Identifier: Apache-2.0
// A link as a conduit: a stream a direction and virtual channel.
#include <array>
#include <deque>

#include <gtest/gtest.h>

#include "link/reversible_link.h"
#include "support/conduit_contract.h"
#include "support/token.h"

namespace contraflow::link {
namespace {

using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_independence;

class one_link final : public contraflow::testing::conduit, link_end_if {
public:
    explicit one_link(const link_spec& s)
        : vcs_(s.vcs),
          link_("link", {sim.events(), statistics_, core::sim_time::from_ns(1), core::sim_time::from_us(5)}, s) {
        link_.port(side::a).attach(*this, 0, "a");
        link_.port(side::b).attach(*this, 1, "b");
    }
    unsigned streams() const override { return 2 * vcs_; }
    bool offer(unsigned n, std::uint64_t number) override {
        link_port& from = link_.port(static_cast<side>(n / vcs_));
        if (!from.can_send(n % vcs_)) return false;
        packet p;
        p.payload = &tokens_.emplace_back(number);
        p.bytes = static_cast<std::uint32_t>(number * 37 % 129);
        p.vc = static_cast<std::uint8_t>(n % vcs_);
        from.send(p);
        return true;
    }
    void resume(unsigned n) override { take(n); }
    void reset() override { link_.control(core::control_verb::reset); }
    std::uint64_t in() const override {
        return link_.channel(direction::ab).accepted() + link_.channel(direction::ba).accepted();
    }
    std::uint64_t out() const override { return link_.moved(); }
    std::uint64_t held() const override { return link_.outstanding(); }
    std::uint64_t dropped() const override { return handed_back_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override { link_.report_waits(edges); }
    std::string sender(unsigned n) const override {
        return link_.channel(n / vcs_ == 0 ? direction::ab : direction::ba).configuration().path;
    }
    std::string receiver(unsigned n) const override { return n / vcs_ == 0 ? "b" : "a"; }
    // The next channel; of the last one, the other direction.
    unsigned independent_of(unsigned n) const override { return n % vcs_ + 1 < vcs_ ? n + 1 : (n + vcs_) % streams(); }
    std::string broken() override {
        link_.settle();
        observe::conservation all;
        link_.check(all);
        std::string text;
        for (const auto& c : all.checks())
            if (!c.held()) text += c.name + "\n";
        return text;
    }

private:
    void take(unsigned n) {
        link_port& to = link_.port(n / vcs_ == 0 ? side::b : side::a);
        while (to.has(n % vcs_) && user->may_take(n)) {
            const packet p = to.pop(n % vcs_).what;
            user->arrived(n, p.payload_as<contraflow::testing::token>().number);
        }
    }
    void packet_arrived(unsigned port, unsigned vc) override { take((1 - port) * vcs_ + vc); }
    void link_ready(unsigned port, unsigned vc) override { user->may_offer(port * vcs_ + vc); }
    void packet_dropped(unsigned, const packet&) override { ++handed_back_; }

    const unsigned vcs_;
    observe::statistics statistics_;
    reversible_link link_;
    std::deque<contraflow::testing::token> tokens_;
    std::uint64_t handed_back_ = 0;
};

contraflow::testing::conduit_instance instance(std::string name, unsigned vcs, unsigned queue, std::uint64_t buffer,
                                               unsigned lanes) {
    link_spec s;
    s.vcs = vcs;
    s.queue = queue;
    s.receive_buffer = {buffer};
    s.lanes.lanes_per_direction = lanes;
    return {std::move(name), [s] { return std::make_unique<one_link>(s); }};
}

const auto link_instances =
    ::testing::Values(instance("one_channel", 1, 8, 4096, 8), instance("two_channels", 2, 4, 1024, 8),
                      instance("smallest", 2, 1, 160, 2), instance("four_channels", 4, 2, 320, 3));
INSTANTIATE_TEST_SUITE_P(link, conduit_contract, link_instances, contraflow::testing::name_of);
INSTANTIATE_TEST_SUITE_P(link, conduit_independence, link_instances, contraflow::testing::name_of);

}  // namespace
}  // namespace contraflow::link
