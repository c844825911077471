// SPDX-License-Identifier: Apache-2.0
// The lane policies there are: a file each, and a row here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "link/lane_controller_if.h"
#include "link/lane_spec.h"

namespace contraflow::link {

// Makes the controller of the link that has that name. Empty: what the specification's policy names, as a model.
using lane_controller_factory =
    std::function<std::unique_ptr<lane_controller_if>(const std::string& link, const lane_spec& s)>;

struct lane_policy {
    const char* name;
    const char* text;
    std::unique_ptr<lane_controller_if> (*make)(const lane_spec& s);
};

std::span<const lane_policy> lane_policies();
// Null for a name there is not.
const lane_policy* find_lane_policy(std::string_view name);
// "static, published or guarded"
std::string lane_policy_names();
// The controller that the specification names, which must be one there is.
std::unique_ptr<lane_controller_if> make_lane_controller(const lane_spec& s);

}  // namespace contraflow::link
