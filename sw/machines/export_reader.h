// SPDX-License-Identifier: Apache-2.0
// The PCI part of an lstopo export (XML of hwloc 1.x and 2.x). It is not read by hwloc, which reports a damaged file
// only as a failure, and may crash (libhwloc 2.9 dereferences null pointers); this reader reports position and cause.
#pragma once

#include <optional>
#include <string>

#include "config/text/diagnostics.h"
#include "config/text/text_source.h"
#include "machines/machine_objects.h"

namespace contraflow::machines {

struct machine_export {
    machine_objects objects;
    std::string written_by;  // hwloc's version, if the export tells: "2.9.0"
};

// None, and an error with its place, if the file is no export or has a format that is too new.
std::optional<machine_export> read_export(const config::source& xml, config::diagnostics& diag);

// "2.11.1" against the hwloc this was built with: whether the writer is newer.
bool newer_than_library(std::string_view version);
std::string library_version();

}  // namespace contraflow::machines
