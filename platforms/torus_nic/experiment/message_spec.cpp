// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/experiment/message_spec.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::torus_nic {

std::string reader::text() const {
    if (reading == nic::gpu_reading::bar1) return "BAR1";
    return generation == nic::gpu_generation::v2
               ? fmt::format("{}, {}", config::name_of(generation), core::to_text(window))
               : std::string(config::name_of(generation));
}

void reader::describe(config::fields<reader>& f) {
    f("generation", &reader::generation).text("as node.transmit.generation");
    nic::describe_window(f, "as node.transmit.window");
    f("reading", &reader::reading).text("as node.transmit.reading");
}

void receive_choice::describe(config::fields<receive_choice>& f) {
    f("level", &receive_choice::level)
        .text("the receive datapath. firmware: the NIC's core looks packets up; tlm: the model of hardware; rtl: the "
              "hardware itself; lockstep: two of them, and their actions compared");
    f("lockstep", &receive_choice::lockstep).text("which levels lockstep compares");
    f("miss", &receive_choice::miss)
        .text("at level rtl, what looks up the pages that the TLBs do not have. hardware: its walker; firmware: the "
              "core, which "
              "then serves commands of the driver and get requests, too");
    f("core", &receive_choice::core).text("the core, if one of the levels is firmware, or misses are firmware's");
    f("firmware", &receive_choice::firmware)
        .text("RV32IMC program for the cores of all nodes, an ELF file relative to this file; without, the one that is "
              "built in");
}

std::uint64_t message_spec::largest() const {
    std::uint64_t most = watched.count;
    for (const core::bytes b : sizes) most = std::max(most, b.count);
    return most;
}

void registration_choice::describe(config::fields<registration_choice>& f) {
    f("cache", &registration_choice::cache)
        .unit("entries")
        .in(0, 60)
        .text("messages that the NIC reads where the program left them: a put registers their memory if it is not "
              "registered, and this cache keeps so many registrations; 0: all memory is registered before the first "
              "message");
    f("page", &registration_choice::page)
        .in({0}, core::sim_time::from_us(100))
        .text("the host's time to register a page for a put, or to deregister it to make room");
}

void message_spec::describe(config::fields<message_spec>& f) {
    constexpr core::bytes longest{16u << 20};
    f("sizes", &message_spec::sizes).in({1}, longest).text("of messages, one after the other in the same run");
    f("pairs", &message_spec::pairs)
        .text("whose memory a message comes from and goes to, a run each: host_host, host_gpu, gpu_host, gpu_gpu");
    f("readers", &message_spec::readers)
        .text("ways to read GPU memory, a run each of pairs with a GPU's memory as source; none: what node.transmit "
              "says");
    f("routes", &message_spec::routes)
        .text("latency and bandwidth: ways of messages from or to a GPU, a run each. direct: the NIC reads and writes "
              "its memory; staged: copied to the host, put from there into the other host, copied to the GPU; "
              "reference: staged by a NIC that looks up in hardware, as InfiniBand adapters do, host_host as well");
    f("piece", &message_spec::piece)
        .in({4096}, longest)
        .text("staged and reference: longer messages are copied and put in pieces of this size, which overlap");
    f("target_first", &message_spec::target_first)
        .text("whether nodes register the buffer that messages go to before the one that they come from; firmware "
              "searches in that order");
    f("target", &message_spec::target).text("node to which node 0 sends; 0: itself, which is loop-back");
    f("flow", &message_spec::flow)
        .text("bandwidth. one_way: node 0 to the target; both_ways: also back at the same time; ring: each node to the "
              "next one by number");
    f("repeat", &message_spec::repeat).in(1, 10'000).text("messages of each size that are measured, at least");
    f("in_flight", &message_spec::in_flight)
        .unit("messages")
        .in(1, 1024)
        .text("bandwidth and read: messages of a node that have not been sent whole");
    f("volume", &message_spec::volume)
        .in({1}, {1u << 30})
        .text("bandwidth and read: small messages are repeated until so much has been sent, 64 times at most");
    f("watched", &message_spec::watched)
        .in({1}, longest)
        .text("size of the one message of each run whose TLPs and stages are shown");
    f("registration", &message_spec::registration)
        .text("when the memory that messages come from is registered with the NIC");
}

}  // namespace contraflow::torus_nic
