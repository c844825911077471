// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace contraflow::face {

// The text, in quotes if it needs them.
std::string csv_field(std::string_view text);

}  // namespace contraflow::face
