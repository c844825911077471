// SPDX-License-Identifier: Apache-2.0
#include "litmus/tlm_places.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace contraflow::litmus {
namespace {

using ordering::litmus_test;
using operation = ordering::queue_entry::operation;

// The smallest ring in which the entries have these slots: entry i is at place i modulo its size.
std::optional<std::uint32_t> ring_size(const ordering::send_queue& q) {
    for (std::uint32_t size = 1; size <= ordering::most_entries; size *= 2) {
        bool fits = true;
        for (std::size_t i = 0; i < q.entries.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                fits &= (i % size == k % size) == (q.entries[i].slot == q.entries[k].slot);
        if (fits) return size;
    }
    return std::nullopt;
}

class builder {
public:
    explicit builder(const litmus_test& t) : test_(t) {
        p_.variables.resize(t.variables.size());
        used_.resize(t.nodes);
    }
    places build() {
        for (std::size_t i = 0; i < test_.variables.size(); ++i) p_.variables[i].cached = test_.variables[i].cached;
        take_slots();
        take_counts();
        check_messages();
        for (p_.line = 64; p_.line <= 128 && p_.problem.empty(); p_.line *= 2)
            if (lay_out()) return std::move(p_);
        refuse(
            "the lines of its slots cannot be built: an entry has 64 bytes, a line 64 or 128, and entries of a queue "
            "follow one another");
        return std::move(p_);
    }

private:
    const ordering::variable& variable(unsigned i) const { return test_.variables[i]; }
    void refuse(std::string why) {
        if (p_.problem.empty()) p_.problem = std::move(why);
    }

    void take_slots() {
        for (unsigned q = 0; q < test_.queues.size(); ++q) {
            const ordering::send_queue& queue = test_.queues[q];
            if (queue.node == queue.to)
                refuse(fmt::format("queue {} stays within a node; the platform's NIC has no such path", queue.name));
            const auto size = ring_size(queue);
            if (!size) {
                refuse(fmt::format("the slots of {} are not those of a ring, one place after the other", queue.name));
                continue;
            }
            for (std::size_t i = 0; i < queue.entries.size(); ++i) {
                const ordering::queue_entry& e = queue.entries[i];
                place& s = p_.variables[e.slot];
                if (s.kind == place_kind::slot && s.queue != q)
                    refuse(fmt::format("{} is a slot of two queues", variable(e.slot).name));
                s.kind = place_kind::slot;
                s.queue = q;
                if (s.cached != p_.variables[queue.entries[0].slot].cached)
                    refuse(fmt::format("some slots of {} are cached, and some are not", queue.name));
                for (std::size_t k = 0; k < i; ++k)
                    if (queue.entries[k].slot == e.slot && queue.entries[k].ready == e.ready)
                        refuse(fmt::format("{} is ready with {} for two entries; an entry has a number of its own",
                                           variable(e.slot).name, e.ready));
            }
            p_.send.push_back({p_.variables[queue.entries[0].slot].cached, 0, *size});
        }
    }

    void take_counts() {
        for (unsigned q = 0; q < test_.queues.size(); ++q) {
            p_.completion.push_back({});
            if (!test_.queues[q].completion) continue;
            const unsigned v = *test_.queues[q].completion;
            place& c = p_.variables[v];
            if (c.kind != place_kind::data)
                refuse(fmt::format("{} counts completions, and has another use as well", variable(v).name));
            c.kind = place_kind::count;
            c.queue = q;
            p_.completion.back().cached = c.cached;
        }
    }

    // Messages carry words, which mean something else in a slot or a completion.
    void check_messages() {
        for (const ordering::send_queue& q : test_.queues)
            for (const ordering::queue_entry& e : q.entries) {
                if (e.op != operation::fence && p_.variables[e.to].kind != place_kind::data)
                    refuse(fmt::format("{} is written by a message, and is a slot or counts completions",
                                       variable(e.to).name));
                if (e.op == operation::put && p_.variables[e.from].kind == place_kind::count)
                    refuse(fmt::format("{} is sent by a message, and counts completions", variable(e.from).name));
            }
        for (const ordering::thread& t : test_.threads) {
            const bool ends = std::ranges::any_of(t.program, [](const ordering::instruction& i) {
                return i.op == ordering::instruction::operation::kernel_end;
            });
            const auto beside = std::ranges::count_if(test_.threads, [&](const auto& u) { return u.node == t.node; });
            if (ends && beside > 1) refuse(fmt::format("{} ends its kernel while others run on its GPU", t.name));
        }
    }

    // A line of its own, or the next part of a line that has begun.
    std::uint64_t& next(unsigned node, bool cached) { return used_[node][cached ? 1 : 0]; }
    std::uint64_t take(unsigned node, bool cached, std::uint64_t bytes, std::uint64_t align) {
        std::uint64_t& at = next(node, cached);
        at = (at + align - 1) / align * align;
        return std::exchange(at, at + bytes);
    }

    bool lay_out() {
        std::fill(used_.begin(), used_.end(), std::array<std::uint64_t, 2>{});
        std::map<std::pair<unsigned, std::string>, std::pair<std::uint64_t, std::uint64_t>>
            begun;  // offset, bytes used
        const auto in_line = [&](unsigned node, const std::string& name, bool cached, std::uint64_t bytes) {
            auto found = begun.find({node, name});
            if (found == begun.end())
                found = begun.emplace(std::pair{node, name}, std::pair{take(node, cached, p_.line, p_.line), 0u}).first;
            return found->second.first + std::exchange(found->second.second, found->second.second + bytes);
        };
        for (unsigned q = 0; q < test_.queues.size(); ++q) {
            const ordering::send_queue& queue = test_.queues[q];
            ring& r = p_.send[q];
            const auto& first = variable(queue.entries[0].slot);
            r.offset = r.entries == 1 ? in_line(queue.node, first.line, r.cached, entry_bytes)
                                      : take(queue.node, r.cached, r.entries * entry_bytes, p_.line);
            for (std::size_t i = 0; i < queue.entries.size(); ++i)
                p_.variables[queue.entries[i].slot].offset = r.offset + i % r.entries * entry_bytes;
            ring& c = p_.completion[q];
            c.offset = take(queue.node, c.cached, p_.line, p_.line);
            if (queue.completion) p_.variables[*queue.completion].offset = c.offset;
        }
        for (unsigned i = 0; i < p_.variables.size(); ++i)
            if (p_.variables[i].kind == place_kind::data)
                p_.variables[i].offset = in_line(variable(i).node, variable(i).line, variable(i).cached, word_bytes);
        for (const auto& [line, part] : begun)
            if (part.second > p_.line) return false;
        for (const auto& u : used_) p_.bytes = std::max({p_.bytes, u[0], u[1]});
        return lines_are_those_of_the_test();
    }

    bool lines_are_those_of_the_test() const {
        for (unsigned i = 0; i < p_.variables.size(); ++i)
            for (unsigned k = 0; k < i; ++k) {
                if (variable(i).node != variable(k).node) continue;
                const bool together = p_.variables[i].cached == p_.variables[k].cached &&
                                      p_.variables[i].offset / p_.line == p_.variables[k].offset / p_.line;
                if (together != (variable(i).line == variable(k).line)) return false;
            }
        return true;
    }

    const litmus_test& test_;
    places p_;
    std::vector<std::array<std::uint64_t, 2>> used_;  // bytes of each node, uncached and cached
};

}  // namespace

places places_of(const litmus_test& test) { return builder(test).build(); }

}  // namespace contraflow::litmus
