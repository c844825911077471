// SPDX-License-Identifier: Apache-2.0
#include "shmem/shmem_spec.h"

namespace contraflow::shmem {

void spec::describe(config::fields<spec>& f) {
    constexpr core::bytes largest{std::uint64_t{1} << 32};
    f("heap", &spec::heap)
        .in(core::bytes{0}, largest)
        .text("symmetric heap of a PE, in pages that no cache of the GPU keeps; 0B: as much as the program needs");
    f("cached_heap", &spec::cached_heap)
        .in(core::bytes{0}, largest)
        .text("a part of the symmetric heap in ordinary pages: other devices see it at the ends of kernels only");
    f.removed("contexts", "a program has a context for each of its workgroups");
    f("entries", &spec::entries).in(4, 512).power_of_two().unit("entries").text("entries of a send queue");
    f("batch", &spec::batch)
        .in(1, 128)
        .unit("entries")
        .text(
            "entries of a send queue, a quarter of them at most, that wait for a doorbell together; 1: each put rings");
    f("templates", &spec::templates)
        .text("the CPU has written what is the same in all entries, and a put stores the rest");
    f("template_bytes", &spec::template_bytes)
        .in(core::bytes{1}, core::bytes{std::uint64_t{1} << 30})
        .text("length in the templates; a put of another length stores its own");
    f("stores_in_turn", &spec::stores_in_turn)
        .text("each store of an entry waits for the one before; otherwise only the doorbell waits for them");
    f("compose", &spec::compose).in({0}, {100'000}).text("instructions that compose an entry");
    f("poll", &spec::poll).in({1}, {100'000}).text("instructions between two looks at a completion or a variable");
    f("patience", &spec::patience)
        .in(1, 1'000'000)
        .unit("looks")
        .text("looks for a completion before the state of the queue pair is read");
    f("helpers", &spec::helpers)
        .in(0, 1024)
        .text("threads of the host, of a PE, that serve the kernels' queues; 0: kernels use the NIC themselves");
    f("helper_look", &spec::helper_look)
        .text(
            "time of a thread's look at a queue's next entry, or at the next completion of one that has open entries");
    f("helper_serve", &spec::helper_serve).text("time of a thread to hand on an entry or a completion");
}

}  // namespace contraflow::shmem
