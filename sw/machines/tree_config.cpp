// SPDX-License-Identifier: Apache-2.0
#include "machines/tree_config.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace contraflow::machines {
namespace {

using pcie::node_kind;

constexpr std::size_t longest_name = 64;

bool is_usable_name(std::string_view name) {
    if (name.empty() || name.size() > longest_name) return false;
    // Names are used in CSV traces, in paths such as NODE.up, and in waves.
    return std::none_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) <= 0x20 || c == '.' || c == ',' || c == '"' || c == 0x7f;
    });
}

class builder {
public:
    builder(const tree_spec& from, const locator& where, config::diagnostics& diag)
        : from_(from),
          where_(where),
          diag_(diag) {}

    std::optional<configured_tree> run() {
        const auto before = diag_.errors();
        if (from_.tree.name.empty() && from_.tree.children.empty()) {
            diag_.error(where_("tree"), "there is no tree",
                        "describe one under `tree`, or read a machine's with --topology");
            return std::nullopt;
        }
        add(from_.tree, nullptr, pcie::no_node, "tree");
        built_.topology.socket_link = from_.socket_link;
        if (from_.socket_link && from_.tree.kind != node_kind::machine)
            diag_.warning(where_("socket_link"), "socket_link has no effect: the tree has one root complex only");
        if (diag_.errors() > before) return std::nullopt;
        return std::move(built_);
    }

private:
    void error(const std::string& path, std::string message, std::string hint = {}) {
        diag_.error(where_(path), std::move(message), std::move(hint));
    }

    void add(const node_spec& node, const node_spec* above, pcie::node_id parent, const std::string& path) {
        const auto label = node.name.empty() ? std::string("a node") : config::quoted(node.name);
        check_name(node, path);
        check_place(node, above, label, path);
        check_children(node, label, path);
        pcie::topology_node added;
        added.name = node.name;
        added.kind = node.kind;
        added.about = node.about;
        added.link = node.link.value_or(from_.link);
        const auto id = built_.topology.add(std::move(added), parent);
        built_.devices.push_back(node.device.value_or(device_role::gpu));
        for (std::size_t i = 0; i < node.children.size(); ++i)
            add(node.children[i], &node, id, fmt::format("{}.children[{}]", path, i));
    }

    void check_name(const node_spec& node, const std::string& path) {
        if (!is_usable_name(node.name)) {
            error(path + ".name",
                  node.name.empty() ? "a node without a name"
                                    : fmt::format("{} can't be a name", config::quoted(node.name)),
                  fmt::format("1 to {} characters, no space, dot, comma or double quote", longest_name));
            return;
        }
        const auto [first, fresh] = named_.try_emplace(node.name, path);
        if (!fresh)
            error(path + ".name", fmt::format("two nodes are called {}", config::quoted(node.name)),
                  fmt::format("the other stands at {}", config::to_text(where_(first->second + ".name"))));
    }

    void check_place(const node_spec& node, const node_spec* above, const std::string& label, const std::string& path) {
        const auto kind = path + ".kind";
        if (above == nullptr) {
            if (node.kind != node_kind::root_complex && node.kind != node_kind::machine)
                error(kind, fmt::format("the root {} is of kind {}", label, config::name_of(node.kind)),
                      "the root is a root_complex, or a machine with several");
        } else if (node.kind == node_kind::machine) {
            error(kind, fmt::format("the machine {} stands below {}", label, config::quoted(above->name)),
                  "a machine is the root");
        } else if (node.kind == node_kind::root_complex && above->kind != node_kind::machine) {
            error(kind, fmt::format("the root complex {} stands below {}", label, config::quoted(above->name)),
                  "it is the root, or stands below a machine");
        } else if (node.kind != node_kind::root_complex && above->kind == node_kind::machine) {
            error(kind, fmt::format("{} of kind {} stands directly below a machine", label, config::name_of(node.kind)),
                  "only a root_complex does");
        }
        if (node.link && (above == nullptr || node.kind == node_kind::root_complex))
            error(path + ".link", fmt::format("there is no PCIe link above {}", label),
                  "root complexes are joined by `socket_link`");
        if (node.device && node.kind != node_kind::endpoint)
            error(path + ".device", fmt::format("{} is of kind {}", label, config::name_of(node.kind)),
                  "only an endpoint is a device");
    }

    void check_children(const node_spec& node, const std::string& label, const std::string& path) {
        if (node.kind == node_kind::endpoint && !node.children.empty() && path != "tree")
            error(path + ".children", fmt::format("the endpoint {} has children", label),
                  "a node with others below is of kind switch");
        if (node.kind != node_kind::endpoint && node.children.empty())
            error(path, fmt::format("the {} {} has no children", config::name_of(node.kind), label),
                  "endpoints are the leaves of the tree");
    }

    const tree_spec& from_;
    const locator& where_;
    config::diagnostics& diag_;
    std::map<std::string, std::string> named_;  // name to path of the first that has it
    configured_tree built_;
};

}  // namespace

std::optional<configured_tree> build_tree(const tree_spec& from, const locator& where, config::diagnostics& diag) {
    return builder(from, where, diag).run();
}

endpoint_directory::endpoint_directory(const pcie::topology& topology)
    : topology_(topology),
      root_complex_of_(topology.size(), pcie::no_node) {
    for (pcie::node_id id = 0; id < topology.size(); ++id) {
        const auto& node = topology[id];
        if (node.kind == node_kind::endpoint) by_name_.emplace(node.name, id);
        if (node.kind == node_kind::root_complex)
            root_complex_of_[id] = id;
        else if (node.parent != pcie::no_node)
            root_complex_of_[id] = root_complex_of_[node.parent];
    }
}

std::optional<pcie::node_id> endpoint_directory::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
}

std::optional<pcie::node_id> endpoint_directory::find(std::string_view name, const config::location& at,
                                                      config::diagnostics& diag) const {
    if (const auto id = find(name)) return id;
    if (!diag.keeps_more()) {  // it would not be shown: skip the search for the nearest name
        diag.error(at, "no such endpoint");
        return std::nullopt;
    }
    if (const auto id = topology_.find(name)) {
        diag.error(
            at,
            fmt::format("{} is of kind {}, no endpoint", config::quoted(name), config::name_of(topology_[*id].kind)),
            "only endpoints send and receive");
        return std::nullopt;
    }
    std::vector<std::string> known;
    for (const auto id : topology_.endpoints()) known.push_back(topology_[id].name);
    std::string hint = config::did_you_mean(name, known, "endpoints:");
    constexpr std::size_t shown = 12;
    for (std::size_t i = 0; i < std::min(shown, known.size()); ++i) hint += (i > 0 ? ", " : " ") + known[i];
    if (known.size() > shown) hint += fmt::format(" and {} more", known.size() - shown);
    diag.error(at, fmt::format("there is no endpoint {}", config::quoted(name)), hint);
    return std::nullopt;
}

bool endpoint_directory::joined(pcie::node_id from, pcie::node_id to, const config::location& at,
                                config::diagnostics& diag) const {
    const auto a = root_complex_of_[from];
    const auto b = root_complex_of_[to];
    if (a == b || topology_.socket_link) return true;
    diag.error(
        at,
        fmt::format("there is no path from '{}' (below {}) to '{}' (below {}): the two root complexes are not joined",
                    topology_[from].name, topology_[a].name, topology_[to].name, topology_[b].name),
        "the key `socket_link` joins them at a rate, such as 'socket_link: 20GB/s'");
    return false;
}

}  // namespace contraflow::machines
