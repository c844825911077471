// SPDX-License-Identifier: Apache-2.0
// Nodes whose NICs have one core with firmware for both sides: puts and gets across the torus, and the sides'
// competition for the core.
#include <gmock/gmock.h>

#include "host/cluster/cluster_bench.h"
#include "host/cluster/gpu_reset.h"
#include "nic_levels/receive_level.h"

namespace core_cluster_test {

using namespace contraflow;
using host::testing::cluster_bench;
using host::testing::get_all;
using host::testing::receive_all;
using host::testing::send_all;
using host::testing::small_cluster;
using nic_levels::chosen_level;
using nic_levels::miss_path;
using nic_levels::receive_level;

// Objects that the cores refer to; the cores end before them.
struct core_parts {
    explicit core_parts(const chosen_level& l)
        : program(nic_levels::built_in_firmware()),
          make_core(nic_levels::firmware_core(options)),
          make_receive(nic_levels::receive_factory(l, options, difference)) {
        options.program = &program;
    }
    iss::elf_file program;
    nic_levels::core_options options;
    nic_levels::level_difference difference;
    nic::core_factory make_core;
    nic::datapath_factory make_receive;
    host::rdma_node::parts parts{make_receive, &make_core};
};

class core_cluster : public ::testing::TestWithParam<chosen_level> {};
INSTANTIATE_TEST_SUITE_P(nic_levels, core_cluster,
                         ::testing::Values(receive_level::firmware, receive_level::tlm, receive_level::rtl,
                                           receive_level::lockstep,
                                           chosen_level{receive_level::rtl, {}, miss_path::firmware}),
                         [](const auto& p) {
                             std::string name = title_of(p.param);
                             std::ranges::replace(name, ' ', '_');
                             return name;
                         });

// All nodes put to all and get from all, with all generations of reading.
TEST_P(core_cluster, puts_and_gets_move_every_byte_and_no_other) {
    for (const auto g : {nic::gpu_generation::v1, nic::gpu_generation::v2, nic::gpu_generation::v3}) {
        const core_parts c(GetParam());
        auto s = small_cluster({3});
        s.node.transmit.generation = g;
        cluster_bench b(s, &c.parts);
        std::vector<std::vector<nic::completion_record>> got(3);
        for (unsigned n = 0; n < 3; ++n) {
            std::vector<host::rdma_process::put_request> puts;
            std::vector<host::rdma_process::get_request> gets;
            for (unsigned t = 0; t < 3; ++t) {
                const std::uint64_t place = (n * 3 + t) * 9000;
                puts.push_back(b.put(n, b.from_of(t % 2 != 0) + place, t, b.to_of(n % 2 != 0) + place, 8500,
                                     static_cast<std::uint16_t>(t)));
                gets.push_back(b.get(n, b.to_of(t % 2 == 0) + 131'072 + place, t, b.from_of(n % 2 == 0) + place, 8500));
            }
            b.process(n).start(receive_all(b.process(n), 3, got[n]));
            b.process(n).start(get_all(b.process(n), gets));
            b.process(n).start(send_all(b.process(n), puts));
        }
        b.run();
        b.expect_finished();
        b.expect_memories();
        b.expect_clean();
        EXPECT_EQ(c.difference.text, "");
        for (unsigned n = 0; n < 3; ++n) {
            const auto& core = static_cast<const nic_levels::nic_core&>(b.cluster.node(n).nic().core());
            EXPECT_TRUE(core.core().waits_for_interrupt());
            EXPECT_EQ(b.cluster.node(n).nic().transmit().answers(), 3u);
            // Three puts to the node and three answers to its gets, of three packets or four.
            if (!nic_levels::has_core(GetParam())) {
                EXPECT_EQ(core.lookups(), 0u);
            } else if (GetParam().miss == miss_path::firmware) {
                // Pages that the TLBs have are not asked for again.
                EXPECT_GT(core.lookups(), 0u);
                EXPECT_LT(core.lookups(), 6u * 3);
            } else {
                EXPECT_GE(core.lookups(), 6u * 3);
            }
        }
    }
}

TEST_P(core_cluster, a_gpu_that_is_reset_in_the_midst_loses_nothing_unsaid) {
    const core_parts c(GetParam());
    cluster_bench b(host::testing::impatient_cluster(), &c.parts);
    host::testing::reset_gpu_in_the_midst(b);
    EXPECT_EQ(c.difference.text, "");
}

// A node that sends and receives: v1 takes the core from the receive side, v3 hardly does.
TEST(core_cluster, sides_compete_for_the_core) {
    const auto us = [](nic::gpu_generation g, bool both) {
        const core_parts c(receive_level::firmware);
        auto s = small_cluster({2});
        s.node.transmit.generation = g;
        cluster_bench b(s, &c.parts);
        std::vector<nic::completion_record> got[2];
        const core::sim_time begin = b.sim.events().now();
        core::sim_time end{};
        const auto receiver = [](cluster_bench& of, core::sim_time& at) -> gpu::host_task {
            co_await of.process(1).receive();
            at = of.sim.events().now();
        };
        b.process(1).start(receiver(b, end));
        b.process(0).start(send_all(b.process(0), {b.put(0, b.host_from, 1, b.host_to, 200'000, 1)}));
        if (both) {
            b.process(0).start(receive_all(b.process(0), 1, got[0]));
            b.process(1).start(send_all(b.process(1), {b.put(1, b.gpu_from, 0, b.gpu_to, 200'000, 2)}));
        }
        b.run();
        b.expect_finished();
        b.expect_memories();
        return (end - begin).seconds() * 1e6;
    };
    const double alone = us(nic::gpu_generation::v1, false), v1 = us(nic::gpu_generation::v1, true),
                 v3 = us(nic::gpu_generation::v3, true);
    std::printf("200,000 bytes received: alone %.1f us, sending by v1 %.1f, by v3 %.1f\n", alone, v1, v3);
    EXPECT_GT(v1, 1.3 * alone);
    EXPECT_LT(v3, 0.9 * v1);
}

}  // namespace core_cluster_test
