// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_spec.h"

namespace contraflow::memory {

void dram_spec::describe(config::fields<dram_spec>& f) {
    const core::sim_time longest = core::sim_time::from_us(10);
    f("size", &dram_spec::size).in(core::bytes{4096}, core::bytes{std::uint64_t{1} << 40}).text("memory of the socket");
    f("channels", &dram_spec::channels).in(1, 256).text("channels, each with its own bus and queue");
    f("granule", &dram_spec::granule)
        .in(core::bytes{32}, core::bytes{1u << 20})
        .power_of_two()
        .text("bytes in a row that are in the same channel");
    f("hashed", &dram_spec::hashed)
        .text("fold the channel's number with the address above it, so that strides use all channels");
    f("channel_bandwidth", &dram_spec::channel_bandwidth)
        .in(core::bandwidth{1e6}, core::bandwidth{1e14})
        .text("bandwidth of a channel's bus");
    f("burst", &dram_spec::burst)
        .in(core::bytes{1}, core::bytes{4096})
        .power_of_two()
        .text("what the bus moves at least, and in multiples of");
    f("banks", &dram_spec::banks).in(1, 1024).power_of_two().text("banks of a channel, each with one open row");
    f("row", &dram_spec::row).in(core::bytes{64}, core::bytes{1u << 20}).power_of_two().text("what is open together");
    f("activate", &dram_spec::activate).in({}, longest).text("time from opening a row to the first column (tRCD)");
    f("precharge", &dram_spec::precharge).in({}, longest).text("time to close a row (tRP)");
    f("column", &dram_spec::column).in({}, longest).text("time from the column to the first data (CL)");
    f("row_active", &dram_spec::row_active).in({}, longest).text("a row stays open for at least (tRAS)");
    f("overhead", &dram_spec::overhead)
        .in(core::sim_time{1}, longest)
        .text("controller and wires, both ways together, beside the time of the memory itself");
    f("queue", &dram_spec::queue).in(1, 4096).unit("requests").text("requests a channel holds");
    f("row_hit_cap", &dram_spec::row_hit_cap)
        .in(0, 1'000'000)
        .unit("requests")
        .text("row hits that may be served before an older request; 0: first come, first served");
    f.renamed("overtaken", "row_hit_cap");
    f.renamed("row_cycle", "row_active");
}

}  // namespace contraflow::memory
