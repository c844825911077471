// SPDX-License-Identifier: Apache-2.0
// The state of an order's simulation: the active sends, their remaining parts, and the sends that each source has not
// begun. For up to Slots sources, a slot each; copied at each choice of a search, so small and flat.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "pcie/model/orders/order_space.h"

namespace contraflow::pcie::model {

inline constexpr double forever = std::numeric_limits<double>::infinity();

template <std::size_t Slots> struct order_state {
    double now = 0.0;
    std::uint64_t rank = 0;  // rank of the choices made so far
    std::uint64_t code = 0;
    std::uint64_t pending = 0;                   // sources that must choose before time goes on
    std::uint32_t busy = 0;                      // number of active sends
    alignas(16) std::array<double, Slots> left;  // rest of the active message, 1 to 0; forever: none
    std::array<std::uint64_t, Slots> todo;       // sends not begun
    std::array<std::uint8_t, Slots> active;

    explicit order_state(const order_space& space) {
        left.fill(forever);
        todo.fill(0);
        active.fill(order_space::idle);
        for (std::size_t s = 0; s < space.sources(); ++s) {
            todo[s] = (std::uint64_t{1} << space.sends(s).size()) - 1;
            if (todo[s] != 0) pending |= std::uint64_t{1} << s;
        }
    }

    bool finished() const { return busy == 0 && pending == 0; }

    void begin(const order_space& space, std::size_t source, unsigned send) {
        const std::uint64_t bit = std::uint64_t{1} << send;
        const auto left_to_choose = static_cast<std::size_t>(std::popcount(todo[source]));
        const auto digit = static_cast<std::uint64_t>(std::popcount(space.choices(source, todo[source]) & (bit - 1)));
        rank += digit * space.rank_weight(source, left_to_choose);
        todo[source] &= ~bit;
        pending &= ~(std::uint64_t{1} << source);
        code += space.radix(source) * (send + 1);
        active[source] = static_cast<std::uint8_t>(send);
        left[source] = 1.0;
        ++busy;
    }

    // Advances time until a source must choose or all is sent. A source with one send left begins it at once. False: no
    // progress, every active factor is 0.
    template <class Speeds> bool advance(const order_space& space, Speeds& speeds) {
        while (pending == 0 && busy != 0) {
            const double* const speed = speeds.of(*this);
            double dt = forever;
            for (std::size_t i = 0; i < Slots; ++i) dt = std::min(dt, left[i] / speed[i]);
            if (dt == forever) return false;
            now += dt;
            std::uint64_t ended = 0;
            for (std::size_t i = 0; i < Slots; ++i) {
                left[i] -= speed[i] * dt;
                ended |= static_cast<std::uint64_t>(left[i] <= 1e-9) << i;  // end of a message: one event
            }
            for (; ended != 0; ended &= ended - 1) {
                const auto source = static_cast<std::size_t>(std::countr_zero(ended));
                code -= space.radix(source) * (active[source] + 1U);
                active[source] = order_space::idle;
                left[source] = forever;
                --busy;
                if (todo[source] == 0) continue;
                if ((todo[source] & (todo[source] - 1)) == 0)
                    begin(space, source, static_cast<unsigned>(std::countr_zero(todo[source])));
                else
                    pending |= std::uint64_t{1} << source;
            }
        }
        return true;
    }
};

// Calls f with the smallest sufficient number of slots as an integral constant.
template <class F> auto with_slots(std::size_t sources, F f) {
    if (sources <= 8) return f(std::integral_constant<std::size_t, 8>{});
    if (sources <= 16) return f(std::integral_constant<std::size_t, 16>{});
    if (sources <= 32) return f(std::integral_constant<std::size_t, 32>{});
    return f(std::integral_constant<std::size_t, 64>{});
}

}  // namespace contraflow::pcie::model
