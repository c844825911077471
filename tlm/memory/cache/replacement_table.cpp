// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "memory/cache/replacement_fifo.h"
#include "memory/cache/replacement_lru.h"
#include "memory/cache/replacement_random.h"
#include "memory/cache/replacement_tree_plru.h"

namespace contraflow::memory {

const std::vector<replacement_policy>& replacement_policies() {
    static const std::vector<replacement_policy> all{
        {"lru", "the line goes that was not used for longest", make_lru},
        {"fifo", "the line goes that came first", make_fifo},
        {"random", "lots are drawn", make_random},
        {"tree_plru", "a tree of bits points away from what was used last", make_tree_plru},
    };
    return all;
}

bool is_replacement(const std::string& name) {
    for (const auto& p : replacement_policies())
        if (p.name == name) return true;
    return false;
}

std::string known_replacements() {
    std::vector<std::string_view> names;
    for (const auto& p : replacement_policies()) names.push_back(p.name);
    return fmt::format("one of {}", fmt::join(names, ", "));
}

std::unique_ptr<replacement_if> make_replacement(std::string_view name, const replacement_shape& shape) {
    std::string known;
    for (const auto& policy : replacement_policies()) {
        if (policy.name == name) return policy.make(shape);
        known += fmt::format(" {}", policy.name);
    }
    throw std::invalid_argument(fmt::format("replacement policy '{}' is none of{}", name, known));
}

}  // namespace contraflow::memory
