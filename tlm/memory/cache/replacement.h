// SPDX-License-Identifier: Apache-2.0
// Replacement policies: which line of a set is evicted. The cache gives the candidates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contraflow::memory {

// Chooses the line of a set that is evicted. Mechanism (tags, pinned lines) stays with the cache.
struct replacement_shape {
    unsigned sets = 1;
    unsigned ways = 1;       // up to 64
    std::uint64_t seed = 1;  // for policies that use random numbers
};

class replacement_if {
public:
    virtual ~replacement_if() = default;
    // A line was used or has just been filled.
    virtual void used(unsigned set, unsigned way) = 0;
    virtual void filled(unsigned set, unsigned way) = 0;
    // Returns one of the ways whose bit is set; at least one must be.
    virtual unsigned victim(unsigned set, std::uint64_t candidates) = 0;
    virtual void reset() = 0;
};

struct replacement_policy {
    std::string_view name;
    std::string_view text;
    std::unique_ptr<replacement_if> (*make)(const replacement_shape&);
};

// All policies; a new one needs a file and a line in this table.
const std::vector<replacement_policy>& replacement_policies();
bool is_replacement(const std::string& name);
std::string known_replacements();  // for messages
// A name that is not in the table is a std::invalid_argument that lists the known ones.
std::unique_ptr<replacement_if> make_replacement(std::string_view name, const replacement_shape& shape);

}  // namespace contraflow::memory
