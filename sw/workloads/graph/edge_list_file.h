// SPDX-License-Identifier: Apache-2.0
// Reads graphs as lists of edges, the format of SNAP's collection: one edge per line, "from to" or "from to weight",
// vertices numbered from 0; lines that begin with # or % are comments.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "workloads/graph/graph.h"

namespace contraflow::workloads {

struct graph_limits {
    std::uint32_t vertices = 1u << 26;
    std::uint64_t edges = 1ull << 27;
    std::uint32_t weight = 1u << 20;
};

// The highest number sets the number of vertices. Throws text::input_error.
edge_list read_edge_list(std::istream& in, const std::string& name, const graph_limits& limits = {});
edge_list read_edge_list(const std::string& path, const graph_limits& limits = {});

}  // namespace contraflow::workloads
