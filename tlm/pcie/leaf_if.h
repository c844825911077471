// SPDX-License-Identifier: Apache-2.0
// What hangs at a leaf of a PCIe tree: the device that makes and takes TLPs.
#pragma once

#include "core/control.h"
#include "core/waiting.h"
#include "pcie/port.h"

namespace contraflow::pcie {

class leaf_if : public core::waiter_if, public core::controllable_if {
public:
    virtual port& link() = 0;
};

}  // namespace contraflow::pcie
