// SPDX-License-Identifier: Apache-2.0
// Lane-reversal controller: byte offsets and fields. Written by scripts/generate-registers from
// rtl/lane_reversal/registers.yaml; change that instead.
#ifndef CF_LANE_REVERSAL_REGS_H
#define CF_LANE_REVERSAL_REGS_H

// Identification; read only
#define CF_LANE_REVERSAL_ID_OFFSET 0x00u
#define CF_LANE_REVERSAL_ID_RESET 0xCF1A0200u
#define CF_LANE_REVERSAL_ID_LANES_LSB 0u  // lanes of each direction while symmetric
#define CF_LANE_REVERSAL_ID_LANES_MASK 0x000000FFu
#define CF_LANE_REVERSAL_ID_VERSION_LSB 8u  // version of this register map
#define CF_LANE_REVERSAL_ID_VERSION_MASK 0x0000FF00u
#define CF_LANE_REVERSAL_ID_BLOCK_LSB 16u  // the same for every lane-reversal controller
#define CF_LANE_REVERSAL_ID_BLOCK_MASK 0xFFFF0000u

// Holds the value written, without effect; for tests of the bus; read, write
#define CF_LANE_REVERSAL_SCRATCH_OFFSET 0x04u
#define CF_LANE_REVERSAL_SCRATCH_RESET 0x00000000u
#define CF_LANE_REVERSAL_SCRATCH_VALUE_LSB 0u  // any
#define CF_LANE_REVERSAL_SCRATCH_VALUE_MASK 0xFFFFFFFFu

// Control of decisions; read, write
#define CF_LANE_REVERSAL_CTRL_OFFSET 0x08u
#define CF_LANE_REVERSAL_CTRL_RESET 0x00000001u
#define CF_LANE_REVERSAL_CTRL_ENABLE_LSB 0u  // 0: static, except for launches and failed lanes
#define CF_LANE_REVERSAL_CTRL_ENABLE_MASK 0x00000001u
// 0: the published policy; 1: guarded, a lane is given only where it is not needed
#define CF_LANE_REVERSAL_CTRL_GUARDED_LSB 1u
#define CF_LANE_REVERSAL_CTRL_GUARDED_MASK 0x00000002u

// A window's length; read, write
#define CF_LANE_REVERSAL_SAMPLE_TIME_OFFSET 0x0Cu
#define CF_LANE_REVERSAL_SAMPLE_TIME_RESET 0x00001388u
#define CF_LANE_REVERSAL_SAMPLE_TIME_CYCLES_LSB 0u  // cycles, at least those of a decision
#define CF_LANE_REVERSAL_SAMPLE_TIME_CYCLES_MASK 0x000FFFFFu

// Turnaround of a lane, after it has drained; read, write
#define CF_LANE_REVERSAL_SWITCH_TIME_OFFSET 0x10u
#define CF_LANE_REVERSAL_SWITCH_TIME_RESET 0x00000064u
#define CF_LANE_REVERSAL_SWITCH_TIME_CYCLES_LSB 0u  // cycles
#define CF_LANE_REVERSAL_SWITCH_TIME_CYCLES_MASK 0x000FFFFFu

// Time for phits on a lane to reach the other end; read, write
#define CF_LANE_REVERSAL_DRAIN_OFFSET 0x14u
#define CF_LANE_REVERSAL_DRAIN_RESET 0x00000004u
#define CF_LANE_REVERSAL_DRAIN_CYCLES_LSB 0u  // cycles
#define CF_LANE_REVERSAL_DRAIN_CYCLES_MASK 0x00000FFFu

// Time from a window's end until its decision holds, in which the samples of the two ends meet; read, write
#define CF_LANE_REVERSAL_SYNC_LATENCY_OFFSET 0x18u
#define CF_LANE_REVERSAL_SYNC_LATENCY_RESET 0x00000008u
#define CF_LANE_REVERSAL_SYNC_LATENCY_CYCLES_LSB 0u  // cycles, at least those of a decision
#define CF_LANE_REVERSAL_SYNC_LATENCY_CYCLES_MASK 0x00000FFFu

// Share of a direction's lane-cycles from which it counts as saturated; read, write
#define CF_LANE_REVERSAL_THRESHOLD_OFFSET 0x1Cu
#define CF_LANE_REVERSAL_THRESHOLD_RESET 0x00000063u
#define CF_LANE_REVERSAL_THRESHOLD_PERCENT_LSB 0u  // per cent
#define CF_LANE_REVERSAL_THRESHOLD_PERCENT_MASK 0x0000007Fu

