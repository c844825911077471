// SPDX-License-Identifier: Apache-2.0
// The addresses and numbers of a PCIe tree after enumeration. Buses are numbered depth first. The size of a base
// address register (BAR) is a power of two, and the BAR is aligned to it. The bridge above each link forwards two
// windows of whole MiB, one below 4 GiB and a prefetchable one of 64 bits, which cover all ranges below it.
// Source: PCI Express Base Specification 3.0, 7.5; PCI-to-PCI Bridge Architecture Specification 1.2, 3.2.5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "pcie/fabric/route_table.h"
#include "pcie/fabric/topology.h"
#include "pcie/function_id.h"

namespace contraflow::pcie {

struct address_range {
    std::uint64_t base = 0;
    std::uint64_t size = 0;  // 0: there is none
    std::uint64_t last() const { return base + size - 1; }
    bool holds(std::uint64_t address) const { return address - base < size; }
    friend bool operator==(const address_range&, const address_range&) = default;
};

struct bar_spec {
    core::bytes size;
    bool wide = true;  // prefetchable, anywhere in 64 bits; else below 4 GiB
    std::string use;   // for reports: "memory", "registers"
};

// The range of an endpoint. A fixed one is decoded as well, and not given out: the host's memory, its interrupt window.
struct function_spec {
    std::vector<bar_spec> bars;
    std::vector<address_range> fixed;
};

class address_map {
public:
    // The reason why a tree cannot be enumerated: more than 255 buses below one root port. None if it can be.
    struct problem {
        node_id node = 0;  // the node below that root port
        std::string text;
    };
    static std::optional<problem> problem_of(const topology& nodes);

    // The first address that enumeration assigns.
    static constexpr std::uint64_t narrow_base = 0x8000'0000;
    static constexpr std::uint64_t narrow_end = 0xfec0'0000;  // interrupt controllers are above
    static constexpr std::uint64_t wide_base = 0x40'0000'0000;
    static constexpr std::uint64_t window_granularity = 1u << 20;

    struct function {
        function_id id;
        std::vector<address_range> bars, fixed;  // in the specification's order
    };
    // The bridge above a link: a root port, or a switch's downstream port.
    struct bridge {
        function_id id;
        function_id first, last;     // functions below it
        address_range narrow, wide;  // windows
    };

    // `functions` by node id; only endpoints have any. Throws std::invalid_argument if a range does not fit, or a fixed
    // range overlaps another claim.
    address_map(const topology& nodes, std::vector<function_spec> functions);

    const topology& nodes() const { return nodes_; }
    const function& at(node_id endpoint) const { return functions_[endpoint]; }
    const bridge& above(node_id node) const { return bridges_[node]; }
    // Routes of a switch or root complex. Its ports are the upstream one, if it has a parent, then its children in
    // order.
    route_table routes(node_id node) const;
    // The endpoint that claims an address.
    std::optional<node_id> owner(std::uint64_t address) const;

    // A readable list: every bridge and function with its claims.
    struct row {
        std::string name;
        function_id id;
        std::string kind;  // "window", "BAR 0", "fixed", "bus"
        address_range range;
        std::string use;
        unsigned depth = 0;
    };
    std::vector<row> listing() const;

private:
    struct need {  // a subtree's need, in one of the two address spaces
        std::uint64_t size = 0, alignment = 1;
    };
    static unsigned buses_below(const topology& nodes, node_id node);
    void number(node_id node, function_id self);
    function_id next_bus();
    need place(node_id node, bool wide, std::uint64_t base, bool commit);
    need place_bars(node_id node, bool wide, std::uint64_t base, bool commit);
    void place_space(bool wide, std::uint64_t base, std::uint64_t end);
    void refuse_overlaps() const;

    const topology& nodes_;
    const std::vector<function_spec> specs_;
    std::vector<function> functions_;
    std::vector<bridge> bridges_;
    unsigned segment_ = 0, buses_ = 0;  // buses assigned in this segment
};

}  // namespace contraflow::pcie
