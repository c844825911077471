// SPDX-License-Identifier: Apache-2.0
// M3: numbers of unified GPUs.
#include <stdexcept>

#include "validate/table/rows.h"
#include "validate/unified_gpu/workgroup_places.h"

namespace contraflow::validate {

measurement unified_numbers(const run_environment& environment) {
    unified_bench bench(few_units(8), environment);
    const std::vector<unsigned> apart{2, 3, 5, 6, 7};
    const unsigned first = bench.process.create_unified_gpu(apart);
    double refused = 0;
    for (const std::vector<unsigned>& list : {std::vector<unsigned>{}, std::vector<unsigned>{1, first}}) {
        try {
            bench.process.create_unified_gpu(list);
        } catch (const std::invalid_argument&) { ++refused; }
    }
    const unsigned second = bench.process.create_unified_gpu({8, 1});
    const auto places = places_of(bench, first, {12});
    return {{static_cast<double>(first), static_cast<double>(second), refused,
             static_cast<double>(out_of_place(places, apart, {3, 3, 2, 2, 2}))},
            "8 GPUs: [2, 3, 5, 6, 7], then an empty list and one that names that unified GPU, then [8, 1]. The "
            "first runs 12 workgroups; the value counts those outside the runs of 3, 3, 2, 2, 2 on its members.",
            {},
            {}};
}

}  // namespace contraflow::validate
