// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/receive_spec.h"

namespace contraflow::nic {

void receive_spec::describe(config::fields<receive_spec>& f) {
    f("clock", &receive_spec::clock).in({1e6}, {4e9}).text("clock of the datapath; a word of 16 bytes a cycle");
    f("packet_buffer", &receive_spec::packet_buffer)
        .in({2 * most_words * word_bytes}, {1u << 20})
        .text("packets are taken in whole before anything of them is written; two of the longest at least");
    f("packets", &receive_spec::packets).unit("packets").in(2, 256).text("packets in the datapath");
    f("buffers", &receive_spec::buffers).unit("entries").in(1, 4096).text("registered buffers (BUF_LIST)");
    f("search_rate", &receive_spec::search_rate)
        .in(1, 64)
        .power_of_two()
        .text("entries of BUF_LIST compared in a cycle");
    f("host_tlb", &receive_spec::host_tlb).unit("pages").in(1, 1024).text("entries of the TLB for host pages of 4 KiB");
    f("gpu_tlb", &receive_spec::gpu_tlb).unit("pages").in(1, 1024).text("entries of the TLB for GPU pages of 64 KiB");
    f("max_payload", &receive_spec::max_payload)
        .unit("bytes")
        .in(64, 4096)
        .power_of_two()
        .text("a write ends at each multiple of it");
    f("writes", &receive_spec::writes)
        .unit("writes")
        .in(2, 1024)
        .text("writes that are not acknowledged, completions included");
    f("packets_in_flight", &receive_spec::packets_in_flight)
        .unit("packets")
        .in(1, 256)
        .text("packets whose writes have been sent and are not all acknowledged");
    f("rings", &receive_spec::rings).unit("rings").in(1, 256).text("completion rings");
}

}  // namespace contraflow::nic
