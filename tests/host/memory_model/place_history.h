// SPDX-License-Identifier: Apache-2.0
// The accesses of many wavefronts to one word of memory, and whether they are possible: a reference that allows exactly
// the behaviour of the memory model (tlm/gpu/README.md, "Who sees what").
//
// A word has one home. Each access to it takes effect at one moment, after it was issued and before it was answered
// (a store: before the next fence, barrier or end of kernel). So there is one order of all writes, and
//
// - an uncached load, an atomic operation or a copy of the host sees the home's value at a moment of its life;
// - a load may see the home's value at any moment since its kernel began, or a store of its own unit;
// - no write comes between the value that an atomic operation saw and the value that it wrote;
// - within a wavefront, and across a barrier of a CTA, no access sees a value older than one that was seen or
//     stored before.
//
// All written values differ, so each value seen has a known writer. The order of the writes is unknown, and is searched
// for. Each value has a life. Atomic operations join values into chains. A chain goes before another one if part of it
// was over when a part of the other one began, or if the program says so.
// If these relations have no cycle, and only then, there is an order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/units.h"

namespace contraflow::host::testing {

enum class place_access_kind : std::uint8_t {
    read,         // at the home
    cached_read,  // reads any copy there is
    write,
    modify,  // an atomic operation that wrote
};

struct place_access {
    place_access_kind kind = place_access_kind::read;
    std::uint32_t saw = 0, wrote = 0;   // of these the ones its kind has; 0 is the initial value
    core::sim_time from{}, to{};        // issued, and known to have taken effect
    core::sim_time copied_from{};       // of a cached read: copies are younger than this
    std::uint32_t wave = 0, cta = 0;    // issuers; numbers are used once
    std::uint32_t step = 0, phase = 0;  // within the wavefront; barriers before it
    std::uint32_t unit = 0;             // units share copies

    bool reads() const { return kind != place_access_kind::write; }
    bool writes() const { return kind == place_access_kind::write || kind == place_access_kind::modify; }
    bool before(const place_access& o) const {
        return (wave == o.wave && step < o.step) || (cta == o.cta && phase < o.phase);
    }
    std::string text() const {
        static constexpr const char* names[] = {"uncached load", "load", "store", "atomic"};
        std::string s = fmt::format("{} to {} ps: {}", from.ps, to.ps, names[static_cast<unsigned>(kind)]);
        if (reads()) s += fmt::format(" saw {}", saw);
        if (writes()) s += fmt::format(" wrote {}", wrote);
        return s + fmt::format(" (CTA {}, wavefront {}, step {}, phase {}, unit {})", cta, wave, step, phase, unit);
    }
};

class place_history {
public:
    void add(const place_access& a) { all_.push_back(a); }
    place_access& operator[](std::size_t i) { return all_[i]; }
    std::size_t size() const { return all_.size(); }

    // Empty if the history is possible.
    std::string contradiction() {
        values_.assign(1, {});
        values_[0].life_end = core::sim_time{};
        index_.clear();
        std::string wrong = name_values();
        if (wrong.empty()) wrong = tell_lives();
        if (wrong.empty()) wrong = make_chains();
        if (wrong.empty()) wrong = relate();
        if (wrong.empty()) wrong = find_order();
        return wrong;
    }
    // Valid after that, if the history is possible: loads that saw a value that had left memory when they were issued.
    std::uint64_t outdated_loads() const {
        std::uint64_t n = 0;
        for (const place_access& a : all_)
            if (a.kind == place_access_kind::cached_read)
                n += std::any_of(all_.begin(), all_.end(), [&](const place_access& w) {
                    return w.writes() && w.wrote != a.saw && w.to < a.from && w.from > values_[find(a.saw)].life_end;
                });
        return n;
    }
    std::string text() const {
        std::vector<const place_access*> sorted;
        for (const place_access& a : all_) sorted.push_back(&a);
        std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->from < b->from; });
        std::string s;
        for (const place_access* a : sorted) s += "  " + a->text() + "\n";
        return s;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    struct value {
        std::size_t writer = none;
        // Earliest end and latest issue of the accesses to it.
        core::sim_time life_end = core::sim_time::never(), last_begin{};
        std::size_t next = none;  // the value that an atomic operation made of it
        bool follows = false;
        std::size_t chain = none, place = 0;
    };
    struct chain {
        core::sim_time life_end = core::sim_time::never(), last_begin{};
        std::vector<std::size_t> then;  // chains that follow
        unsigned before = 0;
    };

    std::size_t find(std::uint32_t written) const {
        if (written == 0) return 0;
        const auto at = std::lower_bound(index_.begin(), index_.end(), std::pair{written, std::size_t{0}});
        return at == index_.end() || at->first != written ? none : at->second;
    }

