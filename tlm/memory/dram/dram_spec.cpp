// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_spec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "memory/transaction/payload.h"

namespace contraflow::memory {
namespace {

// What a channel of a kind is. Times in ns.
struct datasheet {
    double gb_per_s;
    unsigned burst, banks, row;
    double rcd, rp, cl, ras, cwl, rrd, faw, rtp, wr, rtw, wtr, refi, rfc;
};

std::optional<datasheet> datasheet_of(dram_kind kind) {
    switch (kind) {
    case dram_kind::assumed: return std::nullopt;
    // A device of 8 Gb, 32 bits wide, 8 Gb/s a pin. JESD212 leaves most times to the vendors; these are DRAMsim3's
    // GDDR5_8Gb_x32, except tRFC, 65 ns (Micron, EDW4032BABG: 4 Gb).
    case dram_kind::gddr5: return {{32, 32, 16, 2048, 12, 12, 12, 28, 3.5, 5, 20, 1, 12, 1, 5, 1900, 65}};
    // A channel of 16 bits, 14 Gb/s a pin (JESD250). Ramulator 2's GDDR6_2000_1350mV_double: cycles of 0.57 ns.
    case dram_kind::gddr6:
        return {{28, 32, 16, 2048, 14.82, 14.82, 13.68, 30.21, 3.42, 3.99, 15.96, 2.28, 14.82, 1.14, 5.13, 1900, 120}};
    // A channel of 128 bits, 1 Gb/s a pin (JESD235), as the four stacks of the R9 Nano have eight each: 512 GB/s.
    // DRAMsim3's HBM1_4Gb_x128: cycles of 2 ns.
    case dram_kind::hbm: return {{16, 32, 16, 2048, 14, 14, 14, 34, 4, 4, 30, 4, 16, 4, 6, 3900, 260}};
    // A pseudo channel of 64 bits, 2 Gb/s a pin (JESD235B). gem5's HBM_2000_4H_1x64; a read needs tRCD of 12 ns.
    case dram_kind::hbm2: return {{16, 32, 16, 1024, 12, 14, 18, 28, 7, 4, 16, 5, 14, 2, 4, 3900, 220}};
    // The same at 3.2 Gb/s with dies of 16 Gb (JESD235D): the arrays' times stay, tRFC is 350 ns.
    case dram_kind::hbm2e: return {{25.6, 32, 16, 1024, 12, 14, 18, 28, 7, 4, 16, 5, 14, 2, 4, 3900, 350}};
    // A pseudo channel of 32 bits, 6.4 Gb/s a pin, dies of 16 Gb (JESD238). No times of the arrays are public, so these
    // are HBM2's; tRFC is that of Ramulator 2's table for 8 Gb of a channel.
    case dram_kind::hbm3: return {{25.6, 32, 16, 1024, 12, 14, 18, 28, 7, 4, 16, 5, 14, 2, 4, 3900, 350}};
    // DDR3-1600K, eight devices of 2 Gb, 8 bits wide each (JESD79-3): cycles of 1.25 ns.
    case dram_kind::ddr3:
        return {{12.8, 64, 8, 8192, 13.75, 13.75, 13.75, 35, 10, 6.25, 30, 7.5, 15, 2.5, 7.5, 7800, 160}};
    // DDR4-3200AA, eight devices of 8 Gb, 8 bits wide each (JESD79-4; DRAMsim3's DDR4_8Gb_x8_3200).
    case dram_kind::ddr4:
        return {{25.6, 64, 16, 8192, 13.75, 13.75, 13.75, 32, 10, 2.5, 21, 7.5, 15, 1.25, 2.5, 7800, 350}};
    }
    return std::nullopt;
}

// The least time between the end of a refresh and the next in which each request makes progress: a row may be opened,
// its first column is served, and the row may be closed. A row is opened up to a precharge ahead of its turn.
core::sim_time beside_refresh(const dram_spec& s) {
    const core::sim_time data = s.channel_bandwidth.time_of({payload::max_bytes});
    const core::sim_time read = s.column + data + s.read_to_precharge;
    const core::sim_time write = s.write_column + data + s.write_recovery;
    return std::max(s.activate_gap, s.four_activates) + std::max(s.row_active, s.activate + std::max(read, write)) +
           s.precharge * 2;
}

core::sim_time from_ns(double ns) { return {static_cast<std::uint64_t>(std::llround(ns * 1000))}; }

}  // namespace

void dram_choice::take(dram_kind kind) {
    preset = kind;
    const std::optional<datasheet> d = datasheet_of(kind);
    if (!d) return;
    channel_bandwidth = core::bandwidth::from_gb_per_s(d->gb_per_s);
    burst = {d->burst};
    banks = d->banks;
    row = {d->row};
    activate = from_ns(d->rcd);
    precharge = from_ns(d->rp);
    column = from_ns(d->cl);
    row_active = from_ns(d->ras);
    write_column = from_ns(d->cwl);
    activate_gap = from_ns(d->rrd);
    four_activates = from_ns(d->faw);
    read_to_precharge = from_ns(d->rtp);
    write_recovery = from_ns(d->wr);
    read_to_write = from_ns(d->rtw);
    write_to_read = from_ns(d->wtr);
    refresh_interval = from_ns(d->refi);
    refresh = from_ns(d->rfc);
}

void dram_choice::describe(config::fields<dram_choice>& f) {
    f("preset", &dram_choice::preset)
        .text("memory whose data sheet gives banks, bus and times of a channel; assumed: none does");
}

using config::problem;

std::vector<problem> problems_of(const dram_spec& s) {
    std::vector<problem> found;
    if (s.hashed && !std::has_single_bit(s.channels))
        found.push_back({fmt::format("addresses can't be hashed over {} channels", s.channels),
                         {{"channels", "a power of two"}, {"hashed", "false"}}});
    if (s.write_high > s.write_queue)
        found.push_back({fmt::format("write_high is {}, and {} writes fit the queue", s.write_high, s.write_queue),
                         {{"write_high", fmt::format("at most {}", s.write_queue)},
                          {"write_queue", fmt::format("at least {}", s.write_high)}}});
    if (s.write_low >= s.write_high)
        found.push_back({fmt::format("write_low is {}, not less than write_high, {}", s.write_low, s.write_high),
                         {{"write_low", fmt::format("at most {}", s.write_high - 1)},
                          {"write_high", fmt::format("at least {}", s.write_low + 1)}}});
    if (s.burst > s.row)
        found.push_back({fmt::format("a burst of {} is more than a row of {}", to_text(s.burst), to_text(s.row)),
                         {{"burst", "at most " + to_text(s.row)}, {"row", "at least " + to_text(s.burst)}}});
    const core::sim_time beside = beside_refresh(s);
    if (s.refresh_interval != core::sim_time{} && s.refresh + beside > s.refresh_interval) {
        problem p{fmt::format("between refreshes of {} each {} no row can be opened, used and closed, which takes {}",
                              to_text(s.refresh), to_text(s.refresh_interval), to_text(beside)),
                  {{"refresh_interval", fmt::format("0, or at least {}", to_text(s.refresh + beside))}}};
        if (s.refresh_interval > beside)
            p.suspects.push_back({"refresh", "at most " + to_text(s.refresh_interval - beside)});
        found.push_back(std::move(p));
    }
    return found;
}

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
    f("column", &dram_spec::column).in({}, longest).text("time from a read's column to its first data (CL)");
    f("row_active", &dram_spec::row_active).in({}, longest).text("a row stays open for at least (tRAS)");
    f("write_column", &dram_spec::write_column)
        .in({}, longest)
        .text("time from a write's column to its first data (CWL)");
    f("activate_gap", &dram_spec::activate_gap)
        .in({}, longest)
        .text("time between the opening of rows of two banks (tRRD)");
    f("four_activates", &dram_spec::four_activates).in({}, longest).text("at most four rows are opened in it (tFAW)");
    f("read_to_precharge", &dram_spec::read_to_precharge)
        .in({}, longest)
        .text("from a read's last column until its row may be closed (tRTP)");
    f("write_recovery", &dram_spec::write_recovery)
        .in({}, longest)
        .text("from a write's last data until its row may be closed (tWR)");
    f("read_to_write", &dram_spec::read_to_write)
        .in({}, longest)
        .text("time the bus rests between data of a read and of a write (tRTW)");
    f("write_to_read", &dram_spec::write_to_read)
        .in({}, longest)
        .text("from a write's last data to the next read's column (tWTR)");
    f("refresh_interval", &dram_spec::refresh_interval)
        .in({}, core::sim_time::from_us(1000))
        .text("from one refresh of a channel to the next (tREFI); 0: none");
    f("refresh", &dram_spec::refresh).in({}, longest).text("time a refresh takes; all rows are closed then (tRFC)");
    f("overhead", &dram_spec::overhead)
        .in(core::sim_time{1}, longest)
        .text("controller and wires, both ways together, beside the time of the memory itself");
    f("queue", &dram_spec::queue).in(1, 4096).unit("requests").text("reads a channel holds");
    f("write_queue", &dram_spec::write_queue)
        .in(1, 4096)
        .unit("requests")
        .text("writes a channel holds; they are answered when they enter it");
    f("write_high", &dram_spec::write_high)
        .in(1, 4096)
        .unit("requests")
        .text("so many waiting writes go before reads, and no more of them between two batches of reads");
    f("write_low", &dram_spec::write_low)
        .in(0, 4095)
        .unit("requests")
        .text("until no more than these are left; a batch of reads has at least write_high less these, if so many "
              "wait");
    f("row_hit_cap", &dram_spec::row_hit_cap)
        .in(0, 1'000'000)
        .unit("requests")
        .text("row hits that may pass an older request to their bank; 0: a bank serves in order of arrival");
    f("hashed_banks", &dram_spec::hashed_banks)
        .text("fold the bank's number with the address above it, so that strides of rows use all banks");
    f.renamed("overtaken", "row_hit_cap");
    f.renamed("row_cycle", "row_active");
}

}  // namespace contraflow::memory