// Lanes that a direction always keeps; read, write
#define CF_LANE_REVERSAL_MIN_LANES_OFFSET 0x20u
#define CF_LANE_REVERSAL_MIN_LANES_RESET 0x00000001u
#define CF_LANE_REVERSAL_MIN_LANES_LANES_LSB 0u  // lanes
#define CF_LANE_REVERSAL_MIN_LANES_LANES_MASK 0x0000001Fu

// State in this cycle; read only
#define CF_LANE_REVERSAL_STATUS_OFFSET 0x24u
#define CF_LANE_REVERSAL_STATUS_RESET 0x00000000u
#define CF_LANE_REVERSAL_STATUS_LANES_AB_LSB 0u  // lanes that serve A->B
#define CF_LANE_REVERSAL_STATUS_LANES_AB_MASK 0x0000003Fu
#define CF_LANE_REVERSAL_STATUS_LANES_BA_LSB 6u  // lanes that serve B->A
#define CF_LANE_REVERSAL_STATUS_LANES_BA_MASK 0x00000FC0u
#define CF_LANE_REVERSAL_STATUS_TURNING_LSB 12u  // lanes that have left and not joined
#define CF_LANE_REVERSAL_STATUS_TURNING_MASK 0x0003F000u
#define CF_LANE_REVERSAL_STATUS_FAILED_LSB 18u  // lanes that have failed or are absent
#define CF_LANE_REVERSAL_STATUS_FAILED_MASK 0x00FC0000u
// a decision that has been made and waits for the rest of SYNC_LATENCY: 0 none, 1 to A->B, 2 to B->A
#define CF_LANE_REVERSAL_STATUS_PENDING_LSB 24u
#define CF_LANE_REVERSAL_STATUS_PENDING_MASK 0x03000000u
#define CF_LANE_REVERSAL_STATUS_RUNNING_LSB 26u  // a launch has occurred
#define CF_LANE_REVERSAL_STATUS_RUNNING_MASK 0x04000000u
#define CF_LANE_REVERSAL_STATUS_SETTLED_LSB 27u  // all settings that were written have taken effect
#define CF_LANE_REVERSAL_STATUS_SETTLED_MASK 0x08000000u
#define CF_LANE_REVERSAL_STATUS_ENABLED_LSB 28u  // CTRL.ENABLE as it has taken effect
#define CF_LANE_REVERSAL_STATUS_ENABLED_MASK 0x10000000u
#define CF_LANE_REVERSAL_STATUS_GUARDING_LSB 29u  // CTRL.GUARDED as it has taken effect
#define CF_LANE_REVERSAL_STATUS_GUARDING_MASK 0x20000000u
// a lane turns because of a decision, or has joined in the cycle before
#define CF_LANE_REVERSAL_STATUS_UNDER_WAY_LSB 30u
#define CF_LANE_REVERSAL_STATUS_UNDER_WAY_MASK 0x40000000u

// The lanes that serve A->B; read only
#define CF_LANE_REVERSAL_SERVING_AB_OFFSET 0x28u
#define CF_LANE_REVERSAL_SERVING_AB_RESET 0x00000000u
#define CF_LANE_REVERSAL_SERVING_AB_LANES_LSB 0u  // one bit per physical lane
#define CF_LANE_REVERSAL_SERVING_AB_LANES_MASK 0x0000FFFFu

// The lanes that serve B->A; read only
#define CF_LANE_REVERSAL_SERVING_BA_OFFSET 0x2Cu
#define CF_LANE_REVERSAL_SERVING_BA_RESET 0x00000000u
#define CF_LANE_REVERSAL_SERVING_BA_LANES_LSB 0u  // one bit per physical lane
#define CF_LANE_REVERSAL_SERVING_BA_LANES_MASK 0x0000FFFFu

// The lanes that have failed or are absent; read only
#define CF_LANE_REVERSAL_FAILED_OFFSET 0x30u
#define CF_LANE_REVERSAL_FAILED_RESET 0x00000000u
#define CF_LANE_REVERSAL_FAILED_LANES_LSB 0u  // one bit per physical lane
#define CF_LANE_REVERSAL_FAILED_LANES_MASK 0x0000FFFFu

