// SPDX-License-Identifier: Apache-2.0
// dram: bandwidth by order of access, by channels and banks; times of rows; refresh.
#include <algorithm>

#include <fmt/format.h>

#include "validate/physics/gpu_probe.h"
#include "validate/table/experiments.h"

namespace contraflow::validate {
namespace {

// One GPU whose caches keep nothing: what its units ask for comes from the memory.
gpu::gpu_spec memory_alone(const std::string& dram) {
    return machine_of(
        fmt::format("gpus: 1, gpu: {{l1: {{size: 8KiB}}, l2: {{bank: {{size: 16KiB}}}}, dram: {{{}}}}}", dram));
}

stream reads(stream::order by) {
    stream t;
    t.by = by;
    t.ctas = 64;
    t.waves = 4;
    t.lines = 128;
    t.in_flight = 2;
    return t;
}

double gb_per_s(const std::string& dram, const stream& t, const run_environment& environment) {
    return flow_of(memory_alone(dram), t, environment).gb_per_s;
}

// The share of the time in which a channel serves. Before a refresh the rows are closed, and afterwards the first one
// is opened again.
double awake(const gpu::gpu_spec& s) {
    const auto& d = s.dram;
    const auto restart = d.row_active + d.precharge + d.activate + d.column;
    return 1 - static_cast<double>((d.refresh + restart).ps) / static_cast<double>(d.refresh_interval.ps);
}

answer sequential_reads(const run_environment& environment) {
    const auto s = memory_alone("channels: 1");
    const double bus = s.dram.channel_bandwidth.bytes_per_s * 1e-9;
    return {{bus * awake(s)},
            {gb_per_s("channels: 1", reads(stream::order::sequential), environment)},
            fmt::format("{:.4g} GB/s, {:.4g} of the time", bus, awake(s))};
}
// Each write opens a row of its own, and the bank is free again after the write and its recovery.
answer random_writes(const run_environment& environment) {
    const auto s = memory_alone("channels: 1");
    const auto& d = s.dram;
    stream t = reads(stream::order::random);
    t.kind = stream::access::write;
    t.in_flight = 1;
    const core::sim_time cycle =
        d.activate + d.write_column + d.channel_bandwidth.time_of({128}) + d.write_recovery + d.precharge;
    const double busy = static_cast<double>(d.write_queue) / (d.write_queue + d.banks - 1);
    return {{d.banks * 128e-9 / cycle.seconds() * busy * awake(s)},
            {gb_per_s("channels: 1", t, environment)},
            fmt::format("{:.3g} of the banks are busy with {} requests", busy, d.write_queue)};
}
answer slow_writes(const run_environment& environment) {
    const std::string keys = "channels: 1, channel_bandwidth: 12GB/s";
    const auto s = memory_alone(keys);
    stream t = reads(stream::order::sequential);
    t.kind = stream::access::write;
    t.in_flight = 1;
    return {{12 * awake(s)}, {gb_per_s(keys, t, environment)}, ""};
}

double lines_per_row_cycle(const gpu::gpu_spec& s) {
    const auto& d = s.dram;
    const double cycle =
        std::max((d.row_active + d.precharge).seconds(), (d.activate + d.read_to_precharge + d.precharge).seconds());
    return 128.0 * 1e-9 / cycle;
}
answer one_bank(const run_environment& environment) {
    // Rows of one line: every read opens one.
    const std::string keys = "channels: 1, banks: 1, row: 128B, row_hit_cap: 0, refresh_interval: 0ns";
    const auto s = memory_alone(keys);
    return {{lines_per_row_cycle(s)}, {gb_per_s(keys, reads(stream::order::random), environment)}, ""};
}
answer four_activates(const run_environment& environment) {
    const std::string keys =
        "channels: 1, banks: 256, row: 128B, four_activates: 80ns, activate_gap: 0ns, refresh_interval: 0ns";
    return {{4 * 128 / 80.0}, {gb_per_s(keys, reads(stream::order::random), environment)}, ""};
}
answer activate_gap(const run_environment& environment) {
    const std::string keys =
        "channels: 1, banks: 256, row: 128B, activate_gap: 20ns, four_activates: 0ns, refresh_interval: 0ns";
    return {{128 / 20.0}, {gb_per_s(keys, reads(stream::order::random), environment)}, ""};
}
answer random_reads(const run_environment& environment) {
    const auto s = memory_alone("channels: 1");
    const double bus = s.dram.channel_bandwidth.bytes_per_s * 1e-9;
    const double rows = lines_per_row_cycle(s) * s.dram.banks;
    const double busy = static_cast<double>(s.dram.queue) / (s.dram.queue + s.dram.banks - 1);
    return {{std::min(bus, rows * busy) * awake(s)},
            {gb_per_s("channels: 1", reads(stream::order::random), environment)},
            fmt::format("bus {:.4g} GB/s, {} banks {:.4g} GB/s, of which {:.3g} are busy with {} requests", bus,
                        s.dram.banks, rows, busy, s.dram.queue)};
}
answer by_channels(const run_environment& environment) {
    answer a;
    for (const unsigned channels : {1u, 2u, 4u}) {
        const auto keys = fmt::format("channels: {}, channel_bandwidth: 12GB/s", channels);
        a.expected.push_back(12 * channels * awake(memory_alone(keys)));
        a.measured.push_back(gb_per_s(keys, reads(stream::order::sequential), environment));
    }
    return a;
}
answer random_by_channels(const run_environment& environment) {
    answer a;
    for (const unsigned channels : {1u, 2u, 4u}) {
        const auto keys = fmt::format("channels: {}, channel_bandwidth: 12GB/s", channels);
        a.expected.push_back(12 * channels * awake(memory_alone(keys)));
        a.measured.push_back(gb_per_s(keys, reads(stream::order::random), environment));
    }
    return a;
}
answer more_banks(const run_environment& environment) {
    answer a;
    double before = 0;
    for (const unsigned banks : {4u, 8u, 16u, 32u}) {
        const double found =
            gb_per_s(fmt::format("channels: 1, banks: {}", banks), reads(stream::order::random), environment);
        if (before > 0) {
            a.expected.push_back(1);
            a.measured.push_back(found / before);
        }
        before = found;
    }
    return a;
}
answer half_of_the_time_in_refresh(const run_environment& environment) {
    const std::string keys = "channels: 1, refresh_interval: 20us, refresh: 10us";
    const auto s = memory_alone(keys);
    const double bus = s.dram.channel_bandwidth.bytes_per_s * 1e-9;
    return {{bus * awake(s)}, {gb_per_s(keys, reads(stream::order::sequential), environment)}, ""};
}
answer by_bandwidth(const run_environment& environment) {
    answer a;
    for (const unsigned rate : {6u, 12u, 24u}) {
        const auto keys = fmt::format("channels: 1, channel_bandwidth: {}GB/s", rate);
        a.expected.push_back(rate * awake(memory_alone(keys)));
        a.measured.push_back(gb_per_s(keys, reads(stream::order::sequential), environment));
    }
    return a;
}

}  // namespace

std::vector<experiment> dram_experiments() {
    return {
        {"dram.reads", "reads in order from one channel", "bus x time without refresh and restart", "GB/s",
         relation::equal, 0.01, sequential_reads},
        {"dram.bandwidths", "reads in order from one channel of 6, 12 and 24 GB/s",
         "bus x time without refresh and restart", "GB/s", relation::equal, 0.015, by_bandwidth},
        {"dram.writes", "writes at random to one channel",
         "banks x line / (tRCD + CWL + data + tWR + tRP) x Q / (Q + banks - 1) of Q requests; less refreshes", "GB/s",
         relation::at_least, 0, random_writes},
        {"dram.slow_writes", "writes in order to one channel of 12 GB/s, which its banks outrun",
         "bus x time without refresh and restart", "GB/s", relation::equal, 0.015, slow_writes},
        {"dram.one_bank", "reads at random from one bank, rows of one line, no refresh",
         "line / the larger of tRAS + tRP and tRCD + tRTP + tRP", "GB/s", relation::equal, 0.03, one_bank},
        {"dram.four_activates", "the same with 256 banks and tFAW of 80 ns", "4 lines / tFAW", "GB/s", relation::equal,
         0.03, four_activates},
        {"dram.activate_gap", "the same with tRRD of 20 ns", "line / tRRD", "GB/s", relation::equal, 0.03,
         activate_gap},
        {"dram.random", "reads of lines at random from one channel",
         "bus, or banks x line / (tRAS + tRP) x Q / (Q + banks - 1) of Q requests; less refreshes", "GB/s",
         relation::at_least, 0, random_reads},
        {"dram.channels", "reads in order from 1, 2 and 4 channels of 12 GB/s",
         "channels x bus x time without refresh and restart", "GB/s", relation::equal, 0.02, by_channels},
        {"dram.random_channels", "reads at random from 1, 2 and 4 channels of 12 GB/s",
         "channels x bus x time without refresh and restart: 16 banks outrun it", "GB/s", relation::equal, 0.04,
         random_by_channels},
        {"dram.banks", "reads at random with 8, 16 and 32 banks, over those with half as many",
         "more banks are not slower", "x", relation::at_least, 0.01, more_banks},
        {"dram.refresh", "a refresh that takes half of the time", "bus x time without refresh and restart", "GB/s",
         relation::equal, 0.02, half_of_the_time_in_refresh},
    };
}

}  // namespace contraflow::validate
