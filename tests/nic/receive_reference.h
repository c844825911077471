// SPDX-License-Identifier: Apache-2.0
// The rules of the receive datapath in a second, plain version without time: the models are compared with it.
#pragma once

#include "nic/receive/receive_case.h"

namespace contraflow::testing {

// The result of a case by the rules.
nic::receive_result expected_of(const nic::receive_case& c);

}  // namespace contraflow::testing
