// SPDX-License-Identifier: Apache-2.0
// Cases for a receive datapath: a list of {name, node, max_payload, tables, buffers, packets, expected}. Addresses and
// bytes are hexadecimal text, the byte at the lowest address first; all else are numbers. docs/nic_replay.md has the
// form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/text/json_reader.h"
#include "nic/receive/receive_datapath_if.h"

namespace contraflow::nic {

struct data_write {
    memory_space space = memory_space::host;
    std::uint64_t address = 0;
    std::vector<std::uint8_t> data;
    friend bool operator==(const data_write&, const data_write&) = default;
};
struct window_move {
    memory_space space = memory_space::gpu0;
    page_entry page;
    friend bool operator==(const window_move&, const window_move&) = default;
};
struct completion_event {
    unsigned ring = 0;
    std::uint16_t process = 0, tag = 0;
    position source;
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    friend bool operator==(const completion_event&, const completion_event&) = default;
};
struct mailbox_message {
    std::uint16_t process = 0, tag = 0;
    position source;
    std::uint64_t address = 0;
    std::vector<std::uint8_t> payload;
    friend bool operator==(const mailbox_message&, const mailbox_message&) = default;
};
struct drop_action {
    drop_reason reason = drop_reason::framing;
    std::uint16_t process = 0, tag = 0;
    position source;
    friend bool operator==(const drop_action&, const drop_action&) = default;
};
using action = std::variant<data_write, window_move, completion_event, mailbox_message, drop_action>;

// The result of a case: actions packet by packet, and the counters at its end.
struct receive_result {
    std::vector<action> actions;
    receive_counters counters;
};

struct receive_case {
    std::string name;
    position node;
    std::uint32_t max_payload = 128;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> tables;  // address, entry
    std::vector<std::pair<unsigned, buffer_entry>> buffers;       // index, entry
    std::vector<std::vector<std::uint8_t>> packets;               // words
    std::optional<receive_result> expected;
};

struct receive_case_file {
    std::vector<receive_case> cases;             // valid if there are no problems
    std::vector<config::json_problem> problems;  // all that are found, up to a hundred
};
receive_case_file parse_receive_cases(std::string_view text);

// The case as parse_receive_cases() reads it, in a list, without what is expected.
std::string to_json(const receive_case& c);
// {"name": ..., "actions": [...], "counters": {...}}, a line an action.
std::string to_json(const std::string& name, const receive_result& r);
// One action, as in a file.
std::string to_json(const action& a);

// The first difference between a result and the expected one, "action 3: {...}, expected {...}"; empty if there is
// none.
std::string first_difference(const receive_result& r, const receive_result& expected);

}  // namespace contraflow::nic
