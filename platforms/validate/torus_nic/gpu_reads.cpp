// SPDX-License-Identifier: Apache-2.0
// A1 to A5: reads of a GPU's memory, and what they take of the NIC's link.
#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {
namespace {

constexpr double gib = 1.073741824;  // GB

}  // namespace

measurement gpu_reads_by_the_core(const run_environment& environment) {
    const double gb_per_s = read_gb_per_s("{generation: v1}", environment);
    return {{gb_per_s * 1e3},
            fmt::format("Messages of 1 MiB from a Fermi GPU to a node that is not there, Fermi beside the NIC, receive "
                        "level firmware: the core's firmware translates each packet and writes its 32 requests. The "
                        "published MB/s are taken as decimal; as binary ones, like the GB/s of A2 and A3, they would "
                        "be {:.0f} MiB/s, outside of the band.",
                        gb_per_s / gib * 1024),
            {},
            {}};
}

namespace {

std::vector<double> by_window(const run_environment& environment) {
    std::vector<double> all;
    for (const int kib : {4, 8, 16, 32})
        all.push_back(read_gb_per_s(fmt::format("{{window: {}KiB}}", kib), environment) / gib);
    return all;
}

}  // namespace

measurement longer_window_gain(const run_environment& environment) {
    const auto rates = by_window(environment);
    return {
        {(rates[1] / rates[0] - 1) * 100},
        "v2, the reads of A1.",
        "A window of 4 KiB takes 2.6 us to ask for and another 2.1 us until the next one begins: the published head "
        "latency of 1.8 us, and 0.3 us of the core, which starts each window. The published gain needs 1.5 us. "
        "What a real GPU answers later windows with, the source does not say.",
        {}};
}

measurement windows_of_v2(const run_environment& environment) {
    return {by_window(environment),
            "As A2a, windows of 4, 8, 16 and 32 KiB; the source's GB/s of reads are binary (docs/assumptions.md).",
            "The stop between windows is longer than the published one, see A2a.",
            {}};
}

measurement longest_window(const run_environment& environment) {
    return {{read_gb_per_s("{window: 32KiB}", environment) / gib},
            "The last one of A2b.",
            "The GPU's 1.5 GiB/s, and 2.1 us after each window, see A2a.",
            {}};
}

measurement reads_of_v3(const run_environment& environment) {
    return {{read_gb_per_s("{generation: v3}", environment) / gib}, "The reads of A1 by v3.", {}, {}};
}

measurement link_use_of_reads(const run_environment& environment) {
    const auto& r = reads("{generation: v3}", environment);
    return {
        {r.link_in * 100, r.link_out * 100},
        "The reads of A3b: bytes of TLPs and DLLPs on the NIC's link, of the 4 GB/s that it carries each way. "
        "Towards the NIC, data in TLPs of 64 bytes; from the NIC, requests of 8 bytes.",
        "A request is a TLP of 8 bytes with 20 of header and framing, each 80 ns: 8.75 %, and DLLPs 1 %. 96 MiB/s of "
        "requests of 8 bytes would be 2.5 % alone; what the other bytes of the published 13 % are, the source does "
        "not say.",
        {}};
}

measurement time_of_a_long_read(const run_environment& environment) {
    return {
        {reads("{generation: v3}", environment).sizes.at(0).first_us},
        "One message of 1 MiB by v3, alone, from the put until the program knows that it has been sent; 2.6 us of it "
        "are the driver's.",
        {},
        {}};
}

}  // namespace contraflow::validate
