// SPDX-License-Identifier: Apache-2.0
// Where the variables of a litmus test are on a platform, and how their values are written there.
//
//   data   a word of 8 bytes, its value
//   slot   a place of a send queue's ring, of 64 bytes: a whole entry. It has the number that is due where its value is
//          the one that makes it ready, and number 0 elsewhere; bytes 8 to 15, which are software's own, have the value
//   count  a completion ring of one place: the number of the last completion is the value
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ordering/litmus_test.h"

namespace contraflow::litmus {

inline constexpr std::uint64_t word_bytes = 8, entry_bytes = 64;

enum class place_kind : std::uint8_t { data, slot, count };

struct place {
    place_kind kind = place_kind::data;
    bool cached = false;
    std::uint64_t offset = 0;  // bytes, in the memory of its node that is cached, or in that which is not
    unsigned queue = 0;        // slot, count
};

struct ring {
    bool cached = false;
    std::uint64_t offset = 0;  // as above
    std::uint32_t entries = 1;
};

struct places {
    std::uint64_t line = 64;       // bytes of a line that this test needs
    std::vector<place> variables;  // as in the test
    std::vector<ring> send;        // of each queue
    std::vector<ring> completion;  // of each queue; without a variable, of their own
    std::uint64_t bytes = 0;       // of each memory of each node
    std::string problem;           // why the test has no places on a platform; empty: it has
};

places places_of(const ordering::litmus_test& test);

}  // namespace contraflow::litmus
