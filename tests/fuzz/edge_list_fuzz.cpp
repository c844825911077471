// SPDX-License-Identifier: Apache-2.0
// Any bytes as a list of edges give a graph whose edges join its vertices, or one clear error.
#include <sstream>
#include <string>

#include "fuzz_target.h"
#include "text/text_fields.h"
#include "workloads/graph/edge_list_file.h"

namespace {

void read_edges(const std::string& input) {
    using namespace contraflow;
    workloads::edge_list list;
    try {
        std::istringstream in(input);
        list = workloads::read_edge_list(in, "fuzz.txt", {1u << 16, 1u << 16, 1u << 20});
    } catch (const text::input_error& e) {
        fuzz::must(std::string_view(e.what()).starts_with("fuzz.txt"), "an error without its place", e.what());
        return;
    }
    for (const auto& e : list.edges)
        fuzz::must(e.from < list.vertices && e.to < list.vertices, "an edge to no vertex", input);
    for (const auto& graph : {workloads::directed(list), workloads::undirected(list)})
        fuzz::must(graph.begin.size() == list.vertices + 1u && graph.begin.back() == graph.to.size(),
                   "vertices without their edges", input);
}

}  // namespace

CF_FUZZ(edge_list, read_edges)
