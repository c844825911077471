// SPDX-License-Identifier: Apache-2.0
// What stands behind the IOMMU: who places, moves and opens pages, and who reports what is wrong.
#pragma once

#include "memory/vm/translation.h"

namespace contraflow::host {

enum class walk_verdict {
    answer,  // as it is: a fault goes back to who asked
    hold,    // it stays in the IOMMU until resume() names its page, and is walked for again
};

class fault_sink_if {
public:
    // Nothing is mapped, or not for this access.
    virtual walk_verdict faulted(const memory::translation_request& request) = 0;
    // The page was found: it may be about to move to who asked, or who asked may have a copy of his own, which is the
    // answer then.
    virtual walk_verdict found(memory::translation_request&) { return walk_verdict::answer; }

protected:
    ~fault_sink_if() = default;
};

}  // namespace contraflow::host
