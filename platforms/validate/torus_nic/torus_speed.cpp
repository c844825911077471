// SPDX-License-Identifier: Apache-2.0
// A13: what the torus, which is assumed, matters for ten outcomes of rows A3 to A11.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/torus_nic/torus_setup.h"

namespace contraflow::validate {
namespace {

using enum torus_nic::memory_pair;

struct torus_figure {
    const char* row;
    double (*measure)(const run_environment&, const changes&);
};
constexpr torus_figure figures[] = {
    {"A3b", [](const run_environment& r, const changes& c) { return read_gb_per_s("{generation: v3}", r, c); }},
    {"A7a", [](const run_environment& r, const changes& c) { return loop_back_gb_per_s(host_host, r, c); }},
    {"A7b", [](const run_environment& r, const changes& c) { return loop_back_gb_per_s(gpu_gpu, r, c); }},
    {"A8 host to GPU, 8 KiB",
     [](const run_environment& r, const changes& c) { return one_way_gb_per_s(host_gpu, "8KiB", r, c); }},
    {"A8 GPU to GPU, 8 KiB",
     [](const run_environment& r, const changes& c) { return one_way_gb_per_s(gpu_gpu, "8KiB", r, c); }},
    {"A9a", [](const run_environment& r, const changes& c) { return half_round_trip_us(host_host, r, c); }},
    {"A9b", [](const run_environment& r, const changes& c) { return half_round_trip_us(gpu_gpu, r, c); }},
    {"A9c",
     [](const run_environment& r, const changes& c) { return half_round_trip_us(gpu_gpu, r, joined(staged, c)); }},
    {"A11a", [](const run_environment& r, const changes& c) { return overhead_us(host_host, r, c); }},
    {"A11b", [](const run_environment& r, const changes& c) { return overhead_us(gpu_gpu, r, c); }},
};
// Times of routers and wires are cycles of a word on the link.
const changes fast{"torus.link_rate=8GB/s"}, slow{"torus.link_rate=2GB/s"};

}  // namespace

measurement speed_of_the_torus(const run_environment& environment) {
    face::table t;
    t.id = "torus_speed";
    t.title = "A13: outcomes with a torus twice and half as fast";
    t.columns = {{"row", ""}, {"as it is", ""}, {"twice as fast", "%"}, {"half as fast", "%"}};
    double twice = 0, half = 0;
    std::string notes;
    for (const torus_figure& f : figures) {
        const double is = f.measure(environment, {});
        const double faster = (f.measure(environment, fast) / is - 1) * 100,
                     slower = (f.measure(environment, slow) / is - 1) * 100;
        t.rows.push_back({f.row, is, faster, slower});
        twice = std::max(twice, std::abs(faster));
        half = std::max(half, std::abs(slower));
        notes += fmt::format("{}{} {:+.1f} and {:+.1f} %", notes.empty() ? "" : ", ", f.row, faster, slower);
    }
    return {
        {twice, half},
        fmt::format("Greatest change of an outcome with links, routers and wires twice and half as fast (their times "
                    "are cycles of a word): {}.",
                    notes),
        "Nothing is published. At half the rate a link is slower than the packets that the NIC sends.",
        {{"torus_speed", "A13: the speed of the torus", {t}}}};
}

}  // namespace contraflow::validate
