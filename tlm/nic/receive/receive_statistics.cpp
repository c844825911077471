// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/receive_statistics.h"

#include <fmt/format.h>

namespace contraflow::nic {

void add_statistics(std::deque<observe::counter_view>& views, const datapath_place& place,
                    const receive_counters& counters, const receive_counts& counts) {
    const auto count = [&](const std::string& name, const char* unit, const char* text, const std::uint64_t& value) {
        views.emplace_back(place.statistics, place.path + "." + name, unit, text, value);
    };
    count("accepted", "packets", "puts whose payload was written", counters.accepted);
    count("mailbox", "packets", "get requests that were handed to the core", counters.mailbox);
    count("bytes", "bytes", "payload that was written", counters.bytes);
    for (unsigned i = 0; i < drop_reasons; ++i)
        count(fmt::format("drop.{}", drop_names[i]), "packets", "packets that were dropped for this reason",
              counters.drops[i]);
    count("words", "words", "words that came from the torus", counts.words);
    count("writes", "writes", "writes of data, of windows and of completions", counts.writes);
    count("windows", "moves", "moves of a GPU's window", counts.windows);
    count("completions", "completions", "completions that were written into rings", counts.completions);
}

void check_counts(observe::conservation& checks, const std::string& path, std::uint64_t received,
                  const receive_counters& counters, const receive_counts& counts) {
    std::uint64_t ended = counters.accepted + counters.mailbox;
    for (const std::uint64_t n : counters.drops) ended += n;
    checks.check(path + ": packets received, and accepted, handed on or dropped", "packets", received, ended);
    checks.check(path + ": writes sent and acknowledged", "writes", counts.writes, counts.acknowledged);
}

}  // namespace contraflow::nic
