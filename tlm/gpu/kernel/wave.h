// SPDX-License-Identifier: Apache-2.0
// A kernel's handle of its wavefront: cheap, passed by value. Memory is accessed only by co_await; arithmetic on values
// per thread takes no simulated time unless the kernel states its cycles (work, compute).
#pragma once

#include <bit>
#include <span>

#include "gpu/kernel/array.h"
#include "gpu/kernel/grid.h"
#include "gpu/kernel/per_thread.h"
#include "gpu/kernel/thread_functions.h"
#include "gpu/kernel/thread_scope.h"
#include "gpu/kernel/wave_operations.h"

namespace contraflow::gpu {

class wave {
public:
    explicit wave(wave_context& context) : context_(&context) {}
    // For code between kernels and machines.
    wave_context& context() const { return *context_; }

    // ---- identity
    dim3 grid() const { return cta_state().grid; }
    dim3 block() const { return cta_state().block; }
    dim3 cta_place() const { return grid().place(cta()); }
    std::uint64_t cta() const { return cta_state().number; }  // flattened, x fastest
    std::uint64_t cta_count() const { return grid().count(); }
    unsigned wave_in_cta() const { return context_->index(); }
    unsigned waves_in_cta() const { return waves_of(block(), width()); }
    unsigned width() const { return context_->width(); }  // threads of a wavefront on this machine: 32 or 64
    // Steps of a tree over all of its threads, such as of a sum by shuffles.
    unsigned tree_steps() const { return static_cast<unsigned>(std::bit_width(width() - 1)); }
    std::uint64_t thread_count() const { return grid().count() * block().count(); }

    // Number of each thread in its wavefront.
    per_thread<std::uint32_t> thread_ids() const {
        return per_thread<std::uint32_t>::from([](unsigned i) { return i; });
    }
    // Number of each thread in its CTA, and in the grid: CTA after CTA.
    per_thread<std::uint64_t> local_ids() const { return count_from(local_first()); }
    per_thread<std::uint64_t> global_ids() const { return count_from(cta() * block().count() + local_first()); }
    // Place of each thread in its CTA, and in the grid.
    per_thread<std::uint32_t> local_x() const {
        return places([](dim3 p) { return p.x; });
    }
    per_thread<std::uint32_t> local_y() const {
        return places([](dim3 p) { return p.y; });
    }
    per_thread<std::uint32_t> local_z() const {
        return places([](dim3 p) { return p.z; });
    }
    per_thread<std::uint32_t> global_x() const { return local_x() + cta_place().x * block().x; }
    per_thread<std::uint32_t> global_y() const { return local_y() + cta_place().y * block().y; }
    per_thread<std::uint32_t> global_z() const { return local_z() + cta_place().z * block().z; }

    // ---- which threads take part
    mask active() const { return context_->active(); }
    // Only these of the active threads take part until the end of the scope: if (auto in = w.only(i < n)) { ... }
    thread_scope only(mask m) const { return {*context_, m}; }
    // for (auto i : w.share(n)): all threads of the grid cover 0 to n-1 together, in strides of the grid.
    index_range share(std::uint64_t n) const {
        return {*context_, cta() * block().count() + local_first(), n, thread_count()};
    }
    // for (auto i : w.own(n)): each CTA covers one contiguous run of 0 to n-1, in strides of the block. So CTAs
    // of one socket have neighbouring data.
    index_range own(std::uint64_t n) const {
        const std::uint64_t run = (n + cta_count() - 1) / cta_count();
        const std::uint64_t begin = cta() * run;
        const std::uint64_t end = begin + run < n ? begin + run : n;
        return {*context_, begin + local_first(), end, block().count()};
    }

    // ---- memory: v = co_await w.load(a, i); the index is an integer for each thread or one for all. A load begins
    // here, and the wavefront goes on until the co_await, where the value is used. So several are under way:
    // const auto x = w.load(a, i), y = w.load(b, i); co_await w.store(c, i, co_await x + co_await y);
    template <class T, detail::index_operand Index> auto load(const array<T>& a, const Index& i) const {
        return load(a, i, mask::everything());
    }
    template <class T, detail::index_operand Index> auto load(const array<T>& a, const Index& i, mask m) const {
        return load_operation<T>(*context_, a, i, active() & m, false);
    }
    // Loads from the home and not from copies, to see what other CTAs have written while this kernel runs.
    template <class T, detail::index_operand Index>
    auto load_uncached(const array<T>& a, const Index& i, mask m = mask::everything()) const {
        return load_operation<T>(*context_, a, i, active() & m, true);
    }
    template <class T, detail::index_operand Index, class Value>
    auto store(const array<T>& a, const Index& i, const Value& v) const {
        return store(a, i, v, mask::everything());
    }
    template <class T, detail::index_operand Index, class Value>
    auto store(const array<T>& a, const Index& i, const Value& v, mask m) const {
        static_assert(std::is_convertible_v<typename detail::thread_traits<Value>::value, T>);
        return store_operation<T, Index, Value>(*context_, a, i, v, active() & m);
    }
    // Returns the old values. Threads that name the same element take turns from thread 0 upwards.
    template <atomic_element T, detail::index_operand Index, class Value>
    auto atomic_add(const array<T>& a, const Index& i, const Value& v, mask m = mask::everything()) const {
        return atomic(memory::atomic_op::add, a, i, v, m);
    }
    template <atomic_element T, detail::index_operand Index, class Value>
    auto atomic_min(const array<T>& a, const Index& i, const Value& v, mask m = mask::everything()) const {
        return atomic(memory::atomic_op::min, a, i, v, m);
    }
    template <atomic_element T, detail::index_operand Index, class Value>
    auto atomic_max(const array<T>& a, const Index& i, const Value& v, mask m = mask::everything()) const {
        return atomic(memory::atomic_op::max, a, i, v, m);
    }
    template <atomic_element T, detail::index_operand Index, class Value>
    requires std::integral<T>
    auto atomic_and(const array<T>& a, const Index& i, const Value& v, mask m = mask::everything()) const {
        return atomic(memory::atomic_op::bit_and, a, i, v, m);
    }
    template <atomic_element T, detail::index_operand Index, class Value>
    requires std::integral<T>
    auto atomic_or(const array<T>& a, const Index& i, const Value& v, mask m = mask::everything()) const {
        return atomic(memory::atomic_op::bit_or, a, i, v, m);
    }
    template <atomic_element T, detail::index_operand Index, class Value>
    auto atomic_exchange(const array<T>& a, const Index& i, const Value& v, mask m = mask::everything()) const {
        return atomic(memory::atomic_op::exchange, a, i, v, m);
    }
    // Stores `desired` where the element equals `expected`, which has the array's type.
    template <atomic_element T, detail::index_operand Index, class Value>
    auto atomic_cas(const array<T>& a, const Index& i, const per_thread<T>& expected, const Value& desired,
                    mask m = mask::everything()) const {
        return atomic_operation<T, Index, Value, per_thread<T>>(*context_, memory::atomic_op::compare_exchange, a, i,
                                                                desired, expected, active() & m);
    }
    // Several at once: auto [x, y] = co_await w.all(w.load(a, i), w.load(b, i));
    template <class... Operations> auto all(const Operations&... operations) const {
        return joint_operation<Operations...>(*context_, operations...);
    }

