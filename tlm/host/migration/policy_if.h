// SPDX-License-Identifier: Apache-2.0
// Which pages are wanted elsewhere. What stands against a move (windows, pins, room) is not a policy's business.
#pragma once

#include "host/migration/page_touch.h"

namespace contraflow::host::migration {

class policy_if {
public:
    virtual ~policy_if() = default;
    // Should the page be brought to who touched it? Also told of an owner's own touches, of which nothing follows.
    virtual bool wants(const page_touch& t) = 0;
    // The page is allocated no more.
    virtual void erase(const page_id&) {}
    virtual void reset() {}
};

}  // namespace contraflow::host::migration
