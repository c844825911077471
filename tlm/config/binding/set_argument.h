// SPDX-License-Identifier: Apache-2.0
// One --set a.b.c=value of a command line: the path, and the value as YAML, with positions in the argument's text.
#pragma once

#include <string_view>

#include "config/binding/binder.h"
#include "config/description/type_description.h"
#include "config/text/diagnostics.h"
#include "config/tree/provenance.h"

namespace contraflow::config {

// Writes the value into the struct; `argument` is the n-th, counted from 1.
void apply_set(const structure& members, void* object, std::string_view argument, unsigned n, provenance& origins,
               failures& failed, diagnostics& diag);

}  // namespace contraflow::config
