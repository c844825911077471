// SPDX-License-Identifier: Apache-2.0
// What a link counts of its lanes and windows; what is each direction's is in channel_statistics.h.
#pragma once

#include <string>

#include "observe/statistics.h"

namespace contraflow::link {

struct link_statistics {
    link_statistics(observe::statistics& group, const std::string& path)
        : turns(group, path + ".turns", "turns", "lanes that a decision of the controller turned"),
          launches(group, path + ".launches", "launches", "kernel launches, at which the lanes return to symmetric"),
          saturated_both(group, path + ".saturated_both", "windows", "windows in which both directions were saturated"),
          saturated_one(group, path + ".saturated_one", "windows", "windows in which exactly one direction was"),
          saturated_none(group, path + ".saturated_none", "windows", "windows in which neither direction was"),
          failed_lanes(group, path + ".failed_lanes", "lanes", "lanes that failed"),
          refused(group, path + ".refused", "decisions", "decisions of the controller that broke a rule") {}

    observe::counter turns, launches, saturated_both, saturated_one, saturated_none, failed_lanes, refused;
};

}  // namespace contraflow::link
