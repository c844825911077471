// SPDX-License-Identifier: Apache-2.0
// Chooses the port of a switch by which a TLP leaves: for requests by the memory window of their address, for
// completions by the bus numbers below a port. A TLP that no downstream port claims leaves by the upstream port;
// without one it is unclaimed.
// Source: PCI Express Base Specification 3.0, 2.2.4 (routing), 7.5.3 (bases and limits of bridges).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pcie/tlp.h"

namespace contraflow::pcie {

class route_table {
public:
    static constexpr unsigned nowhere = ~0u;

    // `upwards`: the port that leads to the parent, or nowhere.
    explicit route_table(unsigned upwards = nowhere) : upwards_(upwards) {}

    // Windows may be added in any order, and must not overlap.
    void add_window(std::uint64_t first, std::uint64_t last, unsigned port) { windows_.add(first, last, port); }
    void add_functions(function_id first, function_id last, unsigned port) {
        functions_.add(first.value, last.value, port);
    }

    unsigned find(const tlp& packet) const {
        const unsigned port = packet.kind == tlp_kind::completion ? functions_.find(packet.requester.value)
                                                                  : windows_.find(packet.address);
        return port == nowhere ? upwards_ : port;
    }

private:
    // Sorted by their first address; there are few, so a linear count is fast.
    struct ranges {
        std::vector<std::uint64_t> firsts, lasts;
        std::vector<unsigned> ports;
        void add(std::uint64_t first, std::uint64_t last, unsigned port) {
            const auto at = std::upper_bound(firsts.begin(), firsts.end(), first) - firsts.begin();
            firsts.insert(firsts.begin() + at, first);
            lasts.insert(lasts.begin() + at, last);
            ports.insert(ports.begin() + at, port);
        }
        unsigned find(std::uint64_t key) const {
            std::size_t below = 0;
            for (const std::uint64_t first : firsts) below += first <= key ? 1u : 0u;
            return below == 0 || key > lasts[below - 1] ? nowhere : ports[below - 1];
        }
    };
    ranges windows_, functions_;
    unsigned upwards_;
};

}  // namespace contraflow::pcie
