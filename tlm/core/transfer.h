// SPDX-License-Identifier: Apache-2.0
// What crosses links and networks. They never look into it; they tell it where it has been.
#pragma once

#include "core/units.h"

namespace contraflow::core {

class transfer {
public:
    // From when its first bit was on a link until its last one had arrived. `answer`: on its way back.
    virtual void crossed(const char* link, bool answer, sim_time started, sim_time arrived) = 0;
    // A node has passed it on. Names outlive it.
    virtual void passed(const char* node, sim_time now) = 0;

protected:
    ~transfer() = default;
};

}  // namespace contraflow::core
