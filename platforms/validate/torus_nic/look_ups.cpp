// SPDX-License-Identifier: Apache-2.0
// A6: what the core's firmware takes to look a packet up.
#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {

measurement look_up_time(const run_environment&) {
    return {
        {lookup_with(1).us},
        "50 packets of 4 KiB for one registered buffer, by firmware. The latency of the core's table memory, 70 ns, "
        "is fitted to this figure.",
        {},
        {}};
}

measurement look_up_shares(const run_environment&) {
    const lookup_cost one = lookup_with(1);
    const double both = one.search + one.walk;
    return {
        {one.search * 100, one.walk * 100},
        "Cycles of the firmware's search of BUF_LIST and of its walk of the page tables during A6a, of all its work.",
        fmt::format("The other {:.0f} % read the packet's header and hand the result over. The source knows two parts "
                    "only, and does not say to which of them this belongs; of the two alone, the search is {:.0f} %.",
                    (1 - both) * 100, one.search / both * 100),
        {}};
}

measurement look_up_slope(const run_environment&) {
    const double one = lookup_with(1).us, eight = lookup_with(8).us, all = lookup_with(64).us;
    return {{(all - eight) / 56 / ((eight - one) / 7)},
            "As A6a, for the last of 1, 8 and 64 buffers: slope from 8 to 64 over that from 1 to 8.",
            {},
            {}};
}

}  // namespace contraflow::validate
