// SPDX-License-Identifier: Apache-2.0
// A program on small nodes by a scheme, to its end.
#pragma once

#include "machine.h"
#include "shmem/programs/scheme_run.h"

namespace contraflow::shmem::testing {

struct program_machine {
    core::simulation sim{core::time_source::scheduler};
    observe::statistics statistics;
    host::queue_pair_cluster cluster;
    scheme_run run;

    program_machine(const host::queue_pair_cluster::spec& c, program_if& p, const scheme_run::spec& s)
        : cluster("", sim.events(), statistics, c),
          run(sim.events(), cluster, p, s) {
        sim.run_to(sim_time::from_us(1));
        sim.run();
    }
    // To its end; returns what is wrong.
    std::string play(sim_time limit = sim_time::from_us(50'000)) {
        const sim_time end = sim.events().now() + limit;
        run.start();
        while (!run.finished()) {
            if (sim.events().now() >= end) {
                std::vector<core::wait_edge> edges;
                run.report_waits(edges);
                std::string text = "it never came:";
                for (const auto& e : edges) text += " " + e.waiter + " waits for " + e.resource + ";";
                return text;
            }
            sim.run_to(sim.events().now() + sim_time::from_us(1));
        }
        run.stop();
        sim.run();
        cluster.settle();
        observe::conservation checks;
        cluster.check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        return run.problem();
    }
    // Mean time of a step of PE 0, without the first.
    double us_a_step() const {
        const auto& ends = run.step_ends(0);
        return static_cast<double>((ends.back() - ends.front()).ps) / 1e6 / static_cast<double>(ends.size() - 1);
    }
};

inline scheme_run::spec by(scheme how) {
    scheme_run::spec s;
    s.how = how;
    return s;
}

}  // namespace contraflow::shmem::testing
