// SPDX-License-Identifier: Apache-2.0
// Reads a whole data file (a trace, an lstopo export); errors have the form of a configuration's errors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/text/diagnostics.h"
#include "config/text/text_source.h"

namespace contraflow::machines {

// None, and an error at `named_at`, if it is missing, a directory, unreadable, empty, larger than `most`, or binary.
// `what` names it among the inputs of a run: "trace". `wanted`: the expected content of the file, for messages: "a
// trace is CSV text".
std::optional<config::source> read_input(const std::string& what, const std::string& path, std::size_t most,
                                         std::string_view wanted, const config::location& named_at,
                                         config::diagnostics& diag);

}  // namespace contraflow::machines