    std::string name_values() {
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (!all_[i].writes()) continue;
            index_.emplace_back(all_[i].wrote, values_.size());
            values_.push_back({i, core::sim_time::never(), {}, none, false, none, 0});
        }
        std::sort(index_.begin(), index_.end());
        for (std::size_t i = 0; i < index_.size(); ++i)
            if (index_[i].first == 0 || (i > 0 && index_[i].first == index_[i - 1].first))
                return fmt::format("{} was written twice: the test is wrong\n", index_[i].first);
        return {};
    }

    std::string tell_lives() {
        const auto meet = [](value& v, core::sim_time from, core::sim_time to) {
            v.life_end = std::min(v.life_end, to);
            v.last_begin = std::max(v.last_begin, from);
        };
        for (const place_access& a : all_) {
            if (a.writes()) meet(values_[find(a.wrote)], a.from, a.to);
            if (!a.reads()) continue;
            const std::size_t seen = find(a.saw);
            if (seen == none) return "nobody wrote what was seen: " + a.text() + "\n";
            value& v = values_[seen];
            const place_access* const writer = v.writer == none ? nullptr : &all_[v.writer];
            if (writer != nullptr && a.to < writer->from)
                return "seen before it was written: " + a.text() + "\n  " + writer->text() + "\n";
            if (a.kind != place_access_kind::cached_read)
                meet(v, a.from, a.to);
            else  // a unit may see its own store before it has reached the home
                meet(v, a.copied_from, writer != nullptr && writer->unit == a.unit ? core::sim_time::never() : a.to);
            if (a.kind != place_access_kind::modify) continue;
            if (v.next != none)
                return "two atomic operations saw the same: " + a.text() + "\n  " +
                       all_[values_[v.next].writer].text() + "\n";
            v.next = find(a.wrote);
            values_[v.next].follows = true;
        }
        return {};
    }

    std::string make_chains() {
        chains_.clear();
        for (std::size_t first = 0; first < values_.size(); ++first) {
            if (values_[first].follows) continue;
            chain c;
            // No part of an earlier chain may have begun when a part of a later one was over.
            core::sim_time begun{};
            std::size_t place = 0;
            for (std::size_t v = first; v != none; v = values_[v].next) {
                if (values_[v].life_end < begun)
                    return fmt::format("{} was over before what an atomic operation found before it\n", written(v));
                begun = std::max(begun, values_[v].last_begin);
                values_[v].chain = chains_.size();
                values_[v].place = place++;
                c.life_end = std::min(c.life_end, values_[v].life_end);
                c.last_begin = std::max(c.last_begin, values_[v].last_begin);
            }
            chains_.push_back(c);
        }
        for (std::size_t v = 0; v < values_.size(); ++v)
            if (values_[v].chain == none)
                return fmt::format("{} was found by an atomic operation before itself\n", written(v));
        return {};
    }

    // The program's own order.
    std::string relate() {
        std::vector<const place_access*> by_cta;
        for (const place_access& a : all_) by_cta.push_back(&a);
        std::stable_sort(by_cta.begin(), by_cta.end(), [](auto* a, auto* b) { return a->cta < b->cta; });
        for (std::size_t begin = 0, end = 0; begin < by_cta.size(); begin = end) {
            while (end < by_cta.size() && by_cta[end]->cta == by_cta[begin]->cta) ++end;
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t k = begin; k < end; ++k)
                    if (by_cta[i]->before(*by_cta[k]) && !relate(*by_cta[i], *by_cta[k]))
                        return "against the order of the program:\n  " + by_cta[i]->text() + "\n  " +
                               by_cta[k]->text() + "\n";
        }
        return {};
    }
    bool relate(const place_access& first, const place_access& second) {
        const value& left = values_[find(first.writes() ? first.wrote : first.saw)];
        const value& right = values_[find(second.reads() ? second.saw : second.wrote)];
        if (left.chain == right.chain) return left.place < right.place || (left.place == right.place && second.reads());
        chains_[left.chain].then.push_back(right.chain);
        ++chains_[right.chain].before;
        return true;
    }

    // Takes the chains one after the other, each when no remaining chain must go before it.
    std::string find_order() {
        std::vector<std::size_t> left(chains_.size());
        for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
        std::sort(left.begin(), left.end(),
                  [&](std::size_t a, std::size_t b) { return chains_[a].life_end < chains_[b].life_end; });
        while (!left.empty()) {
            std::size_t next = none;
            for (std::size_t i = 0; i < left.size() && next == none; ++i) {
                const chain& c = chains_[left[i]];
                const std::size_t other = i == 0 ? 1 : 0;
                if (c.before == 0 && (left.size() == 1 || chains_[left[other]].life_end >= c.last_begin)) next = i;
            }
            if (next == none) {
                std::string s = "no order of these values will do:";
                for (std::size_t v = 0; v < values_.size(); ++v)
                    if (std::find(left.begin(), left.end(), values_[v].chain) != left.end())
                        s += fmt::format(" {}", written(v));
                return s + "\n";
            }
            for (const std::size_t t : chains_[left[next]].then) --chains_[t].before;
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
        }
        return {};
    }
    std::uint32_t written(std::size_t v) const { return v == 0 ? 0 : all_[values_[v].writer].wrote; }

    std::vector<place_access> all_;
    std::vector<std::pair<std::uint32_t, std::size_t>> index_;  // from written values to their index
    std::vector<value> values_;
    std::vector<chain> chains_;
};

}  // namespace contraflow::host::testing
