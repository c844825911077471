// SPDX-License-Identifier: Apache-2.0
// A model of one's own: a traffic shaper that passes packets at a mean rate. Compiled and run by the tests.
#include <iostream>
#include <vector>

#include "config/config.h"
#include "core/bounded_queue.h"
#include "core/simulation.h"
#include "observe/conservation.h"
#include "observe/counter.h"
#include "observe/histogram.h"

using namespace contraflow;

class token_bucket {
public:
    struct spec {
        core::bandwidth rate = core::bandwidth::from_gb_per_s(1);
        core::bytes packet{256};
        unsigned depth = 4;
        static void describe(config::fields<spec>& f) {
            f("rate", &spec::rate).text("mean rate of what passes");
            f("packet", &spec::packet).in(core::bytes{1}, core::bytes{4096}).text("size of a packet");
            f("depth", &spec::depth).in(1, 1024).unit("packets").text("packets that may wait");
        }
    };
    token_bucket(core::simulation& sim, observe::statistics& group, const spec& s)
        : events_(sim.events()),
          spec_(s),
          waiting_(s.depth),
          passed_(group, "bucket.passed", "packets", "packets that have passed"),
          delay_(group, "bucket.delay", "ps", "time from offer to passing") {}

    bool offer() {  // false: full, come again
        if (!waiting_.try_push(events_.now())) return false;
        if (waiting_.size() == 1) events_.after<&token_bucket::pass>(spec_.rate.time_of(spec_.packet), this);
        return true;
    }
    std::uint64_t passed() const { return passed_.value(); }

private:
    void pass() {
        delay_.add((events_.now() - waiting_.pop()).ps);
        ++passed_;
        if (!waiting_.empty()) events_.after<&token_bucket::pass>(spec_.rate.time_of(spec_.packet), this);
    }
    core::scheduler& events_;
    const spec spec_;
    core::bounded_queue<core::sim_time> waiting_;
    observe::counter passed_;
    observe::histogram delay_;
};

int main(int argc, char** argv) {
    config::diagnostics problems;
    const auto settings =
        config::load<token_bucket::spec>({}, std::vector<std::string>(argv + 1, argv + argc), problems);
    problems.print(std::cerr);
    if (problems.failed()) return 2;
    core::simulation sim;
    observe::statistics statistics;
    token_bucket bucket(sim, statistics, settings.value);
    std::uint64_t offered = 0;
    while (bucket.offer()) ++offered;
    sim.run();
    statistics.write_csv(std::cout, sim.events().now());
    observe::conservation checks;
    checks.check("packets", "packets", offered, bucket.passed());
    return checks.held() ? 0 : 1;
}
