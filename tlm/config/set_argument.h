// SPDX-License-Identifier: Apache-2.0
// One --set a.b.c=value of a command line: the path, and the value as YAML, with positions in the argument's text.
#pragma once

#include <string_view>

#include "config/binder.h"
#include "config/diagnostics.h"
#include "config/provenance.h"
#include "config/type_description.h"

namespace contraflow::config {

// Writes the value into the struct; `argument` is the n-th, counted from 1.
void apply_set(const structure& members, void* object, std::string_view argument, unsigned n, provenance& origins,
               failures& failed, diagnostics& diag);

}  // namespace contraflow::config
