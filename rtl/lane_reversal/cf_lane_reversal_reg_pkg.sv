// SPDX-License-Identifier: Apache-2.0
// Lane-reversal controller: its registers. Written by scripts/generate-registers from
// rtl/lane_reversal/registers.yaml; change that instead.
package cf_lane_reversal_reg_pkg;

  // Bits of fields, in the default build.
  localparam int unsigned TimeWidth = 20;
  localparam int unsigned PathWidth = 12;
  localparam int unsigned EventWidth = 16;

  // Registers, and their places in the map: byte address / 4.
  localparam int unsigned Registers = 22;
  typedef enum logic [31:0] {
    IdPlace = 32'd0,
    ScratchPlace = 32'd1,
    CtrlPlace = 32'd2,
    SampleTimePlace = 32'd3,
    SwitchTimePlace = 32'd4,
    DrainPlace = 32'd5,
    SyncLatencyPlace = 32'd6,
    ThresholdPlace = 32'd7,
    MinLanesPlace = 32'd8,
    StatusPlace = 32'd9,
    ServingAbPlace = 32'd10,
    ServingBaPlace = 32'd11,
    FailedPlace = 32'd12,
    IrqStatusPlace = 32'd13,
    IrqEnablePlace = 32'd14,
    TurnsPlace = 32'd15,
    WindowsPlace = 32'd16,
    FaultsPlace = 32'd17,
    BusyAbPlace = 32'd18,
    BusyBaPlace = 32'd19,
    CapacityAbPlace = 32'd20,
    CapacityBaPlace = 32'd21
  } place_e;

  // ID after reset: identification
  typedef enum logic [31:0] {IdVersionReset = 32'd2} id_version_reset_e;
  typedef enum logic [31:0] {IdBlockReset = 32'd53018} id_block_reset_e;

  // SCRATCH after reset: holds the value written, without effect; for tests of the bus
  typedef enum logic [31:0] {ScratchValueReset = 32'd0} scratch_value_reset_e;

  // CTRL after reset: control of decisions
  typedef enum logic [31:0] {CtrlEnableReset = 32'd1} ctrl_enable_reset_e;
  typedef enum logic [31:0] {CtrlGuardedReset = 32'd0} ctrl_guarded_reset_e;

  // SAMPLE_TIME after reset: a window's length
  typedef enum logic [31:0] {SampleTimeCyclesReset = 32'd5000} sample_time_cycles_reset_e;

  // SWITCH_TIME after reset: turnaround of a lane, after it has drained
  typedef enum logic [31:0] {SwitchTimeCyclesReset = 32'd100} switch_time_cycles_reset_e;

  // DRAIN after reset: time for phits on a lane to reach the other end
  typedef enum logic [31:0] {DrainCyclesReset = 32'd4} drain_cycles_reset_e;

  // SYNC_LATENCY after reset: time from a window's end until its decision holds, in which the samples of the two ends meet
  typedef enum logic [31:0] {SyncLatencyCyclesReset = 32'd8} sync_latency_cycles_reset_e;

  // THRESHOLD after reset: share of a direction's lane-cycles from which it counts as saturated
  typedef enum logic [31:0] {ThresholdPercentReset = 32'd99} threshold_percent_reset_e;

  // MIN_LANES after reset: lanes that a direction always keeps
  typedef enum logic [31:0] {MinLanesLanesReset = 32'd1} min_lanes_lanes_reset_e;

  // IRQ_ENABLE after reset: the interrupt is on while an enabled bit of IRQ_STATUS is
  typedef enum logic [31:0] {IrqEnableTurnReset = 32'd0} irq_enable_turn_reset_e;
  typedef enum logic [31:0] {IrqEnableFaultReset = 32'd0} irq_enable_fault_reset_e;

  // ID
  typedef struct packed {
    logic [15:0] block;  // the same for every lane-reversal controller
    logic [7:0] version;  // version of this register map
    logic [7:0] lanes;  // lanes of each direction while symmetric
  } id_t;

  // CTRL
  typedef struct packed {
    logic [29:0] zero31;
    logic [0:0] guarded;  // 0: the published policy; 1: guarded, a lane is given only where it is not needed
    logic [0:0] enable;  // 0: static, except for launches and failed lanes
  } ctrl_t;

  // STATUS
  typedef struct packed {
    logic [0:0] zero31;
    logic [0:0] under_way;  // a lane turns because of a decision, or has joined in the cycle before
    logic [0:0] guarding;  // CTRL.GUARDED as it has taken effect
    logic [0:0] enabled;  // CTRL.ENABLE as it has taken effect
    logic [0:0] settled;  // all settings that were written have taken effect
    logic [0:0] running;  // a launch has occurred
    logic [1:0] pending;  // a decision that has been made and waits for the rest of SYNC_LATENCY: 0 none, 1 to A->B, 2 to B->A
    logic [5:0] failed;  // lanes that have failed or are absent
    logic [5:0] turning;  // lanes that have left and not joined
    logic [5:0] lanes_ba;  // lanes that serve B->A
    logic [5:0] lanes_ab;  // lanes that serve A->B
  } status_t;

  // IRQ_STATUS
  typedef struct packed {
    logic [29:0] zero31;
    logic [0:0] fault;  // a lane failed
    logic [0:0] turn;  // a lane left because of a decision
  } irq_status_t;

  // IRQ_ENABLE
  typedef struct packed {
    logic [29:0] zero31;
    logic [0:0] fault;  // as in IRQ_STATUS
    logic [0:0] turn;  // as in IRQ_STATUS
  } irq_enable_t;

endpackage
