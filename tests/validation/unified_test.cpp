// SPDX-License-Identifier: Apache-2.0
// The measuring code of the rows M1 to M9 detects errors.
#include <algorithm>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "validate/table/outcome.h"
#include "validate/table/rows.h"
#include "validate/table/selection.h"
#include "validate/unified_gpu/page_writers.h"
#include "validate/unified_gpu/remote_read.h"
#include "validate/unified_gpu/watched_move.h"
#include "validate/unified_gpu/workgroup_places.h"

namespace contraflow::validate {
namespace {

using places = std::vector<std::vector<unsigned>>;
using ::testing::ElementsAre;

TEST(workgroup_places, that_are_wrong_are_counted_one_by_one) {
    EXPECT_EQ(out_of_place({{3}, {3}, {1}}, {3, 1}, {2, 1}), 0u);
    EXPECT_EQ(out_of_place({{3}, {1}, {1}}, {3, 1}, {2, 1}), 1u);    // cut at another place
    EXPECT_EQ(out_of_place({{3}, {1}, {3}}, {3, 1}, {2, 1}), 2u);    // alternating
    EXPECT_EQ(out_of_place({{3}, {}, {1, 1}}, {3, 1}, {2, 1}), 2u);  // one missing, one twice
    EXPECT_THROW(out_of_place({{3}}, {3, 1}, {2, 1}), std::logic_error);
}

// A launch on one GPU runs on that GPU.
TEST(workgroup_places, are_those_of_the_gpu_that_runs_them) {
    unified_bench bench(few_units(3), {});
    EXPECT_EQ(places_of(bench, 2, {3}), places(3, {2}));
    EXPECT_EQ(places_of(bench, bench.process.create_unified_gpu({3, 1}), {3}), (places{{3}, {3}, {1}}));
}

TEST(remote_reads, are_told_part_by_part_and_take_what_the_parts_take) {
    host::unified_machine::spec s = joined_by(gpu::of_links(net::topology::fully_connected));
    s.gpus.translation.has_gmmu = true;
    const auto r = remote_reads(s, 2, {{1, 0}}, {}).front();
    std::vector<std::string> parts;
    double sum = 0;
    for (const auto& p : r.path) {
        parts.push_back(p.part);
        sum += p.ns;
    }
    parts.resize(7);
    EXPECT_THAT(parts, ElementsAre("CU", "translator", "L1 TLB", "L2 TLB", "gmmu", "IOMMU", "gmmu"));
    EXPECT_NEAR(sum, r.total_ns, 1e-6);
    EXPECT_THROW(remote_reads(s, 1, {{1, 0}}, {}), std::logic_error);  // its own memory
}

watched_move in_order() {
    watched_move m;
    for (std::size_t i = 0; i < sights; ++i) m.at[i] = core::sim_time::from_ns(10 * (i + 1));
    return m;
}

TEST(watched_moves, know_what_is_missing_and_what_comes_too_early) {
    EXPECT_EQ(in_order().out_of_order(), 0u);
    watched_move swapped = in_order();
    std::swap(swapped.at[4], swapped.at[5]);
    EXPECT_EQ(swapped.out_of_order(), 1u);
    watched_move together = in_order();
    together.at[3] = together.at[2];
    EXPECT_EQ(together.out_of_order(), 1u);
    watched_move missing = in_order();
    missing.at[8] = core::sim_time::never();
    EXPECT_GE(missing.out_of_order(), 1u);
}

// A move that stops only accesses to its page never finds the owner's units without requests.
TEST(watched_moves, of_one_page_alone_are_not_those_of_a_stopped_owner) {
    const auto whole = watch_move(restless_pages(host::migration::granularity::whole), {});
    EXPECT_EQ(whole.out_of_order(), 0u) << whole.text();
    EXPECT_EQ(whole.apart_from_trace(), 0u) << whole.text();
    const auto page = watch_move(restless_pages(host::migration::granularity::page), {});
    EXPECT_EQ(page.seen(sight::drained), core::sim_time::never());
    EXPECT_GT(page.out_of_order(), 0u);
    EXPECT_GT(page.apart_from_trace(), 0u);
    EXPECT_EQ(page.read, 4096u);
}

TEST(page_writers, see_a_word_that_is_wrong) {
    unified_bench bench(restless_pages(host::migration::granularity::page), {});
    page_writers writers(bench);
    bench.run(writers.work());
    EXPECT_EQ(writers.wrong_words(), 0u);
    bench.run(writers.work());  // again: every sum is larger than expected
    EXPECT_GT(writers.wrong_words(), 8000u);
}

TEST(unified_rows, stop_when_they_are_told_to) {
    run_environment environment;
    environment.keep_going = [] { return false; };
    for (const char* id : {"M2", "M6b", "M9"}) {
        std::vector<std::string> unknown;
        EXPECT_THROW(measure(*choose({{id}}, rows(), unknown).at(0), environment), stopped) << id;
    }
}

}  // namespace
}  // namespace contraflow::validate
