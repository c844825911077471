// SPDX-License-Identifier: Apache-2.0
// Collective operations of one workgroup of each PE of an active set. All PEs of the set make the same calls with the
// same synchronisation array, one after the other.
//
//   co_await shmem::barrier_all(c);
//   co_await shmem::to_all<shmem::reduce::sum>(c, target, source, n, shmem::everyone(c), work);
//
// A synchronisation array (pSync) is symmetric, has sync_words(size) words and is 0 before its first use:
//   [calls so far][flags of the rounds of sync, 16][flags of the members]. Flags only grow, so nobody resets them.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "shmem/context.h"

namespace contraflow::shmem {

// PEs start, start + 2^log_stride, and so on.
struct active_set {
    unsigned start = 0, log_stride = 0, size = 1;
    gpu::array<std::uint64_t> sync;
    unsigned member(unsigned i) const { return start + (i << log_stride); }
};
inline active_set everyone(const context& c) { return {0, 0, c.n_pes(), c.of().where().sync}; }

enum class reduce : std::uint8_t { sum, prod, min, max, bit_and, bit_or, bit_xor };

// All members are here. Nothing is said about their puts.
gpu::task<> sync(context& c, active_set s);
// Their puts are visible, too.
gpu::task<> barrier(context& c, active_set s);
inline gpu::task<> sync_all(context& c) { return sync(c, everyone(c)); }
inline gpu::task<> barrier_all(context& c) { return barrier(c, everyone(c)); }

namespace detail {

inline constexpr std::size_t first_round = 1, first_member = 17;

// Checks the call; returns the place of this PE in the set.
unsigned place_in(const context& c, const active_set& s, const char* operation);
// The number of this call with that array.
gpu::task<std::uint64_t> next_call(context& c, active_set s);
// All members have set their flag here.
gpu::task<> await_members(context& c, active_set s, std::uint64_t call);
gpu::task<> tell_members(context& c, active_set s, unsigned me, std::uint64_t call);

template <reduce Op, class T> T combine(T a, T b) {
    if constexpr (Op == reduce::sum) return static_cast<T>(a + b);
    if constexpr (Op == reduce::prod) return static_cast<T>(a * b);
    if constexpr (Op == reduce::min) return std::min(a, b);
    if constexpr (Op == reduce::max) return std::max(a, b);
    if constexpr (Op == reduce::bit_and) return static_cast<T>(a & b);
    if constexpr (Op == reduce::bit_or) return static_cast<T>(a | b);
    if constexpr (Op == reduce::bit_xor) return static_cast<T>(a ^ b);
}

}  // namespace detail

// n elements of the root's source to the target of all others. `root`: its place in the set.
template <gpu::element T>
gpu::task<> broadcast(context& c, gpu::array<T> target, gpu::array<T> source, std::size_t n, unsigned root,
                      active_set s) {
    const unsigned me = detail::place_in(c, s, "broadcast");
    if (root >= s.size) c.refuse("broadcast", fmt::format("there is no place {} in a set of {} PEs", root, s.size));
    const std::uint64_t call = co_await detail::next_call(c, s);
    if (me == root) {
        for (unsigned i = 0; i < s.size; ++i)
            if (i != me) co_await c.put_nbi(target, source, n, s.member(i));
        co_await c.quiet();
        co_await detail::tell_members(c, s, me, call);
    } else {
        co_await c.wait_until(s.sync.slice(detail::first_member + root, 1), cmp::ge, call);
    }
}

// Block i of the source, n elements, to the place of this PE in the target of member i.
template <gpu::element T>
gpu::task<> alltoall(context& c, gpu::array<T> target, gpu::array<T> source, std::size_t n, active_set s) {
    const unsigned me = detail::place_in(c, s, "alltoall");
    const std::uint64_t call = co_await detail::next_call(c, s);
    for (unsigned i = 0; i < s.size; ++i)
        co_await c.put_nbi(target.slice(me * n, n), source.slice(i * n, n), n, s.member(i));
    co_await c.quiet();
    co_await detail::tell_members(c, s, me, call);
    co_await detail::await_members(c, s, call);
}

// Element by element over all members, in the order of their places, so that all get the same bits. `work` (pWrk) is
// symmetric and has at least an element a member; the more it has, the fewer rounds. The target may be the source.
template <reduce Op, gpu::element T>
gpu::task<> to_all(context& c, gpu::array<T> target, gpu::array<T> source, std::size_t n, active_set s,
                   gpu::array<T> work) {
    const unsigned me = detail::place_in(c, s, "to_all");
    const std::size_t piece = work.size() / s.size;
    if (piece == 0)
        c.refuse("to_all", fmt::format("work has {} elements, and {} PEs need one each", work.size(), s.size));
    const gpu::wave w = c.wave();
    for (std::size_t begin = 0; begin < n; begin += piece) {
        const std::size_t count = std::min(piece, n - begin);
        const std::uint64_t call = co_await detail::next_call(c, s);
        for (unsigned i = 0; i < s.size; ++i)
            co_await c.put_nbi(work.slice(me * piece, count), source.slice(begin, count), count, s.member(i));
        co_await c.quiet();
        co_await detail::tell_members(c, s, me, call);
        co_await detail::await_members(c, s, call);
        const std::size_t stride = std::size_t{w.waves_in_cta()} * w.width();
        for (std::size_t at = 0; at < count; at += stride) {
            const auto i = w.local_ids() + at;
            const auto in = i < count;
            auto result = co_await w.load(work, i, in);
            for (unsigned k = 1; k < s.size; ++k) {
                const auto next = co_await w.load(work, i + k * piece, in);
                result = gpu::map([](T a, T b) { return detail::combine<Op, T>(a, b); }, result, next);
            }
            co_await w.store(target, i + begin, result, in);
        }
        co_await c.join();
        co_await sync(c, s);  // the next round writes into work
    }
}

}  // namespace contraflow::shmem
