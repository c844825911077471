// SPDX-License-Identifier: Apache-2.0
#include "shmem/collectives.h"

namespace contraflow::shmem {

using gpu::mask;
using gpu::task;

namespace detail {

unsigned place_in(const context& c, const active_set& s, const char* operation) {
    if (s.size == 0 || s.member(s.size - 1) >= c.n_pes())
        c.refuse(operation, fmt::format("the active set has {} PEs from {} on in steps of {}, and there are {}", s.size,
                                        s.start, 1u << s.log_stride, c.n_pes()));
    if (s.sync.size() < sync_words(s.size))
        c.refuse(operation, fmt::format("the synchronisation array has {} words, and {} PEs need {}", s.sync.size(),
                                        s.size, sync_words(s.size)));
    const unsigned distance = c.my_pe() - s.start;
    const unsigned place = distance >> s.log_stride;
    if (c.my_pe() < s.start || place << s.log_stride != distance || place >= s.size)
        c.refuse(operation, "this PE is not in the active set");
    return place;
}

task<std::uint64_t> next_call(context& c, active_set s) {
    std::uint64_t call = 0;
    co_await c.join();
    if (c.leader()) {
        call = (co_await c.wave().load(s.sync, 0, mask::thread(0)))[0] + 1;
        co_await c.wave().store(s.sync, 0, call, mask::thread(0));
    }
    call = co_await c.share(call);
    co_return call;
}

task<> tell_members(context& c, active_set s, unsigned me, std::uint64_t call) {
    for (unsigned i = 0; i < s.size; ++i) co_await c.p(s.sync.slice(first_member + me, 1), call, s.member(i));
    co_await c.submit();
}

task<> await_members(context& c, active_set s, std::uint64_t call) {
    for (unsigned i = 0; i < s.size; ++i) co_await c.wait_until(s.sync.slice(first_member + i, 1), cmp::ge, call);
}

}  // namespace detail

// By dissemination: in round r, a flag to the member 2^r places on.
task<> sync(context& c, active_set s) {
    const unsigned me = detail::place_in(c, s, "sync");
    const std::uint64_t call = co_await detail::next_call(c, s);
    std::size_t round = detail::first_round;
    for (unsigned distance = 1; distance < s.size; distance *= 2, ++round) {
        const auto flag = s.sync.slice(round, 1);
        co_await c.p(flag, call, s.member((me + distance) % s.size));
        co_await c.wait_until(flag, cmp::ge, call);
    }
}

task<> barrier(context& c, active_set s) {
    co_await c.quiet();
    co_await sync(c, s);
}

}  // namespace contraflow::shmem