    // ---- the CTA
    // Waits until all wavefronts of the CTA have arrived or ended. Their earlier stores are then visible to all of
    // them.
    auto barrier() const { return barrier_operation(*context_); }
    // Waits until everything that this wavefront stored is visible everywhere.
    auto fence() const { return fence_operation(*context_); }
    // The next `count` elements of the CTA's scratchpad, initially 0. Every wavefront of a CTA must ask for the same
    // sizes.
    template <element T> std::span<T> shared(std::size_t count) const {
        const std::span<std::byte> part = context_->take_shared(count * sizeof(T));
        return {reinterpret_cast<T*>(part.data()), count};
    }
    // The active threads read or write the scratchpad: the work of one instruction, or of as many as its banks take.
    template <class T, class Index> per_thread<T> read(std::span<T> shared, const per_thread<Index>& i) const {
        access(shared, i);
        return per_thread<T>::from([&](unsigned k) { return active()[k] ? shared[place_in(shared, i[k], k)] : T{}; });
    }
    template <class T, class Index, class Value>
    void write(std::span<T> shared, const per_thread<Index>& i, const Value& v) const {
        access(shared, i);
        for (unsigned k = 0; k < width(); ++k)
            if (active()[k]) shared[place_in(shared, i[k], k)] = static_cast<T>(detail::value_of(v, k));
    }

    // ---- time
    auto compute(std::uint64_t cycles) const { return compute_operation(*context_, cycles); }
    // Like compute, but charged together with the next instruction: cheaper to simulate.
    void work(std::uint64_t cycles) const { context_->add_work(cycles); }

    // ---- over the active threads
    template <class T> T sum(const per_thread<T>& x) const { return gpu::sum(x, active()); }
    template <class T> T min(const per_thread<T>& x) const { return gpu::min_of(x, active()); }
    template <class T> T max(const per_thread<T>& x) const { return gpu::max_of(x, active()); }
    template <class T> per_thread<T> exclusive_sum(const per_thread<T>& x) const {
        return gpu::exclusive_sum(x, active());
    }
    mask ballot(mask m) const { return m & active(); }
    bool any(mask m) const { return ballot(m).any(); }

private:
    const cta_context& cta_state() const { return context_->cta(); }
    std::uint64_t local_first() const { return std::uint64_t{context_->index()} * width(); }
    static per_thread<std::uint64_t> count_from(std::uint64_t first) {
        return per_thread<std::uint64_t>::from([first](unsigned i) { return first + i; });
    }
    template <class Part> per_thread<std::uint32_t> places(Part part) const {
        return per_thread<std::uint32_t>::from([&](unsigned i) { return part(block().place(local_first() + i)); });
    }
    template <class T, class Index> void access(std::span<T> shared, const per_thread<Index>& i) const {
        const auto* const begin = reinterpret_cast<const std::byte*>(shared.data());
        const auto first = static_cast<std::uint32_t>(begin - cta_state().shared.data());
        context_->access_scratchpad(per_thread<std::uint32_t>::from([&](unsigned k) {
                                        return first + static_cast<std::uint32_t>(i[k]) * std::uint32_t{sizeof(T)};
                                    }),
                                    sizeof(T));
    }
    template <class T, class Index> std::size_t place_in(std::span<T> shared, Index i, unsigned thread) const {
        const auto place = static_cast<std::uint64_t>(i);
        if (place >= shared.size()) detail::refuse_index(*context_, thread, place, shared.size(), "scratchpad access");
        return static_cast<std::size_t>(place);
    }
    template <class T, class Index, class Value>
    auto atomic(memory::atomic_op op, const array<T>& a, const Index& i, const Value& v, mask m) const {
        static_assert(std::is_convertible_v<typename detail::thread_traits<Value>::value, T>);
        return atomic_operation<T, Index, Value, T>(*context_, op, a, i, v, T{}, active() & m);
    }

    wave_context* context_;
};

}  // namespace contraflow::gpu
