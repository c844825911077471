// SPDX-License-Identifier: Apache-2.0
// The parameters of the TLM model of a PCIe tree, without the tree itself: those of all such trees, and those of
// pcie_tree. Sources of the defaults: docs/assumptions.md.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "pcie/fabric/fault_plan.h"
#include "pcie/fabric/pcie_switch.h"

namespace contraflow::pcie {

// How a communication is carried out: the source writes, or the destination reads.
enum class transfer_mode { push, pull };

struct switch_weight {
    std::string node;
    std::vector<unsigned> weights;

    static void describe(config::fields<switch_weight>& f) {
        f("node", &switch_weight::node).required().text("switch or root complex");
        f("weights", &switch_weight::weights)
            .in(1, 1024)
            .unit("TLPs")
            .text("TLPs an input sends in its turn: the port upwards first, then the children");
    }
};

// The parameters of all trees: links, switches, and how devices cut what they move.
struct link_tree_spec {
    core::bytes max_payload{128};
    core::bytes max_read_request{512};
    core::bytes read_completion_boundary{128};
    std::uint32_t tags = 64;
    core::bytes root_complex_payload{64};
    core::sim_time propagation = core::sim_time::from_ns(5);
    core::sim_time switch_latency = core::sim_time::from_ns(100);
    core::sim_time root_complex_latency = core::sim_time::from_ns(150);
    core::sim_time endpoint_latency = core::sim_time::from_ns(50);
    forwarding switching = forwarding::cut_through;
    std::vector<switch_weight> arbitration;  // elsewhere an input sends one TLP in its turn
    // Receive buffers. 0: those of link_tree::usual_buffer(), except non_posted_data: no such buffer.
    core::bytes posted_data{0};
    std::uint64_t posted_headers = 0;
    core::bytes non_posted_data{0};
    std::uint64_t non_posted_headers = 0;
    core::bytes completion_data{0};
    std::uint64_t completion_headers = 0;
    std::uint64_t replay_tlps = 256;
    core::sim_time completion_timeout{};  // 0: none
    fault_plan faults;

    // The smallest full TLP has 64 bytes: less would be another buffer than the one that was asked for.
    static bool may_be_buffer(core::bytes b) { return b.count == 0 || (b.count >= 64 && b.count <= 1u << 24); }

    // All keys but those of arbitration and of the buffers for requests with data: which there are depends on the
    // tree's user.
    template <class S> static void describe_tree(config::fields<S>& f);
    // Arbitration, and the buffers for posted writes.
    template <class S> static void describe_posted(config::fields<S>& f);
};

// For pcie_tree, whose DMA engines carry out communications: posted writes, or reads.
struct fabric_spec : link_tree_spec {
    transfer_mode transfers = transfer_mode::push;

    static void describe(config::fields<fabric_spec>& f) { describe_fabric(f); }
    // The same keys for a struct that derives from it.
    template <class S> static void describe_fabric(config::fields<S>& f);
};

template <class S> void link_tree_spec::describe_tree(config::fields<S>& f) {
    using core::bytes;
    constexpr bytes least{64}, most{4096};
    f("max_payload", &S::max_payload).in(least, most).power_of_two().text("payload of a write");
    f("max_read_request", &S::max_read_request).in(least, most).power_of_two().text("bytes a read asks for");
    f("read_completion_boundary", &S::read_completion_boundary)
        .in(least, most)
        .power_of_two()
        .text("payload of a completion");
    f("tags", &S::tags).in(1, 1024).text("requests of an endpoint that are under way and will be answered");
    f("root_complex_payload", &S::root_complex_payload)
        .in(bytes{16}, most)
        .power_of_two()
        .text("largest payload that a root complex forwards in one TLP");
    f("propagation", &S::propagation).text("time on every link, from end to end");
    f("switch_latency", &S::switch_latency).text("time from a header's arrival to its departure, idle");
    f("root_complex_latency", &S::root_complex_latency)
        .text("time from a TLP's last byte to its first piece's departure, idle");
    f("endpoint_latency", &S::endpoint_latency).text("time from a TLP's last byte to the device");
    f("switching", &S::switching).text("when a switch may begin to forward a TLP");
    f("non_posted_headers", &S::non_posted_headers)
        .in(0, 65536)
        .unit("TLPs")
        .text("requests to be answered that a gen3 x16 receive buffer takes; faster ports in proportion; 0: see "
              "completion_data");
    f("completion_data", &S::completion_data)
        .check(may_be_buffer, "0B, or 64B to 16MiB")
        .text("receive buffer of a gen3 x16 port for completions, with at least one full TLP; faster ports in "
              "proportion, with at least two; 0: that of a real port, and at least what the link carries until credits "
              "are back");
    f("completion_headers", &S::completion_headers)
        .in(0, 65536)
        .unit("TLPs")
        .text("completions a receive buffer takes; see non_posted_headers");
    f("replay_tlps", &S::replay_tlps)
        .in(1, 65536)
        .unit("TLPs")
        .text("TLPs a gen3 x16 port keeps until they are acknowledged; faster ones in proportion");
    f("completion_timeout", &S::completion_timeout)
        .text("a request that is not answered for this long ends the run with an error; 0s: it waits for ever");
    f("faults", &S::faults).text("injected faults");
}

template <class S> void fabric_spec::describe_fabric(config::fields<S>& f) {
    f("transfers", &S::transfers).text("push: the source writes; pull: the destination reads");
    S::describe_tree(f);
    S::describe_posted(f);
}

template <class S> void link_tree_spec::describe_posted(config::fields<S>& f) {
    f("arbitration", &S::arbitration).text("weighted round-robin where given; one TLP a turn elsewhere");
    f("posted_data", &S::posted_data)
        .check(may_be_buffer, "0B, or 64B to 16MiB")
        .text("receive buffer of a gen3 x16 port for writes; see completion_data");
    f("posted_headers", &S::posted_headers)
        .in(0, 65536)
        .unit("TLPs")
        .text("writes a receive buffer takes; see non_posted_headers");
}

}  // namespace contraflow::pcie

template <> struct contraflow::config::enum_names<contraflow::pcie::transfer_mode> {
    static constexpr std::array names{std::pair{contraflow::pcie::transfer_mode::push, "push"},
                                      std::pair{contraflow::pcie::transfer_mode::pull, "pull"}};
};
template <> struct contraflow::config::enum_names<contraflow::pcie::forwarding> {
    static constexpr std::array names{std::pair{contraflow::pcie::forwarding::cut_through, "cut_through"},
                                      std::pair{contraflow::pcie::forwarding::store_and_forward, "store_and_forward"}};
};
