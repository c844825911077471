// SPDX-License-Identifier: Apache-2.0
// cache: latencies, reach, bandwidth and MSHRs of the two levels.
#include <fmt/format.h>

#include "validate/physics/gpu_probe.h"
#include "validate/table/experiments.h"

namespace contraflow::validate {
namespace {

// One GPU with caches so small that long chains pass them by, and no refresh, which chains may fall into step with.
const char* const l2_of_64k = "gpus: 1, gpu: {l2: {bank: {size: 4KiB}}, dram: {refresh_interval: 0ns}}";
constexpr chain in_l1{0, 0, 64}, in_l2{0, 0, 1024}, in_dram{0, 0, 4096};

// What each part adds to a load of that chain if it takes 10 cycles longer: first level, second level, crossbar there
// and back, DRAM.
std::vector<double> added_by_parts(const std::string& machine, const chain& c, const run_environment& environment) {
    const auto s = machine_of(machine);
    constexpr core::cycles ten{10};
    auto l1 = s, l2 = s, there = s, back = s, dram = s;
    l1.l1.hit_latency = l1.l1.hit_latency + ten;
    l2.l2.bank.hit_latency = l2.l2.bank.hit_latency + ten;
    there.crossbar.latency = there.crossbar.latency + ten;
    back.crossbar.response_latency = back.crossbar.response_latency + ten;
    dram.dram.overhead = dram.dram.overhead + s.clock.time_of(ten);
    const double before = latency_ns(s, c, environment);
    std::vector<double> added;
    for (const auto* longer : {&l1, &l2, &there, &back, &dram})
        added.push_back(latency_ns(*longer, c, environment) - before);
    return added;
}

answer hit_in_l1(const run_environment& environment) {
    const auto s = machine_of(l2_of_64k);
    // A load is issued in a cycle of its own.
    return {{(static_cast<double>(s.l1.hit_latency.count) + 1) * s.cycle().seconds() * 1e9},
            {latency_ns(s, in_l1, environment)},
            ""};
}

answer parts_of_a_hit_in_l1(const run_environment& environment) {
    return {{10, 0, 0, 0, 0}, added_by_parts(l2_of_64k, in_l1, environment), ""};
}
answer parts_of_a_hit_in_l2(const run_environment& environment) {
    const char* const l2_of_256k = "gpus: 1, gpu: {l2: {bank: {size: 16KiB}}, dram: {refresh_interval: 0ns}}";
    return {{10, 10, 10, 10, 0}, added_by_parts(l2_of_256k, in_l2, environment), ""};
}
answer parts_of_a_miss(const run_environment& environment) {
    return {{10, 10, 10, 10, 10}, added_by_parts(l2_of_64k, in_dram, environment), ""};
}

// A chain in LRU order that is one way longer than a set hits nowhere; one that fits hits always.
answer reach_of_l1(const run_environment& environment) {
    const auto s = machine_of("gpus: 1");
    const auto sets = s.l1.size.count / 128 / s.l1.ways;
    const chain fits{0, 0, sets * s.l1.ways}, beyond{0, 0, sets * (s.l1.ways + 1)};
    const chain far{0, 0, 8 * sets * s.l1.ways};
    const double hit = latency_ns(s, in_l1, environment), miss = latency_ns(s, far, environment);
    return {{hit, miss},
            {latency_ns(s, fits, environment), latency_ns(s, beyond, environment)},
            fmt::format("{} lines hit, {} lines miss", fits.lines, beyond.lines)};
}

answer reach_of_l2(const run_environment& environment) {
    // A second level of one bank, one way longer than its sets; no first level keeps a line of either chain.
    const auto s = machine_of("gpus: 1, gpu: {l1: {size: 8KiB}, l2: {banks: 1, bank: {size: 64KiB}}, dram: "
                              "{refresh_interval: 0ns}}");
    const auto sets = s.l2.bank.size.count / 128 / s.l2.bank.ways;
    const auto of = [&](std::uint64_t lines) { return latency_ns(s, {0, 0, lines}, environment); };
    const double hit = of(sets * s.l2.bank.ways / 2), miss = of(4 * sets * s.l2.bank.ways);
    return {{hit, miss},
            {of(sets * s.l2.bank.ways), of(sets * (s.l2.bank.ways + 1))},
            fmt::format("{} lines hit, {} lines miss", sets * s.l2.bank.ways, sets * (s.l2.bank.ways + 1))};
}

stream all_hits(unsigned in_flight) {
    stream t;
    t.ctas = 8;
    t.waves = 4;
    t.lines = 512;
    t.in_flight = in_flight;
    return t;
}

// One unit; 32 wavefronts of 32 lines each stay in its first level.
answer bandwidth_of_l1(const run_environment& environment) {
    const auto s = machine_of("gpus: 1, page_size: 4KiB, gpu: {units: 1, l1: {size: 1MiB, ways: 64}}");
    stream t = all_hits(4);
    t.lines = 32;
    t.passes = 16;
    return {{s.l1.accesses * 128e-9 / s.cycle().seconds()},
            {flow_of(s, t, environment).gb_per_s},
            "32 wavefronts, 4 loads each in flight"};
}

// Each miss holds an MSHR for its way to the second level and back.
answer mshrs_of_l1(const run_environment& environment) {
    answer a;
    stream t = all_hits(1);
    t.ctas = 16;
    t.lines = 64;  // 512 KiB together, which the first level does not have
    const auto rate = [&](unsigned mshrs) {
        return flow_of(machine_of(fmt::format("gpus: 1, gpu: {{units: 1, l1: {{mshrs: {}}}}}", mshrs)), t, environment)
            .gb_per_s;
    };
    const double one = rate(1);
    for (const unsigned mshrs : {2u, 4u}) {
        a.expected.push_back(one * mshrs);
        a.measured.push_back(rate(mshrs));
    }
    a.detail = fmt::format("one MSHR: {:.4g} GB/s", one);
    return a;
}

answer banks_of_l2(const run_environment& environment) {
    answer a;
    stream t = all_hits(4);
    t.ctas = 128;
    t.lines = 64;
    for (const unsigned banks : {1u, 2u}) {
        const auto s = machine_of(fmt::format(
            "gpus: 1, gpu: {{l1: {{size: 16KiB}}, crossbar: {{flit: 256B}}, l2: {{banks: {}, bank: {{size: 4MiB}}}}}}",
            banks));
        a.expected.push_back(banks * s.l2.bank.accesses * 128e-9 / s.cycle().seconds());
        a.measured.push_back(flow_of(s, t, environment).gb_per_s);
    }
    return a;
}

}  // namespace

std::vector<experiment> cache_experiments() {
    return {
        {"cache.l1_hit", "a chain of loads that hit in the first level", "hit latency + 1 cycle to issue", "ns",
         relation::equal, 0.001, hit_in_l1},
        {"cache.l1_parts",
         "the same with 10 ns more in the first level, the second, the crossbar there, back, and the DRAM",
         "what a hit passes adds 10 ns, the rest nothing", "ns", relation::equal, 0.001, parts_of_a_hit_in_l1},
        {"cache.l2_parts", "the same of a chain that hits in the second level", "each part that a load passes, once",
         "ns", relation::equal, 0.001, parts_of_a_hit_in_l2},
        {"cache.dram_parts", "the same of a chain that misses both levels", "each part that a load passes, once", "ns",
         relation::equal, 0.01, parts_of_a_miss},
        {"cache.l1_reach", "a chain as long as the first level, and one that is a way longer",
         "all hit, all miss: LRU keeps nothing of a longer cycle", "ns", relation::equal, 0.01, reach_of_l1},
        {"cache.l2_reach", "the same of the second level",
         "all hit, all miss; rows of the DRAM that stay open save a little", "ns", relation::equal, 0.05, reach_of_l2},
        {"cache.l1_bandwidth", "hits in one unit's first level", "accesses a cycle x line x clock", "GB/s",
         relation::equal, 0.03, bandwidth_of_l1},
        {"cache.l1_mshrs", "misses of the first level with 2 and 4 MSHRs", "MSHRs x the rate of one (Little's law)",
         "GB/s", relation::equal, 0.05, mshrs_of_l1},
        {"cache.l2_banks", "hits in a second level of 1 and 2 banks, through a crossbar of a line a cycle",
         "banks x accesses a cycle x line x clock", "GB/s", relation::equal, 0.05, banks_of_l2},
    };
}

}  // namespace contraflow::validate
