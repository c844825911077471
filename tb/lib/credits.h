// SPDX-License-Identifier: Apache-2.0
// The far side of a port with credits: it holds what was sent, by tag, and gives each tag back once, in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace contraflow::lib {

class credit_return {
public:
    // A tag comes, and may go back from cycle `due` on. False: it has not gone back since it came before.
    [[nodiscard]] bool take(std::uint8_t tag, std::uint64_t due) {
        if (holds(tag)) return false;
        held_.push_back({tag, due});
        return true;
    }
    // The oldest tag that may go back in cycle `now`.
    std::optional<std::uint8_t> due(std::uint64_t now) const {
        const auto first = std::find_if(held_.begin(), held_.end(), [&](const held& h) { return h.due <= now; });
        if (first == held_.end()) return std::nullopt;
        return first->tag;
    }
    bool holds(std::uint8_t tag) const { return find(tag) != held_.end(); }
    void give_back(std::uint8_t tag) {
        if (const auto at = find(tag); at != held_.end()) held_.erase(at);
    }
    void reset() { held_.clear(); }

    bool empty() const { return held_.empty(); }
    // Tags that are held, the oldest first.
    std::vector<std::uint8_t> tags() const {
        std::vector<std::uint8_t> all;
        for (const held& h : held_) all.push_back(h.tag);
        return all;
    }

private:
    struct held {
        std::uint8_t tag = 0;
        std::uint64_t due = 0;
    };
    std::deque<held>::const_iterator find(std::uint8_t tag) const {
        return std::find_if(held_.begin(), held_.end(), [&](const held& h) { return h.tag == tag; });
    }

    std::deque<held> held_;
};

}  // namespace contraflow::lib
