// SPDX-License-Identifier: Apache-2.0
// Decides what happens with a walk's result: the page migrator, which is in a folder above this one. Without one, a
// fault goes back to the requester.
#pragma once

#include "memory/vm/translation.h"

namespace contraflow::host {

enum class walk_verdict {
    answer,  // return the result; a fault goes back to the requester
    hold,    // hold the request in the IOMMU until resume() names its page, and then walk again
};

class fault_sink_if {
public:
    // No page is mapped there, or none that permits this access.
    virtual walk_verdict faulted(const memory::translation_request& request) = 0;
    // A page was found. The sink may hold the request because the page is about to move to the requester's GPU, or
    // replace the answer by a copy of the page in that GPU's own memory.
    virtual walk_verdict found(memory::translation_request&) { return walk_verdict::answer; }

protected:
    ~fault_sink_if() = default;
};

}  // namespace contraflow::host
