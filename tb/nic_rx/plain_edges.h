// SPDX-License-Identifier: Apache-2.0
// Edges of the build `plain` whose clocks are known. In an evaluation Verilator looks for the clocks that have risen,
// and again until none has; that takes longer than what most edges change. Here the same code is called in the same
// order, for the clocks that the block says will rise; each is low before and behind.
#pragma once

#include <cstdint>

class Vnic_rx_plain;

namespace contraflow::nic_rx {

// Clocks that rise, of the registers for inputs and of the block.
namespace plain_clock {
inline constexpr unsigned load_words = 1, load_writes = 2, load_seldom = 4;
inline constexpr unsigned words = 1 << 3, beats = 1 << 4, front = 1 << 5, back = 1 << 6, tags = 1 << 7,
                          entries = 1 << 8, rest = 1 << 9, settled = 1 << 10;
}  // namespace plain_clock

// Not for an edge of a reset, which an evaluation finds.
void fire(Vnic_rx_plain& rtl, unsigned clocks);
// Those of the block whose edge may change a register, beside these.
void fire_active(Vnic_rx_plain& rtl, unsigned clocks);

// Up to so many edges of calm cycles (calm_cycles.inc). `word`: the words behind the one that is shown, at least one
// for each edge, and none the last of a packet; null if none is shown. `bytes`: where the beats go, with room for one
// an edge; it is left behind the last one; null if none is shown that is taken. Returns the number of edges.
unsigned run_calm(Vnic_rx_plain& rtl, unsigned cycles, const std::uint8_t* word, std::uint8_t*& bytes);

}  // namespace contraflow::nic_rx
