// SPDX-License-Identifier: Apache-2.0
#include "link/lanes/policies.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "link/lanes/guarded_policy.h"
#include "link/lanes/lane_bank.h"
#include "link/lanes/predictive_policy.h"
#include "link/lanes/published_policy.h"
#include "link/lanes/static_policy.h"

namespace contraflow::link {
namespace {

template <class Policy> std::unique_ptr<lane_policy_if> make(const lane_spec& s) { return std::make_unique<Policy>(s); }

constexpr std::array<lane_policy, 4> table{
    {{"static", "no lane ever turns", make<static_policy>},
     {"published", "a lane turns to the only saturated direction", make<published_policy>},
     {"guarded", "as published, unless the giver would saturate for it", make<guarded_policy>},
     {"predictive", "as published, and lanes follow the load before it saturates", make<predictive_policy>}}};

}  // namespace

std::span<const lane_policy> lane_policies() { return table; }

const lane_policy* find_lane_policy(std::string_view name) {
    const auto at = std::find_if(table.begin(), table.end(), [&](const lane_policy& p) { return p.name == name; });
    return at == table.end() ? nullptr : &*at;
}

std::string lane_policy_names() {
    std::string names = table.front().name;
    for (std::size_t i = 1; i < table.size(); ++i)
        names += fmt::format("{}{}", i + 1 == table.size() ? " or " : ", ", table[i].name);
    return names;
}

std::unique_ptr<lane_policy_if> make_lane_policy(const lane_spec& s) {
    const lane_policy* policy = find_lane_policy(s.policy);
    if (policy == nullptr) throw std::logic_error(fmt::format("no lane policy '{}'", s.policy));
    return policy->make(s);
}

std::unique_ptr<lane_set_if> make_lane_bank(const lane_spec& s, std::uint64_t ticks_a_cycle) {
    return std::make_unique<lane_bank>(s, make_lane_policy(s), ticks_a_cycle);
}

}  // namespace contraflow::link
