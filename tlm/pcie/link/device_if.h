// SPDX-License-Identifier: Apache-2.0
// The device that owns an endpoint's port: it makes and takes TLPs.
#pragma once

#include "core/control.h"
#include "core/waiting.h"
#include "pcie/link/port.h"

namespace contraflow::pcie {

class device_if : public core::waiter_if, public core::controllable_if {
public:
    virtual port& link() = 0;
};

}  // namespace contraflow::pcie
