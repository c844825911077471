// SPDX-License-Identifier: Apache-2.0
// Lane-reversal controller: the register map, by name. Written by scripts/generate-registers from
// rtl/lane_reversal/registers.yaml; change that instead.
#pragma once

#include <array>
#include <cstdint>

#include "core/register_map.h"

namespace contraflow::link::lane_reversal_registers {

using access = core::register_access;
using field = core::register_field;
using reg = core::mapped_register;

// Identification
inline constexpr reg id{0x00, access::ro, 0xCF1A0200, "ID"};
// lanes of each direction while symmetric
inline constexpr field id_lanes{0x00, 0, 8, 0, "ID.LANES"};
// version of this register map
inline constexpr field id_version{0x00, 8, 8, 2, "ID.VERSION"};
// the same for every lane-reversal controller
inline constexpr field id_block{0x00, 16, 16, 53018, "ID.BLOCK"};
// Holds the value written, without effect; for tests of the bus
inline constexpr reg scratch{0x04, access::rw, 0x00000000, "SCRATCH"};
// any
inline constexpr field scratch_value{0x04, 0, 32, 0, "SCRATCH.VALUE"};
// Control of decisions
inline constexpr reg ctrl{0x08, access::rw, 0x00000001, "CTRL"};
// 0: static, except for launches and failed lanes
inline constexpr field ctrl_enable{0x08, 0, 1, 1, "CTRL.ENABLE"};
// 0: the published policy; 1: guarded, a lane is given only where it is not needed
inline constexpr field ctrl_guarded{0x08, 1, 1, 0, "CTRL.GUARDED"};
// A window's length
inline constexpr reg sample_time{0x0C, access::rw, 0x00001388, "SAMPLE_TIME"};
// cycles, at least those of a decision
inline constexpr field sample_time_cycles{0x0C, 0, 20, 5000, "SAMPLE_TIME.CYCLES", 8};
// Turnaround of a lane, after it has drained
inline constexpr reg switch_time{0x10, access::rw, 0x00000064, "SWITCH_TIME"};
// cycles
inline constexpr field switch_time_cycles{0x10, 0, 20, 100, "SWITCH_TIME.CYCLES"};
// Time for phits on a lane to reach the other end
inline constexpr reg drain{0x14, access::rw, 0x00000004, "DRAIN"};
// cycles
inline constexpr field drain_cycles{0x14, 0, 12, 4, "DRAIN.CYCLES"};
// Time from a window's end until its decision holds, in which the samples of the two ends meet
inline constexpr reg sync_latency{0x18, access::rw, 0x00000008, "SYNC_LATENCY"};
// cycles, at least those of a decision
inline constexpr field sync_latency_cycles{0x18, 0, 12, 8, "SYNC_LATENCY.CYCLES", 8};
// Share of a direction's lane-cycles from which it counts as saturated
inline constexpr reg threshold{0x1C, access::rw, 0x00000063, "THRESHOLD"};
// per cent
inline constexpr field threshold_percent{0x1C, 0, 7, 99, "THRESHOLD.PERCENT"};
// Lanes that a direction always keeps
inline constexpr reg min_lanes{0x20, access::rw, 0x00000001, "MIN_LANES"};
// lanes
inline constexpr field min_lanes_lanes{0x20, 0, 5, 1, "MIN_LANES.LANES", 1};
// State in this cycle
inline constexpr reg status{0x24, access::ro, 0x00000000, "STATUS"};
// lanes that serve A->B
inline constexpr field status_lanes_ab{0x24, 0, 6, 0, "STATUS.LANES_AB"};
// lanes that serve B->A
inline constexpr field status_lanes_ba{0x24, 6, 6, 0, "STATUS.LANES_BA"};
// lanes that have left and not joined
inline constexpr field status_turning{0x24, 12, 6, 0, "STATUS.TURNING"};
// lanes that have failed or are absent
inline constexpr field status_failed{0x24, 18, 6, 0, "STATUS.FAILED"};
// a decision that has been made and waits for the rest of SYNC_LATENCY: 0 none, 1 to A->B, 2 to B->A
inline constexpr field status_pending{0x24, 24, 2, 0, "STATUS.PENDING"};
// a launch has occurred
inline constexpr field status_running{0x24, 26, 1, 0, "STATUS.RUNNING"};
// all settings that were written have taken effect
inline constexpr field status_settled{0x24, 27, 1, 0, "STATUS.SETTLED"};
// CTRL.ENABLE as it has taken effect
inline constexpr field status_enabled{0x24, 28, 1, 0, "STATUS.ENABLED"};
// CTRL.GUARDED as it has taken effect
inline constexpr field status_guarding{0x24, 29, 1, 0, "STATUS.GUARDING"};
// a lane turns because of a decision, or has joined in the cycle before
inline constexpr field status_under_way{0x24, 30, 1, 0, "STATUS.UNDER_WAY"};
// The lanes that serve A->B
inline constexpr reg serving_ab{0x28, access::ro, 0x00000000, "SERVING_AB"};
// one bit per physical lane
inline constexpr field serving_ab_lanes{0x28, 0, 16, 0, "SERVING_AB.LANES"};
// The lanes that serve B->A
inline constexpr reg serving_ba{0x2C, access::ro, 0x00000000, "SERVING_BA"};
// one bit per physical lane
inline constexpr field serving_ba_lanes{0x2C, 0, 16, 0, "SERVING_BA.LANES"};
// The lanes that have failed or are absent
inline constexpr reg failed{0x30, access::ro, 0x00000000, "FAILED"};
// one bit per physical lane
inline constexpr field failed_lanes{0x30, 0, 16, 0, "FAILED.LANES"};
// Causes of the interrupt
inline constexpr reg irq_status{0x34, access::w1c, 0x00000000, "IRQ_STATUS"};
// a lane left because of a decision
inline constexpr field irq_status_turn{0x34, 0, 1, 0, "IRQ_STATUS.TURN"};
// a lane failed
inline constexpr field irq_status_fault{0x34, 1, 1, 0, "IRQ_STATUS.FAULT"};
// The interrupt is on while an enabled bit of IRQ_STATUS is
inline constexpr reg irq_enable{0x38, access::rw, 0x00000000, "IRQ_ENABLE"};
// as in IRQ_STATUS
inline constexpr field irq_enable_turn{0x38, 0, 1, 0, "IRQ_ENABLE.TURN"};
// as in IRQ_STATUS
inline constexpr field irq_enable_fault{0x38, 1, 1, 0, "IRQ_ENABLE.FAULT"};
// Lanes that left because of a decision; launches are not counted
inline constexpr reg turns{0x3C, access::clear, 0x00000000, "TURNS"};
// saturates
inline constexpr field turns_count{0x3C, 0, 16, 0, "TURNS.COUNT"};
// Windows that were completed
inline constexpr reg windows{0x40, access::clear, 0x00000000, "WINDOWS"};
// saturates
inline constexpr field windows_count{0x40, 0, 16, 0, "WINDOWS.COUNT"};
// Lanes that failed after the first launch
inline constexpr reg faults{0x44, access::clear, 0x00000000, "FAULTS"};
// saturates
inline constexpr field faults_count{0x44, 0, 16, 0, "FAULTS.COUNT"};
// The last completed window of A->B
inline constexpr reg busy_ab{0x48, access::ro, 0x00000000, "BUSY_AB"};
// lane-cycles that carried a phit
inline constexpr field busy_ab_lane_cycles{0x48, 0, 24, 0, "BUSY_AB.LANE_CYCLES"};
// The last completed window of B->A
inline constexpr reg busy_ba{0x4C, access::ro, 0x00000000, "BUSY_BA"};
// lane-cycles that carried a phit
inline constexpr field busy_ba_lane_cycles{0x4C, 0, 24, 0, "BUSY_BA.LANE_CYCLES"};
// The last completed window of A->B
inline constexpr reg capacity_ab{0x50, access::ro, 0x00000000, "CAPACITY_AB"};
// lane-cycles available
inline constexpr field capacity_ab_lane_cycles{0x50, 0, 24, 0, "CAPACITY_AB.LANE_CYCLES"};
// The last completed window of B->A
inline constexpr reg capacity_ba{0x54, access::ro, 0x00000000, "CAPACITY_BA"};
// lane-cycles available
inline constexpr field capacity_ba_lane_cycles{0x54, 0, 24, 0, "CAPACITY_BA.LANE_CYCLES"};

inline constexpr std::array<reg, 22> all{{
    id,            // 0x00
    scratch,       // 0x04
    ctrl,          // 0x08
    sample_time,   // 0x0C
    switch_time,   // 0x10
    drain,         // 0x14
    sync_latency,  // 0x18
    threshold,     // 0x1C
    min_lanes,     // 0x20
    status,        // 0x24
    serving_ab,    // 0x28
    serving_ba,    // 0x2C
    failed,        // 0x30
    irq_status,    // 0x34
    irq_enable,    // 0x38
    turns,         // 0x3C
    windows,       // 0x40
    faults,        // 0x44
    busy_ab,       // 0x48
    busy_ba,       // 0x4C
    capacity_ab,   // 0x50
    capacity_ba,   // 0x54
}};

}  // namespace contraflow::link::lane_reversal_registers
