// SPDX-License-Identifier: Apache-2.0
// Makes a topology from the configuration's tree, and finds its nodes by name for communications. Every mistake in the
// tree is reported, with its place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/text/diagnostics.h"
#include "machines/tree_spec.h"

namespace contraflow::machines {

// The place of a value in the configuration: config::loaded::where, or a stand-in for a tree that was imported.
using locator = std::function<config::location(std::string_view path)>;

struct configured_tree {
    pcie::topology topology;
    std::vector<device_role> devices;  // by node id; meaningful for endpoints
};

std::optional<configured_tree> build_tree(const tree_spec& from, const locator& where, config::diagnostics& diag);

// Endpoints by name, and whether data can pass between them. Keeps a reference to the topology.
class endpoint_directory {
public:
    explicit endpoint_directory(const pcie::topology& topology);

    // None, and an error at `at`, for a name that is no endpoint's.
    std::optional<pcie::node_id> find(std::string_view name, const config::location& at,
                                      config::diagnostics& diag) const;
    // The same without an error message.
    std::optional<pcie::node_id> find(std::string_view name) const;
    // False, and an error that names both ends, if there is no path.
    bool joined(pcie::node_id from, pcie::node_id to, const config::location& at, config::diagnostics& diag) const;

private:
    const pcie::topology& topology_;
    std::unordered_map<std::string_view, pcie::node_id> by_name_;
    std::vector<pcie::node_id> root_complex_of_;  // by node id
};

}  // namespace contraflow::machines
