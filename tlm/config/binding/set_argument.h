// SPDX-License-Identifier: Apache-2.0
// One --set a.b.c=value of a command line: the path, and the value as YAML, with positions in the argument's text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/binding/binder.h"
#include "config/description/type_description.h"
#include "config/text/diagnostics.h"
#include "config/tree/provenance.h"

namespace contraflow::config {

// Writes the value into the struct; `argument` is the n-th, counted from 1.
void apply_set(const structure& members, void* object, std::string_view argument, unsigned n, provenance& origins,
               failures& failed, diagnostics& diag);

// The path of a struct whose choice the argument makes anew, as in --set 'workload={name: relu}': its first key is what
// it chooses by. What the file and earlier arguments say about it was meant for another choice. None if it does not.
std::optional<std::string> choice_made_anew(const structure& members, void* object, std::string_view argument);
// Whether the argument's path leads to that one, or below it.
bool is_below(std::string_view argument, std::string_view path);

}  // namespace contraflow::config
