// SPDX-License-Identifier: Apache-2.0
// One value for each thread of a wavefront, with element-wise operators: per_thread<double> x; y = a * x + 1; mask m =
// x < y. Two operands are converted to their common type. With a plain number a floating type is kept, so 2.0 * x is
// float if x is. Operators compute the values of all threads of the running wavefront, active or not.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "gpu/kernel/mask.h"

namespace contraflow::gpu {

template <class T> class per_thread {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;

    per_thread() {
        for_threads([&](unsigned i) { values_[i] = T{}; });
    }
    per_thread(const per_thread& other) { take(other); }
    per_thread& operator=(const per_thread& other) {
        take(other);
        return *this;
    }
    ~per_thread() = default;
    // The same value in every thread.
    template <class U>
    requires std::convertible_to<U, T> per_thread(U value) {  // NOLINT: implicit as a scalar beside a vector is
        const T each = static_cast<T>(value);
        for_threads([&](unsigned i) { values_[i] = each; });
    }
    template <class U>
    requires(!std::same_as<U, T>) explicit per_thread(const per_thread<U>& other) {
        for_threads([&](unsigned i) { values_[i] = static_cast<T>(other[i]); });
    }
    // f(thread) in every thread.
    template <class Function> static per_thread from(Function f) {
        per_thread out(unset{});
        for_threads([&](unsigned i) { out.values_[i] = static_cast<T>(f(i)); });
        return out;
    }

    T& operator[](unsigned thread) { return values_[thread]; }
    const T& operator[](unsigned thread) const { return values_[thread]; }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }

    // Takes the value in the threads of the mask only.
    void assign(mask where, const per_thread& value) {
        for_threads([&](unsigned i) {
            if (where[i]) values_[i] = value.values_[i];
        });
    }
    per_thread operator-() const {
        return from([&](unsigned i) { return -values_[i]; });
    }
    per_thread operator~() const {
        return from([&](unsigned i) { return ~values_[i]; });
    }
    template <class U> per_thread& operator+=(const U& b) { return *this = per_thread(*this + b); }
    template <class U> per_thread& operator-=(const U& b) { return *this = per_thread(*this - b); }
    template <class U> per_thread& operator*=(const U& b) { return *this = per_thread(*this * b); }
    template <class U> per_thread& operator/=(const U& b) { return *this = per_thread(*this / b); }
    template <class U> per_thread& operator&=(const U& b) { return *this = per_thread(*this & b); }
    template <class U> per_thread& operator|=(const U& b) { return *this = per_thread(*this | b); }
    template <class U> per_thread& operator^=(const U& b) { return *this = per_thread(*this ^ b); }

private:
    struct unset {};
    explicit per_thread(unset) {}

    void take(const per_thread& other) {
        for_wave_blocks(running_wave::width(), [&](unsigned first) {
            std::memcpy(values_.data() + first, other.values_.data() + first, wave_block * sizeof(T));
        });
    }

    std::array<T, max_wave_width> values_;
};

namespace detail {

template <class A> struct thread_traits {
    static constexpr bool vector = false;
    using value = A;
};
template <class T> struct thread_traits<per_thread<T>> {
    static constexpr bool vector = true;
    using value = T;
};

template <class A> inline constexpr bool per_thread_or_number = thread_traits<A>::vector || std::is_arithmetic_v<A>;

template <class A, class B> struct met {
    using a = typename thread_traits<A>::value;
    using b = typename thread_traits<B>::value;
    static constexpr bool keep_a = thread_traits<A>::vector && !thread_traits<B>::vector && std::is_floating_point_v<a>;
    static constexpr bool keep_b = thread_traits<B>::vector && !thread_traits<A>::vector && std::is_floating_point_v<b>;
    using type = std::conditional_t<keep_a, a, std::conditional_t<keep_b, b, std::common_type_t<a, b>>>;
};

template <class A> constexpr decltype(auto) value_of(const A& a, unsigned i) {
    if constexpr (thread_traits<A>::vector)
        return a[i];
    else
        return a;
}

template <class A, class B, class Function> auto zip(const A& a, const B& b, Function f) {
    using t = typename met<A, B>::type;
    return per_thread<t>::from(
        [&](unsigned i) { return static_cast<t>(f(static_cast<t>(value_of(a, i)), static_cast<t>(value_of(b, i)))); });
}

template <class A, class B, class Function> mask compare(const A& a, const B& b, Function f) {
    using t = typename met<A, B>::type;
    mask::bits_type bits = 0;
    for_wave_blocks(running_wave::width(), [&](unsigned first) {
        std::uint32_t part = 0;
        for (unsigned i = 0; i < wave_block; ++i)
            part |= static_cast<std::uint32_t>(
                        f(static_cast<t>(value_of(a, first + i)), static_cast<t>(value_of(b, first + i))))
                    << i;
        bits |= mask::bits_type{part} << first;
    });
    return mask(bits);
}

}  // namespace detail

template <class A, class B>
concept thread_operands = (detail::thread_traits<A>::vector || detail::thread_traits<B>::vector) &&
                          detail::per_thread_or_number<A>&& detail::per_thread_or_number<B>;

template <class A, class B>
requires thread_operands<A, B>
auto operator+(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x + y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator-(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x - y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator*(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x * y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator/(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x / y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator%(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x % y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator&(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x & y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator|(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x | y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator^(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x ^ y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator<<(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x << y; });
}
template <class A, class B>
requires thread_operands<A, B>
auto operator>>(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x >> y; });
}
template <class A, class B>
requires thread_operands<A, B> mask operator==(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x == y; });
}
template <class A, class B>
requires thread_operands<A, B> mask operator!=(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x != y; });
}
template <class A, class B>
requires thread_operands<A, B> mask operator<(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x < y; });
}
template <class A, class B>
requires thread_operands<A, B> mask operator<=(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x <= y; });
}
template <class A, class B>
requires thread_operands<A, B> mask operator>(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x > y; });
}
template <class A, class B>
requires thread_operands<A, B> mask operator>=(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x >= y; });
}

}  // namespace contraflow::gpu
