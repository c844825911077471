// SPDX-License-Identifier: Apache-2.0
// R1, R2: times of the NIC's receive datapath in RTL against those of its TLM model, from the first packet to the last
// action, with tables that answer in 20 ns and writes that are acknowledged after 400 ns.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "nic/receive/random_case.h"
#include "nic/receive/receive_case.h"
#include "nic/receive/receive_replay.h"
#include "nic_levels/receive_level.h"
#include "shipped_yaml.h"
#include "validate/table/rows.h"

namespace contraflow::validate {
namespace {

using nic_levels::receive_level;

constexpr std::uint64_t seeds = 6;
constexpr unsigned packets_of_a_seed = 500;
constexpr std::size_t one_in = 20;  // so many of the random packets are also played alone

nic::replay_outcome played(const nic::receive_case& c, receive_level level, const run_environment& environment) {
    nic_levels::level_difference none;
    auto o = nic::replay(c, {}, nic_levels::receive_factory(level, {}, none), {}, environment.keep_going);
    if (o.failure) std::rethrow_exception(o.failure);
    environment.check();
    if (!o.complete) throw std::runtime_error(fmt::format("case \"{}\" does not end: {}", c.name, o.hang));
    return o;
}

class comparison {
public:
    void add(core::sim_time model, core::sim_time rtl) {
        model_ += model.ps;
        rtl_ += rtl.ps;
        const double off = of(rtl.ps, model.ps);
        if (std::abs(off) > std::abs(most_)) most_ = off;
        ++cases_;
    }
    measurement result(std::string_view what) const {
        return {{of(rtl_, model_), most_}, fmt::format("{} {}, each at both levels.", cases_, what), {}, {}};
    }

private:
    static double of(std::uint64_t rtl, std::uint64_t model) {
        return 100 * (static_cast<double>(rtl) / static_cast<double>(model) - 1);
    }
    std::uint64_t model_ = 0, rtl_ = 0;
    double most_ = 0;
    std::size_t cases_ = 0;
};

std::vector<nic::receive_case> worked() { return nic::parse_receive_cases(worked_json).cases; }

std::vector<nic::receive_case> random_cases() {
    std::vector<nic::receive_case> cases;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        cases.push_back(nic::random_receive_case(seed, packets_of_a_seed));
    return cases;
}

comparison in_a_row(const std::vector<nic::receive_case>& cases, const run_environment& environment) {
    comparison result;
    for (const nic::receive_case& c : cases)
        result.add(played(c, receive_level::tlm, environment).last_action,
                   played(c, receive_level::rtl, environment).last_action);
    return result;
}

// Packets alone: puts that are accepted, or all others.
comparison alone(bool puts, const run_environment& environment) {
    comparison result;
    const auto each = [&](const nic::receive_case& c, std::size_t step) {
        nic::receive_case one = c;
        for (std::size_t i = 0; i < c.packets.size(); i += step) {
            one.packets = {c.packets[i]};
            const auto model = played(one, receive_level::tlm, environment);
            if ((model.result.counters.accepted != 0) == puts)
                result.add(model.last_action, played(one, receive_level::rtl, environment).last_action);
        }
    };
    for (const nic::receive_case& c : worked()) each(c, 1);
    for (const nic::receive_case& c : random_cases()) each(c, one_in);
    return result;
}

}  // namespace

measurement time_of_a_put_in_rtl(const run_environment& environment) {
    return alone(true, environment).result("puts of the worked cases and of random traffic");
}

measurement time_of_other_packets_in_rtl(const run_environment& environment) {
    return alone(false, environment)
        .result("get requests and dropped packets of the worked cases and of random traffic");
}

measurement time_of_worked_cases_in_rtl(const run_environment& environment) {
    return in_a_row(worked(), environment).result("worked cases, their packets as fast as they are taken");
}

measurement time_of_random_packets_in_rtl(const run_environment& environment) {
    return in_a_row(random_cases(), environment)
        .result(fmt::format("cases of {} random packets, as fast as they are taken", packets_of_a_seed));
}

}  // namespace contraflow::validate
