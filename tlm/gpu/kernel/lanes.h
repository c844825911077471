// SPDX-License-Identifier: Apache-2.0
// One value a lane of a wavefront, with element-wise operators: lanes<double> x; y = a * x + 1; mask m = x < y.
// Two operands meet in their common type; lanes of a floating type keep it beside a plain number, so that 2.0 * x is
// float where x is. Operators compute every lane, active or not.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "gpu/kernel/mask.h"

namespace contraflow::gpu {

template <class T> class lanes {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;

    lanes() : values_{} {}
    // The same value in every lane.
    template <class U>
    requires std::convertible_to<U, T> lanes(U value) {  // NOLINT: implicit as a scalar beside a vector is
        values_.fill(static_cast<T>(value));
    }
    template <class U>
    requires(!std::same_as<U, T>) explicit lanes(const lanes<U>& other) {
        for (unsigned i = 0; i < wave_width; ++i) values_[i] = static_cast<T>(other[i]);
    }
    // f(lane) in every lane.
    template <class Function> static lanes from(Function f) {
        lanes out(unset{});
        for (unsigned i = 0; i < wave_width; ++i) out.values_[i] = static_cast<T>(f(i));
        return out;
    }

    T& operator[](unsigned lane) { return values_[lane]; }
    const T& operator[](unsigned lane) const { return values_[lane]; }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }

    // Takes the value in the lanes of the mask only.
    void assign(mask where, const lanes& value) {
        for (unsigned i = 0; i < wave_width; ++i)
            if (where[i]) values_[i] = value.values_[i];
    }
    lanes operator-() const {
        return from([&](unsigned i) { return -values_[i]; });
    }
    lanes operator~() const {
        return from([&](unsigned i) { return ~values_[i]; });
    }
    template <class U> lanes& operator+=(const U& b) { return *this = lanes(*this + b); }
    template <class U> lanes& operator-=(const U& b) { return *this = lanes(*this - b); }
    template <class U> lanes& operator*=(const U& b) { return *this = lanes(*this * b); }
    template <class U> lanes& operator/=(const U& b) { return *this = lanes(*this / b); }
    template <class U> lanes& operator&=(const U& b) { return *this = lanes(*this & b); }
    template <class U> lanes& operator|=(const U& b) { return *this = lanes(*this | b); }
    template <class U> lanes& operator^=(const U& b) { return *this = lanes(*this ^ b); }

private:
    struct unset {};
    explicit lanes(unset) {}

    std::array<T, wave_width> values_;
};

namespace detail {

template <class A> struct lane_traits {
    static constexpr bool vector = false;
    using value = A;
};
template <class T> struct lane_traits<lanes<T>> {
    static constexpr bool vector = true;
    using value = T;
};

template <class A> inline constexpr bool lane_or_number = lane_traits<A>::vector || std::is_arithmetic_v<A>;

template <class A, class B> struct met {
    using a = typename lane_traits<A>::value;
    using b = typename lane_traits<B>::value;
    static constexpr bool keep_a = lane_traits<A>::vector && !lane_traits<B>::vector && std::is_floating_point_v<a>;
    static constexpr bool keep_b = lane_traits<B>::vector && !lane_traits<A>::vector && std::is_floating_point_v<b>;
    using type = std::conditional_t<keep_a, a, std::conditional_t<keep_b, b, std::common_type_t<a, b>>>;
};

template <class A> constexpr decltype(auto) lane_of(const A& a, unsigned i) {
    if constexpr (lane_traits<A>::vector)
        return a[i];
    else
        return a;
}

template <class A, class B, class Function> auto zip(const A& a, const B& b, Function f) {
    using t = typename met<A, B>::type;
    return lanes<t>::from(
        [&](unsigned i) { return static_cast<t>(f(static_cast<t>(lane_of(a, i)), static_cast<t>(lane_of(b, i)))); });
}

template <class A, class B, class Function> mask compare(const A& a, const B& b, Function f) {
    using t = typename met<A, B>::type;
    mask::bits_type bits = 0;
    for (unsigned i = 0; i < wave_width; ++i)
        bits |= static_cast<mask::bits_type>(f(static_cast<t>(lane_of(a, i)), static_cast<t>(lane_of(b, i)))) << i;
    return mask(bits);
}

}  // namespace detail

template <class A, class B>
concept lane_operands = (detail::lane_traits<A>::vector || detail::lane_traits<B>::vector) &&
                        detail::lane_or_number<A>&& detail::lane_or_number<B>;

template <class A, class B>
requires lane_operands<A, B>
auto operator+(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x + y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator-(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x - y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator*(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x * y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator/(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x / y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator%(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x % y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator&(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x & y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator|(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x | y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator^(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x ^ y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator<<(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x << y; });
}
template <class A, class B>
requires lane_operands<A, B>
auto operator>>(const A& a, const B& b) {
    return detail::zip(a, b, [](auto x, auto y) { return x >> y; });
}
template <class A, class B>
requires lane_operands<A, B> mask operator==(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x == y; });
}
template <class A, class B>
requires lane_operands<A, B> mask operator!=(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x != y; });
}
template <class A, class B>
requires lane_operands<A, B> mask operator<(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x < y; });
}
template <class A, class B>
requires lane_operands<A, B> mask operator<=(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x <= y; });
}
template <class A, class B>
requires lane_operands<A, B> mask operator>(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x > y; });
}
template <class A, class B>
requires lane_operands<A, B> mask operator>=(const A& a, const B& b) {
    return detail::compare(a, b, [](auto x, auto y) { return x >= y; });
}

}  // namespace contraflow::gpu
