// SPDX-License-Identifier: Apache-2.0
// One --set a.b.c=value of a command line: the path, and the value as YAML, with positions in the argument's text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
// The path of a struct of which the argument gives nothing but what it chooses by, as --set workload.name=relu does.
std::optional<std::string> choice_made_within(const structure& members, void* object, std::string_view argument);
// Whether the argument's path leads to that one, or below it.
bool is_below(std::string_view argument, std::string_view path);
// For each argument, which later one takes the place of all that it gave of a part of that one's value; none if it
// counts. A list or a single value does; a map, which is laid over what is there, if it gives that part itself or makes
// its choice anew.
std::vector<std::optional<std::size_t>> replaced_by(const structure& members, void* object,
                                                    const std::vector<std::string>& arguments);

}  // namespace contraflow::config
