// SPDX-License-Identifier: Apache-2.0
// Names of signals in wave files: dotted names to scopes, identifiers of a VCD, names as GTKWave spells them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::observe {

// Replaces characters that a VCD name may not contain with '_'. An empty part of a name is a std::logic_error.
std::string checked_wave_name(std::string name);
// "gpu[0].l2.entries" -> "gpu[0]", "l2", "entries".
std::vector<std::string_view> parts_of(std::string_view name);
// The scopes of a signal, "gpu[0].l2"; empty at the top.
std::string_view scope_of(std::string_view name);
// The order in which to list signals so that each scope is opened once: scopes in order of first appearance, a scope's
// own signals before those of its inner scopes.
std::vector<std::uint32_t> order_by_scope(const std::vector<std::string_view>& names);
// The n-th compact identifier: "!", then "\"", ..., "~", "!!", ...
std::string wave_code(std::size_t number);
// "[7:0]"; empty for one bit.
std::string bit_range(unsigned bits);

}  // namespace contraflow::observe
