// SPDX-License-Identifier: Apache-2.0
// The status of a TLM-2.0 response whose PCIe completion did not come in time.
#pragma once

#include <string>

#include <tlm>

namespace contraflow::pcie {

// The response status after a completion timeout. The standard has no status for it. This value is negative, so every
// initiator sees an error (is_response_error()), and the enumeration can hold it.
inline constexpr auto completion_timed_out = static_cast<tlm::tlm_response_status>(-6);

// A response's status as text.
inline std::string reason_of(const tlm::tlm_generic_payload& answered) {
    return answered.get_response_status() == completion_timed_out ? "completion timeout"
                                                                  : answered.get_response_string();
}

}  // namespace contraflow::pcie
