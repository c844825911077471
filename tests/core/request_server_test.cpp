// SPDX-License-Identifier: Apache-2.0
#include "core/request_server.h"

#include <deque>

#include <gtest/gtest.h>

#include "support/conduit_contract.h"

namespace request_server_test {

using namespace contraflow;
using contraflow::testing::conduit_contract;

struct question {
    unsigned stream = 0;
    std::uint64_t number = 0;
    core::request_connection<question>* via = nullptr;
    question* next = nullptr;
};
using server = core::request_server<question>;
using client = core::request_client<question>;

// Three clients of one server, which answers at once or when the test says.
class clients_of_a_server final : public contraflow::testing::conduit, core::channel_receiver_if<question*> {
public:
    clients_of_a_server() : server_(sim.events(), "server", *this, 7) {
        for (unsigned i = 0; i < 3; ++i) clients_.emplace_back(*this, i);
    }
    unsigned streams() const override { return static_cast<unsigned>(clients_.size()); }
    bool offer(unsigned i, std::uint64_t n) override { return clients_[i].offer(n); }
    void resume(unsigned) override {
        while (server_.admit_next()) {}
    }
    void reset() override {
        server_.reset();
        for (end& c : clients_) c.refused = false;
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    std::uint64_t held() const override { return 0; }
    std::uint64_t dropped() const override { return 0; }
    void report_waits(std::vector<core::wait_edge>& edges) const override { server_.report_waits(edges); }
    std::string sender(unsigned i) const override { return "client" + std::to_string(i); }
    std::string receiver(unsigned) const override { return "server"; }
    std::string broken() override {
        std::uint64_t answers = 0;
        for (const end& c : clients_) answers += c.answers;
        return answers == out_ && server_.idle() ? "" : "answers are missing";
    }

private:
    struct end final : core::channel_sender_if<question*>, core::channel_receiver_if<core::answer_to<question>> {
        end(clients_of_a_server& o, unsigned n)
            : owner(o),
              number(n),
              requests(o.server_.connect({*this, *this, n, "client" + std::to_string(n)})) {}
        bool offer(std::uint64_t n) {
            if (!refused) asked.push_back({number, n});
            refused = !requests.try_push(&asked.back());
            if (!refused) ++owner.in_;
            return !refused;
        }
        void channel_ready(unsigned port) override {
            EXPECT_EQ(port, number);
            owner.user->may_offer(number);
        }
        bool can_take(unsigned, const core::answer_to<question>&) override { return true; }
        void take(unsigned port, core::answer_to<question> a) override {
            EXPECT_EQ(port, number);
            EXPECT_EQ(a.request->stream, number);
            ++answers;
        }
        clients_of_a_server& owner;
        unsigned number;
        core::channel<question*>& requests;
        std::deque<question> asked;
        bool refused = false;
        std::uint64_t answers = 0;
    };
    bool can_take(unsigned number, question* const& q) override { return number == 7 && user->may_take(q->stream); }
    void take(unsigned, question* q) override {
        ++out_;
        user->arrived(q->stream, q->number);
        server::answer(*q);
    }

    server server_;
    std::deque<end> clients_;
    std::uint64_t in_ = 0, out_ = 0;
};

INSTANTIATE_TEST_SUITE_P(request_server, conduit_contract,
                         ::testing::Values(contraflow::testing::conduit_instance{
                             "three_clients", [] { return std::make_unique<clients_of_a_server>(); }}),
                         contraflow::testing::name_of);

// Takes that number of requests, and notes their clients.
struct desk final : core::channel_receiver_if<question*>, core::request_client_if<question> {
    bool can_take(unsigned, question* const&) override { return room > 0; }
    void take(unsigned, question* q) override {
        --room;
        taken.push_back(q->number);
    }
    void answered(question& q) override { answers.push_back(q.number); }
    void accepted(question& q, core::sim_time since) override {
        accepts.push_back(q.number);
        waits.push_back((sim.events().now() - since).ps);
    }
    void let_in(unsigned more) {
        room += more;
        while (requests.admit_next()) {}
    }
    core::simulation sim;
    server requests{sim.events(), "desk", *this};
    unsigned room = 0;
    std::vector<std::uint64_t> taken, answers, accepts, waits;
};

TEST(request_server, clients_that_wait_get_their_turns_in_the_order_in_which_they_came) {
    desk d;
    client a(d.sim.events(), d, "a", d.requests), b(d.sim.events(), d, "b", d.requests);
    std::deque<question> q;
    for (std::uint64_t n = 0; n < 6; ++n) q.push_back({0, n});
    EXPECT_FALSE(a.send(q[0]));
    EXPECT_FALSE(b.send(q[1]));
    EXPECT_FALSE(a.send(q[2]));  // behind b's first: a waits with one at a time
    EXPECT_FALSE(b.send(q[3]));
    EXPECT_EQ(d.requests.held_back(), 2u);
    d.let_in(3);
    EXPECT_EQ(d.taken, (std::vector<std::uint64_t>{0, 1, 2}));
    d.room = 1;
    EXPECT_FALSE(a.send(q[4]));  // there is room, but b waits for it
    d.let_in(2);
    EXPECT_EQ(d.taken, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(d.accepts, d.taken);
    d.room = 1;
    EXPECT_TRUE(b.send(q[5]));
    EXPECT_EQ(d.accepts.size(), 5u);
    for (question& x : q) server::answer(x);
    EXPECT_EQ(d.answers.size(), 6u);
    EXPECT_TRUE(d.requests.idle());
}

TEST(request_server, how_long_a_request_was_refused_is_told) {
    desk d;
    client a(d.sim.events(), d, "a", d.requests);
    question first{0, 0}, second{0, 1};
    a.send(first);
    d.sim.run_to(core::sim_time{500});
    a.send(second);  // behind the first: not refused yet
    std::vector<core::wait_edge> edges;
    d.requests.report_waits(edges);
    ASSERT_EQ(edges.size(), 1u);
    EXPECT_EQ(edges[0].waiter, "a");
    EXPECT_EQ(edges[0].resource, "acceptance of a request");
    EXPECT_EQ(edges[0].holder, "desk");
    EXPECT_EQ(edges[0].since, core::sim_time{});
    d.sim.run_to(core::sim_time{800});
    d.let_in(1);
    d.sim.run_to(core::sim_time{900});
    d.let_in(1);
    EXPECT_EQ(d.waits, (std::vector<std::uint64_t>{800, 100}));
}

}  // namespace request_server_test
