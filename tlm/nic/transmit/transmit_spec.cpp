// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/transmit_spec.h"

namespace contraflow::nic {

void transmit_spec::describe(config::fields<transmit_spec>& f) {
    using core::bytes;
    f("clock", &transmit_spec::clock).in({1e6}, {4e9}).text("a word of 16 bytes leaves towards the torus a cycle");
    f("buffer", &transmit_spec::buffer)
        .in(bytes{8192}, bytes{32768})
        .power_of_two()
        .text("transmit buffer; a packet has its place in it before its data is asked for");
    f("packets", &transmit_spec::packets).unit("packets").in(1, 256).text("headers of packets that have not left");
    f("messages", &transmit_spec::messages)
        .unit("descriptors")
        .in(1, 256)
        .text("descriptors that have been fetched and are not complete");
    f("answers", &transmit_spec::answers).unit("messages").in(1, 256).text("get requests that are being answered");
    f("generation", &transmit_spec::generation)
        .text(
            "how GPU memory is read. v1: by the core, a packet at a time; v2: by a generator, a window at a time; v3: "
            "by a generator, as far as there is room");
    f("reading", &transmit_spec::reading)
        .text("peer_to_peer: read requests, and answers as posted writes; bar1: memory reads and completions");
    describe_window(f, "v2: bytes that are asked for before the NIC waits until all have come");
    f("request_interval", &transmit_spec::request_interval)
        .text("v2, v3: between two read requests of the generator, of 128 bytes each");
    f("requests", &transmit_spec::requests)
        .unit("requests")
        .in(1, 1024)
        .text("read requests that have not left over PCIe");
    f("host_reads", &transmit_spec::host_reads)
        .unit("requests")
        .in(1, 1024)
        .text("reads of the host's memory for packets that wait for their data");
    f("answer_timeout", &transmit_spec::answer_timeout)
        .at_least(core::sim_time::from_us(1))
        .text("packets fail if no peer-to-peer answer comes for this long");
}

}  // namespace contraflow::nic
