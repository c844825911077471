// SPDX-License-Identifier: Apache-2.0
// Finds a packet's buffer in BUF_LIST and translates its pages: a part of the receive pipeline, in hardware or by
// firmware on a core. Packets come in order and are answered in order. No packet is ever refused, so this is no
// channel: there is room for as many as the datapath holds.
//
//   pipeline -> look_up()      every packet that has been checked, valid or not
//   look-up  -> looked_up()    the next packet, in order; refused() before it, if its room is free earlier
//            -> read_table()   an entry of a page table, if the look-up is hardware; table_entry() answers
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/waiting.h"
#include "nic/receive/receive_datapath_if.h"

namespace contraflow::nic {

// Cycles that a packet takes to pass a stage that has no work for it.
inline constexpr std::uint64_t pass_cycles = 1;

// The clock's first edge from `now` on.
constexpr core::sim_time next_edge(core::sim_time now, core::sim_time cycle) {
    const std::uint64_t past = now.ps % cycle.ps;
    return {past == 0 ? now.ps : now.ps - past + cycle.ps};
}

struct lookup_request {
    std::uint64_t packet = 0;  // number
    bool put = false;          // false: there is no look-up; it only keeps its position in the order
    packet_header header;
};

struct lookup_result {
    std::optional<drop_reason> dropped;  // no_buffer, bounds, access or translation
    memory_space space = memory_space::host;
    std::uint8_t ring = 0;              // ring of completions
    std::array<page_entry, 2> pages{};  // 4,096 bytes touch two at most
};

class receive_pipeline;

class receive_lookup_if : public core::waiter_if {
public:
    // The pipeline that it is a part of.
    virtual void bind(receive_pipeline& pipeline) = 0;
    // The packets that wait for an answer are at most those that the datapath holds.
    virtual void look_up(const lookup_request& r) = 0;
    virtual void table_entry(std::uint64_t value) = 0;
    virtual void set_buffer(unsigned index, const buffer_entry& b) = 0;
    // invalidated_from() follows.
    virtual void invalidate(std::uint64_t root) = 0;
    // Drops copies of translations.
    virtual void clear() = 0;
    // Drops all look-ups under way, and all buffers.
    virtual void reset() = 0;
};

}  // namespace contraflow::nic
