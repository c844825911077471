// SPDX-License-Identifier: Apache-2.0
// A configuration of torus_nic: the experiment, the torus, the traffic and the faults.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "host/cluster/rdma_node_spec.h"
#include "net/torus/torus_spec.h"
#include "net/traffic/traffic_pattern.h"
#include "observe/watchdog.h"
#include "torus_nic/experiment/message_spec.h"
#include "torus_nic/experiment/program_spec.h"

namespace contraflow::torus_nic {

enum class experiment_kind { offered_load, latency, bandwidth, read, programs, nodes };

// A credit that never returns to a link.
struct lost_credit {
    core::sim_time at{};
    std::string link;
    std::uint32_t channel = 0;

    static void describe(config::fields<lost_credit>& f) {
        f("at", &lost_credit::at).text("the next credit after this moment");
        f("link", &lost_credit::link).required().text("node and direction, as in node5.x+");
        f("channel", &lost_credit::channel).text("virtual channel of the packets, from 0 on");
    }
};

struct experiment {
    experiment_kind kind = experiment_kind::offered_load;
    net::torus_spec torus;
    host::rdma_node_spec node;
    receive_choice receive;
    message_spec messages;
    program_spec programs;
    net::traffic_spec traffic;
    std::vector<double> loads{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
    std::vector<lost_credit> lost_credits;
    core::sim_time watchdog = observe::watchdog_key::usual;
    std::uint64_t seed = 1;

    static void describe(config::fields<experiment>& f) {
        f("experiment", &experiment::kind)
            .text("offered_load: the network alone, with random traffic of given loads; latency: messages between two "
                  "nodes, back and forth; bandwidth: messages one after the other; read: GPU memory is read, and what "
                  "leaves the NIC is thrown away; programs: programs of all nodes; nodes: latency, then bandwidth from "
                  "each node to the next one, then programs");
        f("torus", &experiment::torus).text("the network");
        f("node", &experiment::node).text("the parts of each node; not in offered_load");
        f("receive", &experiment::receive).text("how NICs receive; not in offered_load");
        f("messages", &experiment::messages).text("latency, bandwidth, read, nodes: the messages");
        f("programs", &experiment::programs).text("programs, nodes: the programs of all nodes");
        f("traffic", &experiment::traffic).text("offered_load: pattern, packets and length of the traffic");
        f("loads", &experiment::loads)
            .in(0.001, 1)
            .unit("words a cycle")
            .text("offered_load: traffic that each node creates, a run each; 1 is what a node can send");
        f("lost_credits", &experiment::lost_credits)
            .text("faults of each run, credits of the torus that are lost on their way back");
        observe::watchdog_key::describe(f, &experiment::watchdog);
        f.renamed("node.fabric.watchdog", "watchdog");
        f("seed", &experiment::seed).text("seed of traffic, errors and the contents of memories");
    }
};

// The channel of a link that a lost credit belongs to: responses have the second half of the channels.
inline std::uint32_t lost_credit_channel(const net::torus_spec& s, const lost_credit& lost) {
    return s.virtual_channels + lost.channel;
}
// The torus, with errors of the experiment's seed.
net::torus_spec torus_of(const experiment& e);

}  // namespace contraflow::torus_nic

template <> struct contraflow::config::enum_names<contraflow::torus_nic::experiment_kind> {
    using e = contraflow::torus_nic::experiment_kind;
    static constexpr std::array names{std::pair{e::offered_load, "offered_load"}, std::pair{e::latency, "latency"},
                                      std::pair{e::bandwidth, "bandwidth"},       std::pair{e::read, "read"},
                                      std::pair{e::programs, "programs"},         std::pair{e::nodes, "nodes"}};
};

inline contraflow::net::torus_spec contraflow::torus_nic::torus_of(const experiment& e) {
    net::torus_spec s = e.torus;
    s.seed = e.seed;
    return s;
}
