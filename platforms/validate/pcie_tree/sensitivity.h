// SPDX-License-Identifier: Apache-2.0
// How a TLM outcome on T2 depends on what no source states: the receive buffers, the latency of the root complex, and
// the payload of a write. Each with the root complex's small packets and without them, so that their part is seen.
#pragma once

#include <functional>
#include <string>

#include "pcie/fabric/fabric_spec.h"
#include "validate/table/row.h"

namespace contraflow::validate {

// The outcome for one specification, from sends of that size.
using tlm_outcome = std::function<double(const pcie::fabric_spec&, core::bytes size)>;

struct sensitivity {
    std::string text;       // "by receive buffers of 1600, ... B: 1.3, ..."
    face::section section;  // three charts
};
sensitivity sensitivity_of(const std::string& row, const std::string& outcome, const tlm_outcome& value);

}  // namespace contraflow::validate
