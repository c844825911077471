// SPDX-License-Identifier: Apache-2.0
// M6: pages that move under writers on every GPU, with either granularity.
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/unified_gpu/page_writers.h"

namespace contraflow::validate {
namespace {

using host::migration::granularity;

struct written_pages {
    std::size_t wrong = 0, moves = 0;
    double time_us = 0, move_us = 0;  // time of the kernel; mean time of a move, from closing the page to opening it
};

const written_pages& written_with(granularity how, const run_environment& environment) {
    static std::map<granularity, written_pages> known;
    if (const auto found = known.find(how); found != known.end()) return found->second;
    unified_bench bench(restless_pages(how), environment);
    recorded_moves moves;
    bench.machine.migrator()->set_observer(&moves);
    page_writers writers(bench);
    written_pages w;
    w.time_us = bench.run(writers.work()).seconds() * 1e6;
    w.moves = moves.all.size();
    if (w.moves == 0) throw std::runtime_error("no page moved");
    for (const auto& m : moves.all)
        w.move_us +=
            (m.at.back() - m.began(host::migration::step::close)).seconds() * 1e6 / static_cast<double>(w.moves);
    w.wrong = writers.wrong_words();
    return known.emplace(how, w).first->second;
}

}  // namespace

measurement words_lost_by_moves(const run_environment& environment) {
    const auto &page = written_with(granularity::page, environment),
               &whole = written_with(granularity::whole, environment);
    return {
        {static_cast<double>(page.wrong), static_cast<double>(whole.wrong)},
        fmt::format(
            "Four GPUs by a switch add to words all over 8 pages and update words of their own in 8 others, "
            "2048 threads 12 times each, while each access moves its page to the GPU that makes it: {} and {} moves.",
            page.moves, whole.moves),
        {},
        {}};
}

measurement page_over_whole(const run_environment& environment) {
    const auto &page = written_with(granularity::page, environment),
               &whole = written_with(granularity::whole, environment);
    return {
        {whole.move_us / page.move_us, whole.time_us / page.time_us},
        fmt::format("The runs of M6b. A move takes {:.2f} us when only what touches its page is stopped and {:.2f} us "
                    "when all of its owner is, the program {:.0f} and {:.0f} us.",
                    page.move_us, whole.move_us, page.time_us, whole.time_us),
        {},
        {}};
}

}  // namespace contraflow::validate