// Causes of the interrupt; a written 1 clears
#define CF_LANE_REVERSAL_IRQ_STATUS_OFFSET 0x34u
#define CF_LANE_REVERSAL_IRQ_STATUS_RESET 0x00000000u
#define CF_LANE_REVERSAL_IRQ_STATUS_TURN_LSB 0u  // a lane left because of a decision
#define CF_LANE_REVERSAL_IRQ_STATUS_TURN_MASK 0x00000001u
#define CF_LANE_REVERSAL_IRQ_STATUS_FAULT_LSB 1u  // a lane failed
#define CF_LANE_REVERSAL_IRQ_STATUS_FAULT_MASK 0x00000002u

// The interrupt is on while an enabled bit of IRQ_STATUS is; read, write
#define CF_LANE_REVERSAL_IRQ_ENABLE_OFFSET 0x38u
#define CF_LANE_REVERSAL_IRQ_ENABLE_RESET 0x00000000u
#define CF_LANE_REVERSAL_IRQ_ENABLE_TURN_LSB 0u  // as in IRQ_STATUS
#define CF_LANE_REVERSAL_IRQ_ENABLE_TURN_MASK 0x00000001u
#define CF_LANE_REVERSAL_IRQ_ENABLE_FAULT_LSB 1u  // as in IRQ_STATUS
#define CF_LANE_REVERSAL_IRQ_ENABLE_FAULT_MASK 0x00000002u

// Lanes that left because of a decision; launches are not counted; a write clears
#define CF_LANE_REVERSAL_TURNS_OFFSET 0x3Cu
#define CF_LANE_REVERSAL_TURNS_RESET 0x00000000u
#define CF_LANE_REVERSAL_TURNS_COUNT_LSB 0u  // saturates
#define CF_LANE_REVERSAL_TURNS_COUNT_MASK 0x0000FFFFu

// Windows that were completed; a write clears
#define CF_LANE_REVERSAL_WINDOWS_OFFSET 0x40u
#define CF_LANE_REVERSAL_WINDOWS_RESET 0x00000000u
#define CF_LANE_REVERSAL_WINDOWS_COUNT_LSB 0u  // saturates
#define CF_LANE_REVERSAL_WINDOWS_COUNT_MASK 0x0000FFFFu

// Lanes that failed after the first launch; a write clears
#define CF_LANE_REVERSAL_FAULTS_OFFSET 0x44u
#define CF_LANE_REVERSAL_FAULTS_RESET 0x00000000u
#define CF_LANE_REVERSAL_FAULTS_COUNT_LSB 0u  // saturates
#define CF_LANE_REVERSAL_FAULTS_COUNT_MASK 0x0000FFFFu

// The last completed window of A->B; read only
#define CF_LANE_REVERSAL_BUSY_AB_OFFSET 0x48u
#define CF_LANE_REVERSAL_BUSY_AB_RESET 0x00000000u
#define CF_LANE_REVERSAL_BUSY_AB_LANE_CYCLES_LSB 0u  // lane-cycles that carried a phit
#define CF_LANE_REVERSAL_BUSY_AB_LANE_CYCLES_MASK 0x00FFFFFFu

// The last completed window of B->A; read only
#define CF_LANE_REVERSAL_BUSY_BA_OFFSET 0x4Cu
#define CF_LANE_REVERSAL_BUSY_BA_RESET 0x00000000u
#define CF_LANE_REVERSAL_BUSY_BA_LANE_CYCLES_LSB 0u  // lane-cycles that carried a phit
#define CF_LANE_REVERSAL_BUSY_BA_LANE_CYCLES_MASK 0x00FFFFFFu

// The last completed window of A->B; read only
#define CF_LANE_REVERSAL_CAPACITY_AB_OFFSET 0x50u
#define CF_LANE_REVERSAL_CAPACITY_AB_RESET 0x00000000u
#define CF_LANE_REVERSAL_CAPACITY_AB_LANE_CYCLES_LSB 0u  // lane-cycles available
#define CF_LANE_REVERSAL_CAPACITY_AB_LANE_CYCLES_MASK 0x00FFFFFFu

// The last completed window of B->A; read only
#define CF_LANE_REVERSAL_CAPACITY_BA_OFFSET 0x54u
#define CF_LANE_REVERSAL_CAPACITY_BA_RESET 0x00000000u
#define CF_LANE_REVERSAL_CAPACITY_BA_LANE_CYCLES_LSB 0u  // lane-cycles available
#define CF_LANE_REVERSAL_CAPACITY_BA_LANE_CYCLES_MASK 0x00FFFFFFu

#endif  // CF_LANE_REVERSAL_REGS_H
