// SPDX-License-Identifier: Apache-2.0
// Where each value of a configuration came from: its default, the file, a --set, or the program itself.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree/node_tree.h"
#include "config/tree/problem.h"
#include "config/tree/value_path.h"

namespace contraflow::config {

// The name under which the arguments of --set appear in locations; the n-th argument is its line n.
inline constexpr std::string_view set_source = "--set";

class provenance {
public:
    void add_file(node_tree tree) { file_ = std::move(tree); }
    // Later sets override earlier ones and the file.
    // `replaces`: what earlier ones and the file give below that path does not count.
    void add_set(value_path path, node_tree value, location at, bool replaces = false);
    void mark_computed(std::string_view path);
    // The location of values that nobody gave: the file as a whole.
    void name_file(std::string name) { whole_.file = std::move(name); }

    const std::optional<node_tree>& file() const { return file_; }

    location where(std::string_view path) const;
    // "default", "file", "set" or "computed".
    std::string_view origin(std::string_view path) const;
    // If values do not fit together, the one to report: one from a --set before one from the file, because it came
    // later; the first one if none was given.
    const problem::suspect& culprit(const problem& p) const;

private:
    struct assignment {
        value_path path;
        node_tree value;
        location at;
        bool replaces = false;
    };
    struct finding {
        std::string_view origin = "default";
        location at;
        bool exact = false;
    };
    finding find(const value_path& path) const;

    std::optional<node_tree> file_;
    std::vector<assignment> sets_;
    std::set<std::string, std::less<>> computed_;
    location whole_;
};

}  // namespace contraflow::config
