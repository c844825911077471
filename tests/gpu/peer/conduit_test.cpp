// SPDX-License-Identifier: Apache-2.0
// A GPU's mailbox for peer-to-peer reads as a conduit: a stream a requester, whose requests come back as lines of
// memory that hold their numbers.
#include <array>
#include <cstring>

#include <gmock/gmock.h>

#include "peer_node.h"
#include "support/conduit_contract.h"

namespace peer_conduit_test {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_instance;
using gpu::peer_line;
using gpu::peer_register;
using gpu::testing::peer_node;

struct with_node {
    with_node(const gpu::peer_spec& s, const pcie::fabric_spec& f) : node(s, f) {}
    peer_node node;
};

class mailbox final : private with_node, public contraflow::testing::conduit {
public:
    mailbox(const gpu::peer_spec& s, const pcie::fabric_spec& f) : with_node(s, f), conduit(node.sim) {
        const auto bytes = node.gpu->memory().bytes();
        for (std::uint64_t line = 0; line * peer_line < bytes.size(); ++line)
            std::memcpy(bytes.data() + line * peer_line, &line, sizeof line);
        node.gpu->memory().let(0, bytes.size(), 7);
        for (unsigned n = 0; n < requesters; ++n) {
            node.requesters[n].may_take = [this, n](std::uint64_t offset, const pcie::tlp& packet) {
                return arrive(n, offset, packet);
            };
            node.requesters[n].on_finished = [this, n] { left(n); };
            open_window(n);
        }
    }
    unsigned streams() const override { return requesters; }
    bool offer(unsigned n, std::uint64_t number) override {
        state& s = all_[n];
        s.refused = s.waiting == most_waiting;
        if (s.refused) return false;
        ++s.waiting;
        ++in_;
        node.ask(n, number * peer_line, static_cast<std::uint32_t>(number % slots));
        return true;
    }
    void resume(unsigned n) override { node.requesters[n].function->resume(pcie::credit_class::posted); }
    void reset() override {
        dropped_ += held();
        node.tree->control(core::control_verb::reset);
        for (unsigned n = 0; n < requesters; ++n) {
            all_[n] = {};
            open_window(n);
        }
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    std::uint64_t held() const override { return in_ - out_ - dropped_; }
    std::uint64_t dropped() const override { return dropped_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        for (const core::waiter_if* w : node.tree->waiters()) w->report_waits(edges);
    }
    std::string sender(unsigned n) const override { return node.requesters[n].function->name(); }
    std::string receiver(unsigned n) const override { return node.requesters[n].function->link().name(); }
    std::string broken() override {
        std::string text = wrong_;
        // Windows are being opened.
        if (std::any_of(all_.begin(), all_.end(), [](const state& s) { return s.set_up > 0; })) return text;
        observe::conservation checks;
        node.tree->check(checks);
        for (const auto& c : checks.checks())
            if (held() == 0 && !c.held()) text += c.name + "\n";
        return text;
    }

private:
    static constexpr unsigned requesters = 2, most_waiting = 2;
    static constexpr std::uint64_t slots = peer_node::answers / peer_line;
    struct state {
        unsigned waiting = 0;  // requests that have not left
        unsigned set_up = 0;   // writes that open the window
        std::uint64_t number = 0;
        bool refused = false;
    };
    void open_window(unsigned n) {
        all_[n].set_up = 2;
        const std::uint64_t base = node.requesters[n].function->place().bars[0].base;
        node.requesters[n].write(node.register_of(n, peer_register::answer_base), base);
        node.requesters[n].write(node.register_of(n, peer_register::answer_size), peer_node::answers);
    }
    void left(unsigned n) {
        state& s = all_[n];
        if (s.set_up > 0) {
            --s.set_up;
            return;
        }
        --s.waiting;
        if (std::exchange(s.refused, false)) user->may_offer(n);
    }
    // A line comes in two halves.
    bool arrive(unsigned n, std::uint64_t offset, const pcie::tlp& packet) {
        state& s = all_[n];
        if (offset % peer_line == 0) {
            if (!user->may_take(n)) return false;
            std::memcpy(&s.number, packet.data, sizeof s.number);
            if (offset / peer_line != s.number % slots) wrong_ += "a line in the place of another\n";
            return true;
        }
        ++out_;
        user->arrived(n, s.number);
        return true;
    }

    std::array<state, requesters> all_{};
    std::uint64_t in_ = 0, out_ = 0, dropped_ = 0;
    std::string wrong_;
};

conduit_instance instance(std::string name, std::uint32_t queue, std::uint32_t headers) {
    return {std::move(name), [=] {
                gpu::peer_spec s;
                s.memory = {4 * gpu::peer_page};
                s.requesters = 2;
                s.read_queue = queue;
                pcie::fabric_spec f;
                f.posted_headers = headers;
                return std::make_unique<mailbox>(s, f);
            }};
}

INSTANTIATE_TEST_SUITE_P(peer_mailbox, conduit_contract,
                         ::testing::Values(instance("queue_1", 1, 1), instance("queue_8", 8, 4)),
                         contraflow::testing::name_of);

}  // namespace peer_conduit_test
