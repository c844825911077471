// SPDX-License-Identifier: Apache-2.0
// Names and messages that the modules of the NIC's receive datapath share. Wide fields of a message stand where its
// words of 32 bits begin: a simulator moves them without shifting.
package cf_nic_rx_pkg;

  // Why a packet is dropped, in the order of the checks; `Memory` at the search, or when the payload is written.
  typedef enum logic [3:0] {
    ReasonFraming     = 4'd0,
    ReasonCrc         = 4'd1,
    ReasonHeader      = 4'd2,
    ReasonLength      = 4'd3,
    ReasonMisrouted   = 4'd4,
    ReasonNoBuffer    = 4'd5,
    ReasonBounds      = 4'd6,
    ReasonAccess      = 4'd7,
    ReasonTranslation = 4'd8,
    ReasonMemory      = 4'd9
  } reason_e;
  localparam int unsigned Reasons = 10;

  // Accepted, mailbox, bytes low, bytes high; drops, one a reason. 32 bits each.
  localparam int unsigned Counters = 4 + Reasons;
  typedef logic [32*Counters-1:0] counters_t;

  // A write of the NIC.
  typedef enum logic [1:0] {
    DmaData       = 2'd0,
    DmaWindow     = 2'd1,  // moves a GPU's window; no data
    DmaCompletion = 2'd2
  } dma_kind_e;

  // A packet between the stages.
  typedef struct packed {
    reason_e      reason;
    logic [11:0]  tag;
    logic [14:0]  source;   // x 4:0, y 9:5, z 14:10
    logic         put;      // it passed the check, and its payload is in the packet buffer
    logic         dropped;  // neither put nor dropped: a get request
    logic         notify;
    logic [12:0]  length;   // of the payload, bytes
    logic [15:0]  process_id;
    logic [15:0]  number;   // counts packets, modulo 2^16
    logic [47:0]  address;  // virtual, of the first byte
  } packet_t;

  // What a header word tells beside kind, length and destination.
  typedef struct packed {
    logic [11:0]  tag;
    logic [14:0]  source;
    logic         notify;
    logic [15:0]  process_id;
    logic [47:0]  address;
  } header_t;

  // What is told of a packet that was dropped.
  typedef struct packed {
    reason_e      reason;
    logic [11:0]  tag;
    logic [14:0]  source;
    logic [15:0]  process_id;
    logic [15:0]  number;
  } drop_t;

  // An entry of BUF_LIST, as its eight words stand in memory.
  typedef struct packed {
    logic [31:0]  zero;
    logic [63:0]  root;     // address of its root table
    logic [63:0]  length;   // bytes
    logic [63:0]  base;     // virtual
    logic [15:0]  process_id;
    logic [7:0]   ring;
    logic [2:0]   zero_flags;
    logic [2:0]   space;    // 0 the host, 1 to 4 a GPU
    logic         writable;
    logic         valid;
  } buffer_t;

  // The physical page of a virtual one.
  typedef struct packed {
    logic [51:0]  page;   // address bits 63:12; of a GPU page, 15:12 are 0
    logic [14:0]  token;  // of a GPU page; else 0
  } page_t;

  // What a packet's search found.
  typedef struct packed {
    logic [63:0]  root;
    logic [7:0]   ring;
    logic [2:0]   space;
  } place_t;

  // A beat of the write channel. Everything but data, strobe and last is the same in all beats of a write.
  typedef struct packed {
    dma_kind_e    kind;
    logic [2:0]   space;
    logic         last;
    logic [14:0]  token;    // names a window
    logic [15:0]  number;   // of the packet
    logic [15:0]  strobe;   // bytes that are written
    logic [63:0]  address;  // physical, of the first byte; of a window: the page that it shall show
    logic [127:0] data;     // at its place in the aligned 16 bytes of memory
  } dma_t;

  // A command of the driver.
  typedef struct packed {
    logic [15:0]  index;
    logic [7:0]   opcode;
    logic [255:0] data;
  } command_t;

  // An entry of BUF_LIST names these; the block has `rings` of them.
  function automatic logic exists(input logic [2:0] space, input logic [7:0] ring, input logic [15:0] rings);
    exists = space <= 3'd4 && {8'd0, ring} < rings;
  endfunction

endpackage
