// SPDX-License-Identifier: Apache-2.0
// Sizes and rates of the transmit side, and its generation.
// Source: R. Ammendola et al., "GPU peer-to-peer techniques applied to a cluster interconnect".
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::nic {

enum class gpu_generation : std::uint8_t {
    v1,  // the core writes each read request; one packet at a time
    v2,  // a generator writes them, a window at a time: the next one when all data has arrived
    v3   // the same without windows: only buffer, packets and requests hold it back
};
enum class gpu_reading : std::uint8_t { peer_to_peer, bar1 };

struct transmit_spec {
    core::frequency clock{200e6};
    core::bytes buffer{32768};
    std::uint32_t packets = 16;
    std::uint32_t messages = 16;
    std::uint32_t answers = 4;
    gpu_generation generation = gpu_generation::v2;
    gpu_reading reading = gpu_reading::peer_to_peer;
    core::bytes window{32768};
    core::sim_time request_interval = core::sim_time::from_ns(80);
    std::uint32_t requests = 32;
    std::uint32_t host_reads = 5;  // the published 2.4 GB/s of reads of a host's memory
    core::sim_time answer_timeout = core::sim_time::from_us(1000);

    static void describe(config::fields<transmit_spec>& f);
};

// The key `window` of any struct that has one.
template <class S> void describe_window(config::fields<S>& f, const char* text) {
    f("window", &S::window).in({4096}, {32768}).power_of_two().text(text);
}

}  // namespace contraflow::nic

template <> struct contraflow::config::enum_names<contraflow::nic::gpu_generation> {
    static constexpr std::array names{std::pair{contraflow::nic::gpu_generation::v1, "v1"},
                                      std::pair{contraflow::nic::gpu_generation::v2, "v2"},
                                      std::pair{contraflow::nic::gpu_generation::v3, "v3"}};
};
template <> struct contraflow::config::enum_names<contraflow::nic::gpu_reading> {
    static constexpr std::array names{std::pair{contraflow::nic::gpu_reading::peer_to_peer, "peer_to_peer"},
                                      std::pair{contraflow::nic::gpu_reading::bar1, "bar1"}};
};
