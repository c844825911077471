// SPDX-License-Identifier: Apache-2.0
// Functions of values per thread: choice, arithmetic that has no operator, reductions within a wavefront and exchange
// between its threads. Reductions go from thread 0 upwards, so that a floating sum is the same on every machine.
#pragma once

#include <cmath>
#include <limits>

#include "gpu/kernel/per_thread.h"

namespace contraflow::gpu {

// yes where the mask is set, no elsewhere; either may be a plain number.
template <class A, class B>
requires thread_operands<A, B>
auto select(mask m, const A& yes, const B& no) {
    using t = typename detail::met<A, B>::type;
    return per_thread<t>::from([&](unsigned i) {
        return m[i] ? static_cast<t>(detail::value_of(yes, i)) : static_cast<t>(detail::value_of(no, i));
    });
}

// f of each thread's values: map([](double v) { return std::exp(v); }, x).
template <class Function, class First, class... More>
auto map(Function f, const per_thread<First>& x, const per_thread<More>&... more) {
    using t = std::remove_cvref_t<decltype(f(x[0], more[0]...))>;
    return per_thread<t>::from([&](unsigned i) { return f(x[i], more[i]...); });
}

template <class A, class B>
requires thread_operands<A, B>
auto min(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return y < x ? y : x; });
}
template <class A, class B>
requires thread_operands<A, B>
auto max(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x < y ? y : x; });
}
template <class T> per_thread<T> abs(const per_thread<T>& x) {
    return per_thread<T>::from([&](unsigned i) { return x[i] < T{} ? -x[i] : x[i]; });
}
template <std::floating_point T> per_thread<T> sqrt(const per_thread<T>& x) {
    return per_thread<T>::from([&](unsigned i) { return std::sqrt(x[i]); });
}

// f over the threads of the mask, beginning with `start`.
template <class T, class Function> T fold(const per_thread<T>& x, mask m, T start, Function f) {
    for (mask left = m; left.any(); left = left.without_lowest()) start = f(start, x[left.lowest()]);
    return start;
}
template <class T> T sum(const per_thread<T>& x, mask m = mask::everything()) {
    return fold(x, m, T{}, [](T a, T b) { return static_cast<T>(a + b); });
}
// The least value, or the greatest value of the type if no thread takes part.
template <class T> T min_of(const per_thread<T>& x, mask m = mask::everything()) {
    return fold(x, m, std::numeric_limits<T>::max(), [](T a, T b) { return b < a ? b : a; });
}
template <class T> T max_of(const per_thread<T>& x, mask m = mask::everything()) {
    return fold(x, m, std::numeric_limits<T>::lowest(), [](T a, T b) { return a < b ? b : a; });
}
// In each thread of the mask, the sum over its lower threads; 0 elsewhere.
template <class T> per_thread<T> exclusive_sum(const per_thread<T>& x, mask m = mask::everything()) {
    per_thread<T> out;
    T so_far{};
    for (mask left = m; left.any(); left = left.without_lowest()) {
        out[left.lowest()] = so_far;
        so_far = static_cast<T>(so_far + x[left.lowest()]);
    }
    return out;
}

// Each thread takes the value of the thread it names; numbers wrap around at the wave's width.
template <class T, std::integral Index> per_thread<T> shuffle(const per_thread<T>& x, const per_thread<Index>& from) {
    const unsigned last = running_wave::width() - 1;
    return per_thread<T>::from([&](unsigned i) { return x[static_cast<unsigned>(from[i]) & last]; });
}
// From the thread `distance` above (below). A thread without such a neighbour keeps its own value.
template <class T> per_thread<T> shuffle_down(const per_thread<T>& x, unsigned distance) {
    const unsigned width = running_wave::width();
    return per_thread<T>::from([&](unsigned i) { return x[i + distance < width ? i + distance : i]; });
}
template <class T> per_thread<T> shuffle_up(const per_thread<T>& x, unsigned distance) {
    return per_thread<T>::from([&](unsigned i) { return x[i >= distance ? i - distance : i]; });
}
template <class T> per_thread<T> shuffle_xor(const per_thread<T>& x, unsigned pattern) {
    const unsigned last = running_wave::width() - 1;
    return per_thread<T>::from([&](unsigned i) { return x[(i ^ pattern) & last]; });
}

}  // namespace contraflow::gpu
