// SPDX-License-Identifier: Apache-2.0
// Moves of pages as trace events: a track for each move that may be in progress at a time, and a slice for each step.
#pragma once

#include "host/migration/steps.h"
#include "observe/trace.h"

namespace contraflow::host::migration {

class move_trace final : public move_observer_if {
public:
    explicit move_trace(observe::trace& to) : to_(to) {}
    void page_moved(const move_record& m) override;

private:
    observe::trace& to_;
};

}  // namespace contraflow::host::migration
