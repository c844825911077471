// SPDX-License-Identifier: Apache-2.0
// Congestion factors of communications that are active together: rules B (up ports, eq. 6), C (down ports, eq. 7)
// and D (head-of-line blocking and redistribution, eq. 8 and 9), and what makes each as slow as it is.
// One object is a workspace: after its first calls it allocates nothing. Rates are relative to the network's reference.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pcie/model/path_table.h"

namespace contraflow::pcie::model {

// Why a communication is slower than the narrowest link on its path.
enum class reason : std::uint8_t { none, source, upstream_share, downstream_share, root_complex, head_of_line };
inline constexpr std::size_t reasons = 6;
// "source", "upstream share", ..., "head of line"
std::string_view to_text(reason why);

// Two factors are equal within this tolerance.
inline constexpr double tolerance = 1e-9;

inline constexpr std::uint32_t nobody = 0xffff'ffff;

struct hold {
    reason why = reason::none;
    port_id port{};                 // the port that held it back; head_of_line: the port where it queues
    std::uint32_t behind = nobody;  // source: the active send; head_of_line: the communication in front of it
    port_id held_at{};              // head_of_line: the port that holds `behind`
};

// One cause of a slow communication. Several causes multiply: shared by four and lost at the root complex is 4 x 1.21.
struct loss {
    hold cause;
    double times = 1.0;  // its time is this much longer
    double share = 0.0;  // of the logarithm of all its causes' `times` together: they add up to 1
};

class congestion_solver {
public:
    // The table must outlive the solver; it may grow between calls.
    explicit congestion_solver(const path_table& paths);

    // At most one communication per source (the caller applies rule A). The result lives until the next call.
    std::span<const double> solve(std::span<const path_id> active);

    // The result of the last solve for communication i of its list. The causes: the largest first; none if it is as
    // fast as its narrowest link.
    std::vector<loss> losses(std::size_t i) const;
    double rate(std::size_t i) const { return final_[i]; }
    double factor(std::size_t i) const { return final_[i] / paths_[active_[i]].capacity; }

    // For the last solve: the sum of the rates on a port relative to its capacity. Above 1 (possible only if all links
    // are equal), the published formula grants more than the capacity.
    double load(port_index p) const;
    template <class Visit>  // visit(port_index) for each port in use, in the order of the rules
    void for_each_used_port(Visit visit) const {
        for (std::size_t w = 0; w < used_.size(); ++w)
            for (std::uint64_t bits = used_[w]; bits != 0; bits &= bits - 1)
                visit(static_cast<port_index>(64 * w + static_cast<unsigned>(__builtin_ctzll(bits))));
    }

private:
    // A use: one communication on one port; number = communication * stride + position on its path.
    using use = std::uint32_t;
    static constexpr use no_use = 0xffff'ffff;
    struct group {
        double offered = 0.0;
        double granted = 0.0;
        bool crosses_root_complex = false;
    };
    struct front {  // the communication that limits those behind it on a port, the limit, and the port that holds it
        double bound = 0.0;
        std::uint32_t by = nobody;
        port_index held_at = no_port;
    };
    struct blockage {
        port_index at = no_port;  // no_port: not blocked
        front behind;
    };

    void enter(std::span<const path_id> active);
    bool passes_alone(port_index p);
    void share_up(port_index p);
    void share_down(port_index p);
    void scale(port_index p, double by);
    unsigned count_groups(port_index p);
    void note_narrow(port_index p, unsigned groups, double share);
    bool block();              // eq. 8
    void redistribute();       // eq. 9
    void keep_within_rates();  // unequal links only
    double increment(port_index p) const;
    double root_complex_times(std::size_t i, use u) const;
    hold narrowest(std::size_t i) const;
    reason share_at(port_index p) const {
        return p < net_.first_down_port() ? reason::upstream_share : reason::downstream_share;
    }
    std::size_t flow_of(use u) const { return flow_[u]; }

    const path_table& paths_;
    const network& net_;
    std::size_t stride_ = 0;
    std::vector<path_id> active_;
    std::vector<double> source_;  // a communication: capacity of its first link
    std::vector<double> rho_;     // ... its running value in B and C
    std::vector<double> final_;   // ... rho''
    std::vector<blockage> blocked_;
    std::vector<port_index> clipped_;  // ... port at which keep_within_rates lowered it

    std::vector<use> next_;  // a use: the next one on the same port
    std::vector<std::uint32_t> flow_;
    std::vector<port_index> port_;
    std::vector<port_index> before_;  // ... the port crossed just before (or the number of ports: none)
    std::vector<double> after_;       // ... rho' after the port
    std::vector<char> lowered_;
    std::vector<std::uint32_t> group_of_;

    std::vector<std::uint64_t> used_;  // a port: in use?
    std::vector<use> head_;
    std::vector<std::uint32_t> groups_on_;
    std::vector<char> conflict_;
    std::vector<front> bound_;    // ... h of eq. 8, relative to the source's capacity
    std::vector<double> narrow_;  // ... unequal links: the share that passes, if narrower than its only input
    std::vector<front> passing_;  // ... unequal links: the least share that passes the later narrow ports
    std::vector<double> increment_;

    std::vector<std::uint64_t> stamp_;  // by the previous port: when it was last counted as a group, and which group
    std::vector<std::uint32_t> slot_;
    std::uint64_t now_ = 0;
    std::vector<group> group_;
    bool any_conflict_ = false;
    bool any_narrow_ = false;
};

}  // namespace contraflow::pcie::model
