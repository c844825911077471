// SPDX-License-Identifier: Apache-2.0
// NIC receive path: its registers. Written by scripts/generate-registers from
// rtl/nic_rx/registers.yaml; change that instead.
package cf_nic_rx_reg_pkg;

  // Registers, and their places in the map: byte address / 4.
  localparam int unsigned Registers = 64;
  typedef enum logic [31:0] {
    IdPlace = 32'd0,
    IrqStatusPlace = 32'd1,
    IrqEnablePlace = 32'd2,
    LookupHeaderPlace = 32'd3,
    LookupEntryPlace = 32'd7,
    LookupResultPlace = 32'd11,
    MessagePlace = 32'd12,
    MessageTakePlace = 32'd20,
    TaskPlace = 32'd21,
    TaskSendPlace = 32'd29,
    CommandPlace = 32'd30,
    CommandDataPlace = 32'd31,
    CommandDonePlace = 32'd39,
    RingBasePlace = 32'd40,
    RingEntriesPlace = 32'd42,
    RingSetPlace = 32'd43,
    BufListPlace = 32'd44,
    BufListEntriesPlace = 32'd45,
    TableSegmentPlace = 32'd46,
    CounterPlace = 32'd48,
    MemoryErrorPlace = 32'd62,
    RingsPlace = 32'd63
  } place_e;

  // ID after reset: identification
  typedef enum logic [31:0] {IdVersionReset = 32'd4} id_version_reset_e;
  typedef enum logic [31:0] {IdBlockReset = 32'd53035} id_block_reset_e;

  // IRQ_ENABLE after reset: the external interrupt is on while an enabled bit of IRQ_STATUS is
  typedef enum logic [31:0] {IrqEnableLookupReset = 32'd0} irq_enable_lookup_reset_e;
  typedef enum logic [31:0] {IrqEnableMessageReset = 32'd0} irq_enable_message_reset_e;
  typedef enum logic [31:0] {IrqEnableCommandReset = 32'd0} irq_enable_command_reset_e;
  typedef enum logic [31:0] {IrqEnableTransmitReset = 32'd0} irq_enable_transmit_reset_e;
  typedef enum logic [31:0] {IrqEnableMemoryReset = 32'd0} irq_enable_memory_reset_e;

  // LOOKUP_ENTRY after reset: the last level's entries of the packet's pages, low and high half of the first, then of the second
  typedef enum logic [31:0] {LookupEntryBitsReset = 32'd0} lookup_entry_bits_reset_e;

  // TASK after reset: a get request for the transmit side, in the form of MESSAGE
  typedef enum logic [31:0] {TaskBitsReset = 32'd0} task_bits_reset_e;

  // RING_BASE after reset: address of a ring of completions in the host's memory, low and high half; its low 5 bits are ignored
  typedef enum logic [31:0] {RingBaseBitsReset = 32'd0} ring_base_bits_reset_e;

  // RING_ENTRIES after reset: its length
  typedef enum logic [31:0] {RingEntriesCountReset = 32'd0} ring_entries_count_reset_e;

  // TABLE_SEGMENT after reset: the part of the page tables that the window TABLES shows, low and high half
  typedef enum logic [31:0] {TableSegmentBitsReset = 32'd0} table_segment_bits_reset_e;

  // ID
  typedef struct packed {
    logic [15:0] block;  // the same for every receive path
    logic [15:0] version;  // version of this register map
  } id_t;

  // IRQ_STATUS
  typedef struct packed {
    logic [26:0] zero31;
    logic [0:0] memory;  // MEMORY_ERROR tells of a memory
    logic [0:0] transmit;  // the transmit side has a request; its STATUS says which
    logic [0:0] command;  // a command of the driver waits; it is served before look-ups
    logic [0:0] message;  // a get request waits, and the task before has been taken
    logic [0:0] lookup;  // a packet waits for its buffer and pages
  } irq_status_t;

  // IRQ_ENABLE
  typedef struct packed {
    logic [26:0] zero31;
    logic [0:0] memory;  // as in IRQ_STATUS
    logic [0:0] transmit;  // as in IRQ_STATUS
    logic [0:0] command;  // as in IRQ_STATUS
    logic [0:0] message;  // as in IRQ_STATUS
    logic [0:0] lookup;  // as in IRQ_STATUS
  } irq_enable_t;

  // LOOKUP_RESULT
  typedef struct packed {
    logic [15:0] zero31;
    logic [7:0] ring;  // the ring of completions
    logic [0:0] zero7;
    logic [2:0] space;  // where its buffer is: 0 the host, 1 to 4 a GPU
    logic [0:0] zero3;
    logic [2:0] status;  // whether the packet is accepted
  } lookup_result_t;

  // COMMAND
  typedef struct packed {
    logic [15:0] index;  // index of a buffer, a ring or a counter
    logic [7:0] zero15;
    logic [7:0] opcode;  // the command
  } command_t;

  // MEMORY_ERROR
  typedef struct packed {
    logic [15:0] address;  // index of the bad word of 16 bytes, or of the bad entry
    logic [6:0] zero15;
    logic [0:0] first;  // the memory of ADDRESS: that of the first error since neither bit was set
    logic [5:0] zero7;
    logic [0:0] buf_list;  // BUF_LIST, in an entry that was searched, or read over the bus
    logic [0:0] packet_buffer;  // the packet buffer, in the payload of a packet that has been written
  } memory_error_t;

endpackage
