// SPDX-License-Identifier: Apache-2.0
// Requests and the responses to them travel in virtual channels of their own: whoever can always take responses is
// never kept from it by requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace contraflow::net {

enum class traffic_class : std::uint8_t { request, response };
inline constexpr std::size_t traffic_classes = 2;
inline constexpr std::array all_traffic_classes{traffic_class::request, traffic_class::response};

constexpr std::size_t index(traffic_class c) { return static_cast<std::size_t>(c); }

// A link's virtual channel: its class, and in a ring whether the packet has passed the place where the ring is cut.
constexpr unsigned vc_of(traffic_class c, bool past_cut) {
    return static_cast<unsigned>(c) + (past_cut ? static_cast<unsigned>(traffic_classes) : 0);
}
constexpr traffic_class class_of(unsigned vc) { return static_cast<traffic_class>(vc % traffic_classes); }
constexpr bool past_cut(unsigned vc) { return vc >= traffic_classes; }

}  // namespace contraflow::net
