// SPDX-License-Identifier: Apache-2.0
// The lane policies, each in a file and with a row here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "link/lanes/lane_set_if.h"
#include "link/lanes/lane_spec.h"

namespace contraflow::link {

// Makes the lanes of the link with that name; a cycle of its clock has that many picoseconds. If empty, the model is
// used with the specified policy.
using lane_set_factory = std::function<std::unique_ptr<lane_set_if>(const std::string& link, const lane_spec& s,
                                                                    std::uint64_t picoseconds_a_cycle)>;

struct lane_policy {
    const char* name;
    const char* text;
    std::unique_ptr<lane_policy_if> (*make)(const lane_spec& s);
};

std::span<const lane_policy> lane_policies();
// Null for an unknown name.
const lane_policy* find_lane_policy(std::string_view name);
// "static, published or guarded"
std::string lane_policy_names();
// The policy named by the specification, which must exist, and a bank that uses it.
std::unique_ptr<lane_policy_if> make_lane_policy(const lane_spec& s);
std::unique_ptr<lane_set_if> make_lane_bank(const lane_spec& s, std::uint64_t ticks_a_cycle = 1);

}  // namespace contraflow::link
