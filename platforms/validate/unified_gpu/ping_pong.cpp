// SPDX-License-Identifier: Apache-2.0
// M7: a page that two GPUs use moves back and forth, until the defence pins it.
#include <stdexcept>

#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/unified_gpu/page_writers.h"

namespace contraflow::validate {
namespace {

constexpr std::uint32_t additions = 400;

struct shared_page {
    double time_us = 0, away_us = 0;  // time of the kernel; time in which no GPU could use the page
    std::size_t moves = 0, while_pinned = 0;
    std::uint64_t across = 0, pins = 0;  // requests of the GPU that does not have it; times that it was pinned
};

// Counts moves that begin while the defence pins the page: after that many moves for the time `pin`, each further time
// for twice as long.
std::size_t moves_while_pinned(const std::vector<host::migration::move_record>& moves,
                               const host::migration::ping_pong_guard::spec& defence) {
    if (defence.moves == 0) return 0;
    std::size_t within = 0;
    core::sim_time pin = defence.pin;
    for (std::size_t last = defence.moves; last < moves.size(); last += defence.moves, pin = pin * 2)
        if (moves[last].began(host::migration::step::close) < moves[last - 1].at.back() + pin) ++within;
    return within;
}

shared_page share_a_page(unsigned defence_moves, const run_environment& environment) {
    auto s = restless_pages(host::migration::granularity::page);
    s.gpus.gpu.sockets = 2;
    s.migration.when.ping_pong.moves = defence_moves;
    unified_bench bench(s, environment);
    recorded_moves moves;
    bench.machine.migrator()->set_observer(&moves);
    const auto x = bench.array_on(1, 1024);
    host::command_queue& queue = bench.queue_on(bench.everyone());
    std::vector<std::uint32_t> result(x.size());
    shared_page p;
    auto program = [&]() -> gpu::host_task {
        co_await queue.launch({"share", 2, 32, [=](gpu::wave w) -> gpu::kernel {
                                   for (std::uint32_t i = 0; i < additions; ++i)
                                       co_await w.atomic_add(x, w.thread_ids(), 1u);
                               }});
    };
    p.time_us = bench.run(program()).seconds() * 1e6;
    auto copied = [&]() -> gpu::host_task { co_await queue.copy_from_device(result, x); };
    bench.run(copied());
    if (result[5] != 2 * additions) throw std::runtime_error("an addition was lost");
    for (const auto& m : moves.all) p.away_us += (m.at.back() - m.began(host::migration::step::close)).seconds() * 1e6;
    p.moves = moves.all.size();
    p.while_pinned = moves_while_pinned(moves.all, s.migration.when.ping_pong);
    p.across = bench.machine.gpus().profile().count(gpu::access_kind::atomic, true);
    p.pins = bench.machine.migrator()->statistics().pins.value();
    return p;
}

}  // namespace

measurement ping_pong_defence(const run_environment& environment) {
    const unsigned defence = host::unified_machine::spec().migration.when.ping_pong.moves;
    const shared_page without = share_a_page(0, environment), with = share_a_page(defence, environment);
    return {
        {static_cast<double>(without.moves) / static_cast<double>(with.moves), without.time_us / with.time_us,
         static_cast<double>(with.while_pinned)},
        fmt::format("A wavefront on each of two GPUs adds {0} times to the same words. Without the defence the page "
                    "moves {1} times, once in {2:.0f} additions; of the {3:.0f} us it cannot be used for {4:.0f} %. "
                    "With unified_gpu's ({5} moves within 1 ms, then it stays for 100 us, each time twice as long) it "
                    "moves {6} times, is kept {7} x, {8} requests reach across, and it takes {9:.0f} us, of which it "
                    "cannot be used for {10:.0f} %.",
                    additions, without.moves, 2.0 * additions / static_cast<double>(without.moves), without.time_us,
                    without.away_us / without.time_us * 100, defence, with.moves, with.pins, with.across, with.time_us,
                    with.away_us / with.time_us * 100),
        {},
        {}};
}

}  // namespace contraflow::validate
