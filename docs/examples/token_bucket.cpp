// SPDX-License-Identifier: Apache-2.0
// A model of one's own: a token bucket lets packets pass at a mean rate, in bursts of limited length. Compiled and run
// by the tests.
//
//   source --try_push()--> [ channel: depth ] --can_take() take()--> token_bucket
//          <--channel_ready()--               <--resume()--          a timer adds tokens
#include <iostream>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/channel.h"
#include "core/simulation.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "observe/conservation.h"
#include "observe/counter.h"
#include "observe/histogram.h"

using namespace contraflow;

using packet = core::sim_time;  // this model needs only the time at which a packet was offered
using packet_channel = core::channel<packet>;

class token_bucket final : public core::waiter_if, private core::channel_receiver_if<packet> {
public:
    struct spec {
        core::bandwidth rate = core::bandwidth::from_gb_per_s(1);
        core::bytes packet{256};
        unsigned burst = 4;
        unsigned depth = 4;
        static void describe(config::fields<spec>& f) {
            f("rate", &spec::rate).text("mean rate of what passes");
            f("packet", &spec::packet).in(core::bytes{1}, core::bytes{4096}).text("size of a packet");
            f("burst", &spec::burst).in(1, 1024).unit("packets").text("packets that may pass at once");
            f("depth", &spec::depth).in(1, 1024).unit("packets").text("packets that may wait");
        }
    };
    token_bucket(core::simulation& sim, observe::statistics& group, const spec& s,
                 core::channel_sender_if<packet>& source)
        : events_(sim.events()),
          spec_(s),
          tokens_(s.burst),
          in_(events_, {.path = "bucket.in", .depth = s.depth}, {source, 0, "source"}, {*this, 0, "bucket"}),
          refill_(events_, *this),
          passed_(group, "bucket.passed", "packets", "packets that have passed"),
          delay_(group, "bucket.delay", "ps", "time from offer to passing") {}

    packet_channel& in() { return in_; }
    std::uint64_t passed() const { return passed_.value(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override { in_.report_waits(edges); }

private:
    // channel_receiver_if
    bool can_take(unsigned, const packet&) override { return tokens_ != 0; }
    void take(unsigned, packet offered) override {
        --tokens_;
        ++passed_;
        delay_.add((events_.now() - offered).ps);
        if (!refill_.armed()) refill_.arm_after(spec_.rate.time_of(spec_.packet));
    }
    void refill() {
        if (++tokens_ < spec_.burst) refill_.arm_after(spec_.rate.time_of(spec_.packet));
        in_.resume();  // offers the packet that was refused
    }

    core::scheduler& events_;
    const spec spec_;
    unsigned tokens_;
    packet_channel in_;
    core::timer<&token_bucket::refill> refill_;
    observe::counter passed_;
    observe::histogram delay_;
};

// Offers packets as fast as the channel takes them.
class source final : public core::channel_sender_if<packet> {
public:
    source(core::simulation& sim, std::uint64_t packets) : events_(sim.events()), left_(packets) {}
    void send(packet_channel& to) {
        to_ = &to;
        while (left_ != 0 && to.try_push(events_.now())) --left_;
    }
    void channel_ready(unsigned) override { send(*to_); }

private:
    core::scheduler& events_;
    std::uint64_t left_;
    packet_channel* to_ = nullptr;
};

int main(int argc, char** argv) {
    config::diagnostics problems;
    const auto settings =
        config::load<token_bucket::spec>({}, std::vector<std::string>(argv + 1, argv + argc), problems);
    problems.print(std::cerr);
    if (problems.failed()) return 2;
    constexpr std::uint64_t packets = 64;
    core::simulation sim;
    observe::statistics statistics;
    source from(sim, packets);
    token_bucket bucket(sim, statistics, settings.value, from);
    from.send(bucket.in());
    sim.run();
    statistics.write_csv(std::cout, sim.events().now());
    observe::conservation checks;
    checks.check("packets", "packets", packets, bucket.passed());
    return checks.held() ? 0 : 1;
}
