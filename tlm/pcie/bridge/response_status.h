// SPDX-License-Identifier: Apache-2.0
// How a TLM-2.0 response says that PCIe lost it.
#pragma once

#include <string>

#include <tlm>

namespace contraflow::pcie {

// What a request is answered with whose completion did not come in time. The standard has no status for it; as a
// negative one, this is an error to everybody (is_response_error()), and the enumeration can hold it.
inline constexpr auto completion_timed_out = static_cast<tlm::tlm_response_status>(-6);

// A response's status, for people.
inline std::string reason_of(const tlm::tlm_generic_payload& answered) {
    return answered.get_response_status() == completion_timed_out ? "completion timeout"
                                                                  : answered.get_response_string();
}

}  // namespace contraflow::pcie
