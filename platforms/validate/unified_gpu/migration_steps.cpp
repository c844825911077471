// SPDX-License-Identifier: Apache-2.0
// M6: the order of the steps of a page's move, and their times.
#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/unified_gpu/unified_setup.h"
#include "validate/unified_gpu/watched_move.h"

namespace contraflow::validate {
namespace {

using host::migration::step;

const watched_move& whole_move(const run_environment& environment) {
    static const watched_move known = watch_move(r9_nano(), environment);
    return known;
}

double step_us(const watched_move& m, step from, step to) {
    return (m.traced.ended(to) - m.traced.began(from)).seconds() * 1e6;
}

}  // namespace

measurement order_of_a_move(const run_environment& environment) {
    const watched_move& m = whole_move(environment);
    return {{static_cast<double>(m.out_of_order()), static_cast<double>(m.apart_from_trace()),
             static_cast<double>(m.remote_reads), static_cast<double>(m.read)},
            fmt::format(
                "r9_nano.yaml: GPU 2 reads a page that GPU 1, at work on others, has written. Looked at every "
                "cycle, at the parts and not at who conducts them, in us: {}. The owner's TLBs invalidate {} pages, "
                "{} bytes are written back. The trace has each of these within its step.",
                m.text(), m.invalidated, m.written_back),
            {},
            {}};
}

measurement steps_of_a_move(const run_environment& environment) {
    const watched_move& m = whole_move(environment);
    auto selective = r9_nano();
    selective.migration.granularity = host::migration::granularity::page;
    const watched_move page = watch_move(selective, environment);
    return {
        {step_us(m, step::drain, step::drain), step_us(m, step::shootdown, step::flush),
         step_us(m, step::pull, step::pull), step_us(m, step::restart, step::restart),
         step_us(m, step::close, step::reply)},
        fmt::format("The move of M6a: drain, shootdown with flush, pull, restart, all from closing the page to the "
                    "reply; PCIe 4.0. Messages of 500 ns are assumed and part of each (docs/assumptions.md). With "
                    "granularity page: {:.2f} us, of which the pull takes {:.2f}.",
                    step_us(page, step::close, step::reply), step_us(page, step::pull, step::pull)),
        "The published values are what MGPUSim takes, for comparison; its sum has another 0.59 us, for the restart of "
        "RDMA engines, which go on here.",
        {}};
}

}  // namespace contraflow::validate
