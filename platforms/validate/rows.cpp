// SPDX-License-Identifier: Apache-2.0
#include "validate/rows.h"

namespace contraflow::validate {

const std::vector<row>& rows() {
    static const double none = unpublished;
    static const bool quick = true;
    // clang-format off
    static const std::vector<row> table{
        {"P1", "time of 300 MiB, alone",
         {25.2829}, "ms", band::exactly({300.0 / 1024.0 / 11.6 * 1e3}), quick, reference_transfer},
        {"P2", "Table I: factors of 0->2, 1->4, 3->2, 6->4",
         {0.3, 0.3, 0.7, 0.7}, "", band::exactly({0.3, 0.3, 0.7, 0.7}), quick, table_1_factors},
        {"P3", "Table II: when the two pairs end",
         {36, 65}, "ms", band::rounding_to({36.08, 64.94}, 2), quick, table_2_times},
        {"P4a", "Example 1: one upstream port",
         {0.33, 0.22, 0.17, 0.28}, "", band::exactly({6.0 / 18, 4.0 / 18, 3.0 / 18, 5.0 / 18}), quick,
         upstream_port_example},
        {"P4b", "Example 2: one downstream port",
         {0.3, 0.7}, "", band::exactly({0.3, 0.7}), quick, downstream_port_example},
        {"P5a", "0->3 with 1->2, 0->1 with 2->1: factors",
         {0.5, 0.5, 0.5, 0.5}, "", band::exactly({0.5, 0.5, 0.5, 0.5}), quick, shared_ports_closed_form},
        {"P5b", "the same in TLM",
         {0.5, 0.5, 0.5, 0.5}, "", band::none(), quick, shared_ports_tlm},
        {"P6a", "0->1 slowed by 4->1, closed form",
         {1.44}, "x", band::rounding_to({1.485}, 3), quick, downstream_conflict_closed_form},
        {"P6b", "0->1 slowed by 4->1, TLM",
         {1.44}, "x", band::between(1.40, 1.50), quick, downstream_conflict_tlm},
        {"P7a", "4->1 alone against 0->1, closed form",
         {1.21}, "x", band::exactly({1.21}), quick, root_complex_closed_form},
        {"P7b", "4->1 alone against 0->1, TLM",
         {1.21}, "x", band::between(1.18, 1.28), quick, root_complex_tlm},
        {"P8a", "2D halo, 20,736 orders: slowest over fastest",
         {1.9}, "x", band::rounding_to({1.908}, 3), quick, halo_2d_orders},
        {"P8b", "the same two orders in TLM",
         {1.9}, "x", band::none(), quick, halo_2d_orders_tlm},
        {"P9a", "3D halo, 1,679,616 orders: slowest over fastest",
         {2.57}, "x", band::rounding_to({2.578}, 3), quick, halo_3d_spread},
        {"P9b", "3D halo: slowest over median",
         {1.44}, "x", band::rounding_to({1.431}, 3), quick, halo_3d_median},
        {"P10a", "2D halo, fastest order: how many of its 3 rounds are rings",
         {3}, "", band::none(), quick, rings_of_fastest_order},
        {"P10b", "2D halo: a fixed order of directions (published: COSMO's) over the fastest",
         {1.6}, "x", band::none(), quick, gain_over_fixed_order},
        {"P11", "random graphs: communications on which closed form and TLM agree within 5, 10, 15 %",
         {none, none, 97}, "%", band::none(), quick, both_levels},
        {"Ba", "Gen3 x16 in TLM, default parameters",
         {11.6}, "GiB/s", band::none(), quick, default_bandwidth},
        {"Bb", "the same by overheads alone: payloads of 64, 128, 256, 512 B",
         {11.6}, "GiB/s", band::none(), quick, bandwidth_by_payload},
    };
    // clang-format on
    return table;
}

}  // namespace contraflow::validate
