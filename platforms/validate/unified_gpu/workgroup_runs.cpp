// SPDX-License-Identifier: Apache-2.0
// M1: a unified GPU cuts a kernel by the flattened numbers of its workgroups into equal contiguous runs.
#include <algorithm>

#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/unified_gpu/workgroup_places.h"

namespace contraflow::validate {
namespace {

// The lengths are worked out by hand.
struct cut_grid {
    gpu::dim3 grid;
    std::vector<unsigned> members;
    std::vector<std::size_t> lengths;
};

const std::vector<cut_grid>& cut_grids() {
    static const std::vector<cut_grid> all{
        {{32}, {1, 2, 3, 4}, {8, 8, 8, 8}},      {{33}, {1, 2, 3, 4}, {9, 8, 8, 8}},
        {{35}, {1, 2, 3, 4}, {9, 9, 9, 8}},      {{3}, {1, 2, 3, 4}, {1, 1, 1, 0}},
        {{32}, {1, 2, 3}, {11, 11, 10}},         {{10}, {4, 2, 1}, {4, 3, 3}},
        {{8, 4}, {1, 2, 3, 4}, {8, 8, 8, 8}},    {{5, 3}, {1, 2, 3, 4}, {4, 4, 4, 3}},
        {{3, 2, 5}, {1, 2, 3, 4}, {8, 8, 7, 7}}, {{7, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {6, 6, 5, 5, 5, 5, 5, 5}},
    };
    return all;
}

}  // namespace

measurement published_workgroup_runs(const run_environment& environment) {
    unified_bench bench(few_units(4), environment);
    const auto places = places_of(bench, bench.everyone(), {32});
    std::vector<double> ends;  // the first and the last of each GPU
    for (unsigned g = 1; g <= 4; ++g) {
        const auto ran_here = [&](const std::vector<unsigned>& on) {
            return std::find(on.begin(), on.end(), g) != on.end();
        };
        const auto first = std::find_if(places.begin(), places.end(), ran_here);
        const auto last = std::find_if(places.rbegin(), places.rend(), ran_here);
        ends.push_back(static_cast<double>(first - places.begin()));
        ends.push_back(static_cast<double>(places.rend() - last - 1));
    }
    return {
        ends,
        "Every workgroup adds to a line of its own; the origin of that request says whose unit ran it. That nothing "
        "between the first and the last is another GPU's is part of M1b.",
        {},
        {}};
}

measurement workgroups_out_of_place(const run_environment& environment) {
    std::size_t wrong = 0, workgroups = 0;
    for (const cut_grid& c : cut_grids()) {
        unified_bench bench(few_units(*std::max_element(c.members.begin(), c.members.end())), environment);
        wrong +=
            out_of_place(places_of(bench, bench.process.create_unified_gpu(c.members), c.grid), c.members, c.lengths);
        workgroups += c.grid.count();
    }
    return {{static_cast<double>(wrong)},
            fmt::format("{} workgroups of {} grids of one, two and three dimensions on 3, 4 and 8 GPUs, most of which "
                        "don't divide: of another GPU than worked out by hand, or not run exactly once.",
                        workgroups, cut_grids().size()),
            {},
            {}};
}

}  // namespace contraflow::validate
