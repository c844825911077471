// SPDX-License-Identifier: Apache-2.0
#include "nic/queue_pair/queue_pair_spec.h"

#include <fmt/format.h>

namespace contraflow::nic {

void queue_pair_spec::describe(config::fields<queue_pair_spec>& f) {
    using s = queue_pair_spec;
    f("queues", &s::queues).in(1, s::most_queues).text("queue pairs; each has a page of doorbells");
    f("regions", &s::regions).in(1, 65536).text("registered regions of memory");
    f("mtu", &s::mtu).in(core::bytes{s::least_mtu}, core::bytes{4096}).power_of_two().text("payload of a packet");
    f("fetch", &s::fetch).in(1, 64).unit("entries").text("reads of entries that a queue pair has under way");
    f("window", &s::window)
        .in(1, 1024)
        .unit("entries")
        .text("entries of a queue pair that have been fetched and are not complete");
    f("pushed_entries", &s::pushed_entries)
        .text("software of the host writes an entry into the NIC with its doorbell, so that it is not read from the "
              "ring");
    f("processing", &s::processing)
        .text("time from an entry's arrival at the head of its turn to its first read or packet");
    f("interval", &s::interval).text("between two entries whose processing begins, of all queue pairs together");
    f("reads", &s::reads).in(1, 128).text("reads and atomics of a queue pair that are not answered, at either end");
    f("acknowledge_every", &s::acknowledge_every)
        .in(1, 1024)
        .unit("packets")
        .text("an acknowledgement is asked for by each message's last packet, and by every so many");
    f("retry_after", &s::retry_after)
        .at_least(core::sim_time::from_us(1))
        .text("packets are sent again when nothing has been acknowledged for this long");
    f("retries", &s::retries).in(0, 255).text("times that packets are sent again before their entry fails");
    f("send_packets", &s::send_packets).in(1, 4096).unit("packets").text("request packets that gather data or wait");
    f("answer_packets", &s::answer_packets).in(1, 4096).unit("packets").text("the same for response packets");
    f("gather", &s::gather)
        .in(1, 4096)
        .unit("pieces")
        .text("reads of payload over PCIe under way, a page each at most");
    f("scatter", &s::scatter).in(1, 4096).unit("pieces").text("writes of payload over PCIe that have not left");
    f("completions", &s::completions).in(1, 1024).text("completions that have not left over PCIe");
    f("request_buffer", &s::request_buffer)
        .in(1, 4096)
        .unit("packets")
        .text("buffer of request packets that have arrived");
    f("response_buffer", &s::response_buffer).in(1, 4096).unit("packets").text("the same for response packets");
    f("receive", &s::receive).text("time from a packet's last bit to its use");
    f("tlb", &s::tlb).in(1, 4096).unit("pages").text("translations, of each of the two directions over PCIe");
    f("table_latency", &s::table_latency).text("of a read of a level of a page table, in the NIC's own memory");
    f("loss", &s::loss).text("packets lost on their way to the NIC");
}

std::string to_text(const queue_failure& f) {
    switch (f.fault) {
    case queue_fault::doorbell_overrun:
        return fmt::format("doorbell {} is past the queue of {} entries", f.number, f.entries);
    case queue_fault::completion_overrun:
        return fmt::format("its completion queue of {} places was full at entry {}", f.completion_entries, f.number);
    default: return fmt::format("entry {}: {}", f.number, to_text(f.entry));
    }
}

}  // namespace contraflow::nic
