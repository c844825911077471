// SPDX-License-Identifier: Apache-2.0
// A cache of factors and their reasons, by the set of active communications.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pcie/model/factors.h"
#include "pcie/model/solver.h"

namespace contraflow::pcie::model {

struct cached_factors {
    std::vector<double> rates;
    std::vector<double> factors;
    std::vector<std::vector<loss>> losses;  // `behind` is an index in the set
};

class factor_cache {
public:
    // It is emptied when it has more than `limit` sets. The table must outlive the cache.
    explicit factor_cache(const path_table& paths, std::size_t limit = 100'000)
        : solver_(paths),
          limit_(limit),
          peak_(paths.net().ports(), 0.0) {}

    // The reference lives until the next call. Without `reasons` there are no losses; all calls have the same.
    const cached_factors& find(const std::vector<path_id>& active, bool reasons = true);

    // The highest load of each port over all sets so far.
    const std::vector<double>& peak_loads() const { return peak_; }

private:
    struct hash {
        std::size_t operator()(const std::vector<path_id>& set) const {
            std::uint64_t h = 0xcbf2'9ce4'8422'2325;
            for (const path_id id : set) h = (h ^ id) * 0x9e37'79b9'7f4a'7c15, h ^= h >> 29;
            return h;
        }
    };
    congestion_solver solver_;
    std::size_t limit_;
    std::vector<double> peak_;
    std::unordered_map<std::vector<path_id>, cached_factors, hash> known_;
};

}  // namespace contraflow::pcie::model
