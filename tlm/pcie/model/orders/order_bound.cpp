// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/order_bound.h"

#include <algorithm>
#include <set>

namespace contraflow::pcie::model {
namespace {

struct inputs {
    std::set<port_index> before;
    bool from_root_complex = false;
    bool from_elsewhere = false;
};

// The highest rate that the rules ever allow on each port, relative to the reference.
std::vector<double> most_through(const order_space& space) {
    const network& net = space.net();
    std::vector<inputs> in(net.ports());
    for (std::size_t s = 0; s < space.sources(); ++s)
        for (const auto& send : space.sends(s)) {
            const auto ports = space.paths().ports(send.path);
            for (std::size_t i = 0; i < ports.size(); ++i) {
                in[ports[i]].before.insert(i == 0 ? no_port : ports[i - 1]);
                (space.paths()[send.path].crosses_root_complex ? in[ports[i]].from_root_complex
                                                               : in[ports[i]].from_elsewhere) = true;
            }
        }
    // If all links are equal, n inputs, one of which crosses the root complex, can be granted 1 + (n - 2) tau, and
    // later ports can carry as much.
    double excess = 1.0;
    for (port_index p = net.first_down_port(); p < net.ports() && net.uniform(); ++p)
        if (in[p].before.size() >= 3 && in[p].from_root_complex && in[p].from_elsewhere)
            excess = std::max(excess, 1.0 + (static_cast<double>(in[p].before.size()) - 2.0) * net.tau());
    std::vector<double> most(net.ports());
    for (port_index p = 0; p < net.ports(); ++p) {
        const bool always_loses_tau = net.of_root_complex(p) && in[p].before.size() == 1;
        most[p] = net.capacity(p) * (always_loses_tau ? 1.0 - net.tau() : p < net.first_down_port() ? 1.0 : excess);
    }
    return most;
}

}  // namespace

order_bound::order_bound(const order_space& space) : space_(space), ports_(space.net().ports()) {
    const std::vector<double> most = most_through(space);
    for (std::size_t s = 0; s < space.sources(); ++s) {
        first_.push_back(costs_.size());
        for (const auto& send : space.sends(s)) {
            const auto ports = space.paths().ports(send.path);
            double rate = space.paths()[send.path].capacity;
            for (const port_index p : ports) rate = std::min(rate, most[p]);
            costs_.push_back({send.alone_s / rate, port_.size(), ports.size()});
            for (const port_index p : ports) {
                port_.push_back(p);
                port_s_.push_back(send.alone_s / most[p]);
            }
        }
    }
}

}  // namespace contraflow::pcie::model
