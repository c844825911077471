// SPDX-License-Identifier: Apache-2.0
// nic: the receive datapath at both of its levels, by words of 16 bytes.
#include <stdexcept>

#include <fmt/format.h>

#include "nic/receive/receive_replay.h"
#include "nic_levels/receive_level.h"
#include "validate/table/experiments.h"
#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {
namespace {

using nic_levels::receive_level;

constexpr double cycle_ns = 5;  // 200 MHz

// Of each further packet of 4 KiB, when they come back to back.
double ns_of_a_packet(receive_level level, const run_environment& environment) {
    const auto last_action_ns = [&](std::size_t packets) {
        nic::receive_case c = packets_behind(1);
        c.packets.resize(packets);
        nic_levels::level_difference none;
        const auto o = nic::replay(c, {}, nic_levels::receive_factory(level, {}, none), {}, environment.keep_going);
        if (o.failure) std::rethrow_exception(o.failure);
        environment.check();
        if (!o.complete || o.result.counters.accepted != packets) throw std::runtime_error("packets were not accepted");
        return o.last_action.seconds() * 1e9;
    };
    constexpr std::size_t some = 20, more = 50;
    return (last_action_ns(more) - last_action_ns(some)) / static_cast<double>(more - some);
}

answer long_packets(const run_environment& environment) {
    const auto words = static_cast<double>(packets_behind(1).packets[0].size()) / 16;
    return {{words * cycle_ns, words * cycle_ns},
            {ns_of_a_packet(receive_level::tlm, environment), ns_of_a_packet(receive_level::rtl, environment)},
            fmt::format("{} words", words)};
}
}  // namespace

std::vector<experiment> nic_experiments() {
    return {
        {"nic.long_packets", "packets of 4 KiB back to back: model, RTL", "words of 16 bytes x cycle", "ns",
         relation::equal, 0.05, long_packets},
    };
}

}  // namespace contraflow::validate
