// SPDX-License-Identifier: Apache-2.0
// Which graph a workload runs on: an R-MAT graph, a grid, or one that is read from a file; and its copy on the device
// (without weights).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "config/fields.h"
#include "gpu/kernel/device_memory.h"
#include "workloads/graph/graph.h"

namespace contraflow::workloads {

enum class graph_kind : std::uint8_t { rmat, grid, file };

struct graph_source {
    graph_kind kind = graph_kind::rmat;
    unsigned scale = 10;
    unsigned edge_factor = 16;
    std::uint32_t width = 64;
    std::uint32_t height = 64;
    std::string file;
    bool directed = false;
    std::uint64_t seed = 1;

    static void describe(config::fields<graph_source>& f);
};

// Throws text::input_error if a file has an error.
csr_graph make_graph(const graph_source& from);

struct device_graph {
    std::uint32_t vertices = 0;
    gpu::array<std::uint32_t> begin;
    gpu::array<std::uint32_t> to;

    device_graph() = default;
    device_graph(gpu::device_memory& memory, const csr_graph& g)
        : vertices(g.vertices),
          begin(memory.upload(g.begin)),
          to(memory.upload(g.to)) {}
};

}  // namespace contraflow::workloads

template <> struct contraflow::config::enum_names<contraflow::workloads::graph_kind> {
    using kind = contraflow::workloads::graph_kind;
    static constexpr std::array names{std::pair{kind::rmat, "rmat"}, std::pair{kind::grid, "grid"},
                                      std::pair{kind::file, "file"}};
};
