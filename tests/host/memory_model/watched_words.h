// SPDX-License-Identifier: Apache-2.0
// An allocation with watched words: every access of a wavefront or of the host to them is recorded.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/random.h"
#include "gpu/kernel/array.h"
#include "host/driver/driver.h"
#include "place_history.h"

namespace contraflow::host::testing {

class watched_words {
public:
    static constexpr unsigned count = 31;  // a prime number: any stride visits all of them

    // `only_added_to`: written by atomic operations whose sums all differ; else every write has a number of its own.
    watched_words(context& of, std::uint64_t pages, page_order order, bool only_added_to, core::random_source& draw)
        : page_words_(of.owner().memory().page_size() / sizeof(std::uint32_t)),
          words_(of.allocate({pages * page_words_ * sizeof(std::uint32_t)}, order), pages * page_words_),
          only_added_to_(only_added_to),
          histories_(count) {
        // A few lines of each page, so that several words of a line are used by different GPUs.
        for (unsigned i = 0; i < count;) {
            const std::uint64_t line = draw.below(3) * (page_words_ / 3 / 32 * 32);
            const auto at = static_cast<std::uint32_t>(i % pages * page_words_ + line + draw.below(32));
            if (std::find(places_.begin(), places_.end(), at) != places_.end()) continue;
            places_.push_back(at);
            ++i;
        }
        of_word_.assign(words_.size(), count);
        for (unsigned i = 0; i < count; ++i) of_word_[places_[i]] = i;
    }

    gpu::array<std::uint32_t> words() const { return words_; }
    bool only_added_to() const { return only_added_to_; }
    std::uint32_t word_of(unsigned place) const { return places_[place % count]; }
    place_history& of_word(std::uint32_t word) { return histories_[of_word_[word]]; }
    bool watches(std::uint32_t word) const { return of_word_[word] != count; }

    // The first impossible history; empty if all are possible.
    std::string contradiction() {
        for (unsigned i = 0; i < count; ++i)
            if (const std::string wrong = histories_[i].contradiction(); !wrong.empty())
                return fmt::format("word {} of the allocation at {:#x}, address {:#x}: {}all of it:\n{}", places_[i],
                                   words_.address(), words_.address(places_[i]), wrong, histories_[i].text());
        return {};
    }
    std::uint64_t outdated_loads() const {
        std::uint64_t n = 0;
        for (const place_history& h : histories_) n += h.outdated_loads();
        return n;
    }

private:
    std::uint64_t page_words_;
    gpu::array<std::uint32_t> words_;
    bool only_added_to_;
    std::vector<std::uint32_t> places_;   // words
    std::vector<std::uint32_t> of_word_;  // index of the watched word, or count
    std::vector<place_history> histories_;
};

// Stores that may not have taken effect yet.
class pending_stores {
public:
    void add(place_history& in, const place_access& a) {
        pending_.push_back({&in, in.size()});
        in.add(a);
    }
    void happened(core::sim_time now) {
        for (const auto& [in, at] : pending_) (*in)[at].to = now;
        pending_.clear();
    }
    // Moves the pending stores to a component that learns later when they took effect.
    void hand_to(pending_stores& other) {
        other.pending_.insert(other.pending_.end(), pending_.begin(), pending_.end());
        pending_.clear();
    }

private:
    std::vector<std::pair<place_history*, std::size_t>> pending_;
};

}  // namespace contraflow::host::testing
