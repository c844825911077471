// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/edge_list_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "text/text_fields.h"

namespace contraflow::workloads {

edge_list read_edge_list(std::istream& in, const std::string& name, const graph_limits& limits) {
    text::text_fields text(in, name, "#%");
    edge_list list;
    bool weighted = false;
    while (text.next_line()) {
        if (list.edges.size() == limits.edges)
            text.refuse("the graph has too many edges", fmt::format("at most {} are allowed", limits.edges));
        graph_edge e;
        e.from = static_cast<std::uint32_t>(text.whole("a vertex", 0, limits.vertices - 1));
        e.to = static_cast<std::uint32_t>(text.whole("a vertex", 0, limits.vertices - 1));
        if (list.edges.empty()) weighted = text.more();
        if (weighted) e.weight = static_cast<std::uint32_t>(text.whole("a weight", 1, limits.weight));
        text.end_of_line();
        list.vertices = std::max({list.vertices, e.from + 1, e.to + 1});
        list.edges.push_back(e);
    }
    if (list.edges.empty()) text.refuse("the text has no edge", "at least one line 'from to' is needed");
    return list;
}

edge_list read_edge_list(const std::string& path, const graph_limits& limits) {
    std::ifstream in = text::open_text(path, "graph");
    return read_edge_list(in, path, limits);
}

}  // namespace contraflow::workloads
