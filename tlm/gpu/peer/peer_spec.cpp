// SPDX-License-Identifier: Apache-2.0
#include "gpu/peer/peer_spec.h"

namespace contraflow::gpu {

peer_spec peer_spec::of(peer_generation g) {
    peer_spec s;
    if (g == peer_generation::fermi) return s;
    s.read_rate = core::bandwidth::from_gib_per_s(1.6);
    s.aperture_rate = core::bandwidth::from_gib_per_s(1.6);
    return s;
}

void peer_spec::describe(config::fields<peer_spec>& f) {
    using core::bytes;
    using core::sim_time;
    f("memory", &peer_spec::memory)
        .in(bytes{64u << 10}, bytes{1ull << 40})
        .power_of_two()
        .text("GPU memory that other devices may be let to");
    f("requesters", &peer_spec::requesters)
        .in(1, 64)
        .power_of_two()
        .text("devices that may read and write; each has a page of registers and a write window of 64 KiB");
    f("read_queue", &peer_spec::read_queue)
        .unit("requests")
        .in(1, 65536)
        .text("read requests in the GPU that have not been served; a full queue holds back what comes over PCIe");
    f("read_latency", &peer_spec::read_latency)
        .text("time from a read request's arrival until its answer may leave; requests overlap");
    f("read_rate", &peer_spec::read_rate)
        .in(core::bandwidth{1e6}, core::bandwidth{1e12})
        .text("what peer-to-peer reads sustain");
    f("window_move", &peer_spec::window_move)
        .text("time from the write that moves a window until the window takes data; later writes wait");
    f("aperture", &peer_spec::aperture)
        .in(bytes{64u << 10}, bytes{1ull << 40})
        .power_of_two()
        .text("BAR1: bytes of GPU memory that can be mapped at a time");
    f("aperture_queue", &peer_spec::aperture_queue)
        .unit("requests")
        .in(1, 65536)
        .text("reads of BAR1 that are not answered; see read_queue");
    f("aperture_latency", &peer_spec::aperture_latency)
        .text("time from the arrival of a read of BAR1 until its answer may leave");
    f("aperture_rate", &peer_spec::aperture_rate)
        .in(core::bandwidth{1e6}, core::bandwidth{1e12})
        .text("what reads of BAR1 sustain");
    f("map_time", &peer_spec::map_time).text("to map pages into BAR1, one call after the other");
    f("unmap_time", &peer_spec::unmap_time).text("to take pages out of BAR1");
    f("copy_rate", &peer_spec::copy_rate)
        .in(core::bandwidth{1e6}, core::bandwidth{1e12})
        .text("of the GPU's own DMA engine, between its memory and the host's; the link may be slower");
    f("copy_queue", &peer_spec::copy_queue)
        .unit("commands")
        .in(2, 65536)
        .text("runs of bytes that the DMA engine has to copy");
}

void peer_choice::describe(config::fields<peer_choice>& f) {
    f("preset", &peer_choice::preset).text("GPU generation that gives the values of all other keys");
}

}  // namespace contraflow::gpu
