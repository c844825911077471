// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/factor_cache.h"

#include <algorithm>

namespace contraflow::pcie::model {

const cached_factors& factor_cache::find(const std::vector<path_id>& active, bool reasons) {
    if (const auto it = known_.find(active); it != known_.end()) return it->second;
    if (known_.size() >= limit_) known_.clear();
    cached_factors& entry = known_[active];
    const auto rates = solver_.solve(active);
    entry.rates.assign(rates.begin(), rates.end());
    for (std::size_t i = 0; i < active.size(); ++i) {
        entry.factors.push_back(solver_.factor(i));
        if (reasons) entry.losses.push_back(solver_.losses(i));
    }
    solver_.for_each_used_port([&](port_index p) { peak_[p] = std::max(peak_[p], solver_.load(p)); });
    return entry;
}

}  // namespace contraflow::pcie::model
