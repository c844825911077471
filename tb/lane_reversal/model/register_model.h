// SPDX-License-Identifier: Apache-2.0
// The registers by registers.yaml: the value of a read, the reason of a refused write, and when a written setting takes
// effect. Addresses and fields come from the generated map; the behaviour is written here a second time.
#pragma once

#include <cstdint>

#include "lane_reversal/model/settings.h"
#include "link/lanes/direction.h"

namespace contraflow::lane_reversal {

struct block_parameters {
    unsigned lanes_per_direction = 8;
    unsigned time_width = 20;  // bits of SAMPLE_TIME and SWITCH_TIME
    unsigned path_width = 12;  // width of DRAIN and SYNC_LATENCY
    unsigned lanes() const { return 2 * lanes_per_direction; }
    std::uint32_t all_lanes() const { return (2u << (lanes() - 1)) - 1; }
    std::uint32_t longest_time() const { return (1u << time_width) - 1; }
    std::uint32_t longest_path() const { return (1u << path_width) - 1; }
    settings reset;  // values after reset
};

class register_model {
public:
    // The status that the block shows.
    struct live {
        link::by_direction<unsigned> lanes;
        unsigned turning = 0, failed = 0, pending = 0;
        bool running = false, under_way = false;
        link::by_direction<std::uint32_t> serving;
        std::uint32_t failed_lanes = 0;
    };
    // The events of a cycle, which show in the next one.
    struct events {
        bool turn = false;
        unsigned faults = 0;
        bool totals = false;  // of a window, which follow
        link::by_direction<std::uint64_t> busy, capacity;
        bool apply = false;  // settings that were written hold from the next cycle on
    };
    struct answer {
        std::uint32_t data = 0;
        bool error = false;
    };

    explicit register_model(const block_parameters& p) : parameters_(p) { reset(); }
    void reset();
    const settings& holding() const { return holding_; }
    const settings& written() const { return written_; }
    bool settled() const { return settled_; }
    bool irq() const { return (irq_status_ & irq_enable_) != 0; }

    answer read(std::uint8_t address, const live& now) const;
    // Whether a write is refused; nothing changes yet.
    bool refuses(std::uint8_t address, std::uint32_t data) const;
    // To the next cycle.
    void clock(const events& e, bool write, std::uint8_t address, std::uint32_t data);

private:
    void store(std::uint8_t address, std::uint32_t data);

    const block_parameters parameters_;
    settings written_, holding_;
    bool settled_ = true;
    std::uint32_t scratch_ = 0, irq_status_ = 0, irq_enable_ = 0, turns_ = 0, windows_ = 0, faults_ = 0;
    link::by_direction<std::uint64_t> busy_, capacity_;
};

}  // namespace contraflow::lane_reversal
