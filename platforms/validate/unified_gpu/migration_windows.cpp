// SPDX-License-Identifier: Apache-2.0
// M8: pages move only within windows; outside, GPUs use the page where it is.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "validate/table/rows.h"
#include "validate/unified_gpu/page_writers.h"

namespace contraflow::validate {
namespace {

struct remote_watch final : gpu::request_observer_if {
    explicit remote_watch(const std::vector<host::migration::window>& w) : windows(w) {}
    bool outside(core::sim_time t) const {
        return std::none_of(windows.begin(), windows.end(), [&](const auto& w) { return t >= w.from && t < w.to; });
    }
    void request_completed(gpu::access_kind, bool remote, const memory::memory_extension& request) override {
        if (remote) ++(outside(request.times.last()) ? remote_outside : remote_within);
    }
    const std::vector<host::migration::window>& windows;
    std::size_t remote_outside = 0, remote_within = 0;
};

}  // namespace

measurement moves_by_window(const run_environment& environment) {
    auto s = restless_pages(host::migration::granularity::page);
    const auto us = [](std::uint64_t n) { return core::sim_time::from_us(n); };
    const std::vector<host::migration::window> windows{{us(8), us(12)}, {us(20), us(24)}};
    s.migration.when.windows = windows;
    unified_bench bench(s, environment);
    recorded_moves moves;
    remote_watch watch(windows);
    bench.machine.migrator()->set_observer(&moves);
    bench.machine.gpus().profile().set_observer(&watch);
    page_writers writers(bench);
    const double time_us = bench.run(writers.work()).seconds() * 1e6;
    bench.machine.gpus().profile().set_observer(nullptr);
    const auto outside = std::count_if(moves.all.begin(), moves.all.end(), [&](const auto& m) {
        return watch.outside(m.began(host::migration::step::close));
    });
    const auto kept = bench.machine.migrator()->statistics().outside_window.value();
    if (writers.wrong_words() != 0) throw std::runtime_error("a write was lost");
    std::vector<std::size_t> by_window;
    for (const auto& w : windows)
        by_window.push_back(
            static_cast<std::size_t>(std::count_if(moves.all.begin(), moves.all.end(), [&](const auto& m) {
                const core::sim_time begun = m.began(host::migration::step::close);
                return begun >= w.from && begun < w.to;
            })));
    return {{static_cast<double>(outside), static_cast<double>(moves.all.size()),
             static_cast<double>(watch.remote_outside)},
            fmt::format("The program of M6b, {:.0f} us, with windows from 8 to 12 us and from 20 to 24 us, in which {} "
                        "moves begin: that is when a page is closed. {} times a page was wanted outside and stayed; {} "
                        "remote accesses ended within. The result is right.",
                        time_us, fmt::join(by_window, " and "), kept, watch.remote_within),
            {},
            {}};
}

}  // namespace contraflow::validate
