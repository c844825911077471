// SPDX-License-Identifier: Apache-2.0
// All-reduce by each scheme, verified bit by bit.
#include "program_machine.h"
#include "shmem/programs/all_reduce.h"

using namespace contraflow;
using namespace contraflow::shmem;
using shmem::testing::by;
using shmem::testing::program_machine;
using shmem::testing::small_cluster;

namespace {

class all_reduce_by : public ::testing::TestWithParam<scheme> {};
INSTANTIATE_TEST_SUITE_P(schemes, all_reduce_by,
                         ::testing::Values(scheme::gio, scheme::ikn, scheme::inter_k, scheme::cpu),
                         [](const auto& p) { return std::string(config::name_of(p.param)); });

// More steps than chunks, slices that differ by an element, and chunks that have none.
TEST_P(all_reduce_by, gives_every_pe_the_bits_of_the_sum) {
    const bool kernels = by_kernels(GetParam());
    for (const reduction_way way : {reduction_way::ring, reduction_way::tree})
        for (const unsigned nodes : {2u, 3u, 5u})
            for (const unsigned chunks : {1u, 3u}) {
                if (chunks != 1 && !kernels) continue;
                for (const std::uint64_t elements : {7u, 1001u}) {
                    all_reduce p({elements, way, chunks, 2, 64, 5}, nodes, kernels);
                    program_machine m(small_cluster(nodes), p, by(GetParam()));
                    EXPECT_EQ(m.play(), "") << config::name_of(way) << ", " << nodes << " nodes, " << chunks
                                            << " chunks, " << elements << " elements";
                }
            }
}

}  // namespace
