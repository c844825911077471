// SPDX-License-Identifier: Apache-2.0
// A lower bound on the time of every order: ports have finite capacity, and a source sends one message at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "pcie/model/orders/order_space.h"
#include "pcie/model/orders/order_state.h"

namespace contraflow::pcie::model {

class order_bound {
public:
    explicit order_bound(const order_space& space);

    // The earliest possible end of a simulation in this state.
    template <std::size_t Slots> double of(const order_state<Slots>& state) const {
        double latest = 0.0;  // from now
        std::vector<double>& load = load_;
        load.assign(ports_, 0.0);
        for (std::size_t s = 0; s < space_.sources(); ++s) {
            double serial = 0.0;
            const auto add = [&](std::size_t send, double share) {
                const cost& c = costs_[first_[s] + send];
                serial += share * c.alone_s;
                for (std::size_t i = c.first; i < c.first + c.length; ++i) load[port_[i]] += share * port_s_[i];
            };
            if (state.active[s] != order_space::idle) add(state.active[s], state.left[s]);
            for (std::uint64_t todo = state.todo[s]; todo != 0; todo &= todo - 1)
                add(static_cast<std::size_t>(std::countr_zero(todo)), 1.0);
            latest = std::max(latest, serial);
        }
        for (const double l : load) latest = std::max(latest, l);
        return state.now + latest;
    }

private:
    struct cost {
        double alone_s = 0.0;   // its time at the highest rate that the rules allow
        std::size_t first = 0;  // index of its first port in port_ and port_s_
        std::size_t length = 0;
    };
    const order_space& space_;
    std::vector<std::size_t> first_;  // index of each source's first send in costs_
    std::vector<cost> costs_;
    std::vector<std::size_t> port_;
    std::vector<double> port_s_;  // time of the message on the port
    std::size_t ports_ = 0;
    mutable std::vector<double> load_;  // so one object per thread
};

}  // namespace contraflow::pcie::model
