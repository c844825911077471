// SPDX-License-Identifier: Apache-2.0
// The rules of the receive datapath in a second, plain version without time: the models are compared with it.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "nic/receive/receive_case.h"

namespace contraflow::testing {

// A bit of a packet's payload that changes in the packet buffer. From 128 on: of the word's parity, a bit for each 32.
struct payload_bit {
    unsigned word = 0, bit = 0;
};
// What changes in memories while a case runs, by the number of the packet that meets it.
struct bad_memories {
    std::map<std::size_t, std::vector<payload_bit>> payloads;
    std::map<std::size_t, std::set<unsigned>> entries;  // of BUF_LIST
};

// The result of a case by the rules.
nic::receive_result expected_of(const nic::receive_case& c, const bad_memories& bad = {});
// The payload of that packet is kept until the search has ended: it is a put that passes the checks on a packet alone.
bool is_stored(const nic::receive_case& c, std::size_t packet);

}  // namespace contraflow::testing
