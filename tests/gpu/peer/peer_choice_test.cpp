// SPDX-License-Identifier: Apache-2.0
// A generation sets all values; explicit keys override it; wrong values are refused.
#include <gtest/gtest.h>

#include "config/config.h"
#include "gpu/peer/peer_spec.h"

using namespace contraflow;
using gpu::peer_choice;

namespace {

struct machine {
    peer_choice gpu;
    static void describe(config::fields<machine>& f) { f("gpu", &machine::gpu).text("the GPU's peer-to-peer side"); }
};

config::loaded<machine> load(const std::vector<std::string>& sets, bool good) {
    config::diagnostics diag;
    auto got = config::load<machine>(std::nullopt, sets, diag);
    EXPECT_EQ(diag.failed(), !good);
    return got;
}

TEST(peer_choice, a_preset_gives_the_values_that_are_not_given) {
    const auto fermi = load({}, true).value.gpu.values;
    EXPECT_DOUBLE_EQ(fermi.read_rate.gib_per_s(), 1.5);
    EXPECT_DOUBLE_EQ(fermi.aperture_rate.gb_per_s(), 0.15);
    const auto kepler =
        load({"gpu.read_queue=7", "gpu.preset=kepler", "gpu.aperture_rate=1GB/s"}, true).value.gpu.values;
    EXPECT_DOUBLE_EQ(kepler.read_rate.gib_per_s(), 1.6);
    EXPECT_DOUBLE_EQ(kepler.aperture_rate.gb_per_s(), 1);
    EXPECT_EQ(kepler.read_queue, 7u);
    const auto printed = config::print(load({"gpu.preset=kepler"}, true));
    EXPECT_NE(printed.find("read_rate: 1.6GiB/s"), std::string::npos) << printed;
}

TEST(peer_choice, refuses_what_cannot_be) {
    for (const char* wrong : {"gpu.preset=maxwell", "gpu.memory=100kB", "gpu.requesters=3", "gpu.read_queue=0",
                              "gpu.aperture=1KiB", "gpu.read_rate=0GB/s", "gpu.read_latency=-1ns"})
        load({wrong}, false);
}

}  // namespace
