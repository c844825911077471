// SPDX-License-Identifier: Apache-2.0
// A file of data (a trace, an lstopo export) read whole, with what is wrong with it said as for a configuration.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/text/diagnostics.h"
#include "config/text/text_source.h"

namespace contraflow::machines {

// None, and an error at `named_at`, for what is missing, a directory, unreadable, empty, larger than `most`, or binary.
// `what`: what is expected of the file, for messages: "a trace is CSV text".
std::optional<config::source> read_input(const std::string& path, std::size_t most, std::string_view what,
                                         const config::location& named_at, config::diagnostics& diag);

}  // namespace contraflow::machines
