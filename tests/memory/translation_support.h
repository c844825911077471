// SPDX-License-Identifier: Apache-2.0
// Both ends of a level of address translation, for tests: a requester, and a lower level that knows every page
// and answers after a time, with a limit on the requests that it holds.
#pragma once

#include <deque>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/linked_fifo.h"
#include "core/timer.h"
#include "memory/vm/translation.h"

namespace contraflow::memory::testing {

inline page_translation page_at(std::uint64_t from, std::uint64_t to, unsigned bits = page_bits_4k,
                                access_rights rights = access_rights::read_write) {
    return {from, to, 0, static_cast<std::uint8_t>(bits), rights};
}

class known_pages final : private core::channel_receiver_if<translation_request*> {
public:
    known_pages(core::scheduler& events, core::sim_time latency, unsigned room = 1000)
        : events_(events),
          latency_(latency),
          room_(room),
          requests_(events, "known_pages", *this) {}

    void put(std::uint32_t process, const page_translation& p) { pages_[{process, p.virtual_page}] = p; }
    void take(std::uint32_t process, std::uint64_t page) { pages_.erase({process, page}); }

    translation_server& requests() { return requests_; }
    void let_in() {
        for (std::size_t n = aside_.size(); n > 0; --n) {
            translation_request& r = aside_.pop();
            r.held_until = events_.now();
            r.spent_in(stage::page_held, r.held_until);
            enter(r);
        }
        while (requests_.admit_next()) {}
    }
    void reset() {
        calls_.cancel();
        under_way_.clear();
        inside_ = 0;
        requests_.reset();
        aside_.clear();
    }

    std::uint64_t epoch = 1;  // of the table it reads
    bool open = true;
    std::uint64_t closed = ~std::uint64_t{0};  // requests for this page wait until let_in()
    std::uint64_t asked = 0;
    std::uint64_t to_write = 0;  // those of them that write
    std::uint64_t answered = 0;
    unsigned most_inside = 0;
    unsigned jitter_ns = 0;  // up to this delay, so answers come in any order

private:
    bool can_take(unsigned, translation_request* const&) override { return inside_ < room_ && open; }
    void take(unsigned, translation_request* r) override {
        ++asked;
        to_write += r->write ? 1 : 0;
        enter(*r);
    }
    void enter(translation_request& r) {
        if (r.address >> page_bits_4k << page_bits_4k == closed) {
            r.held_since = events_.now();
            return aside_.push(r);
        }
        most_inside = std::max(most_inside, ++inside_);
        r.status = translation_status::unmapped;
        r.page = {};
        for (const unsigned bits : {page_bits_4k, page_bits_64k, page_bits_2m}) {
            const auto at = pages_.find({r.process, r.address >> bits << bits});
            if (at == pages_.end() || !at->second.covers(r.address)) continue;
            r.page = at->second;
            r.page.epoch = epoch;
            r.status = r.page.permits(r.write) ? translation_status::translated : translation_status::protection;
        }
        under_way_.push_back(&r);
        const core::sim_time late = core::sim_time::from_ns(jitter_ns == 0 ? 0 : draw_() % jitter_ns);
        calls_.after<&known_pages::answer>(latency_ + late, static_cast<std::uint32_t>(under_way_.size() - 1));
    }
    void answer(std::uint32_t number) {
        translation_request& to = *under_way_[number];
        --inside_;
        ++answered;
        to.spent_in(stage::iommu, events_.now());
        translation_server::answer(to);
        let_in();
    }

    core::scheduler& events_;
    const core::sim_time latency_;
    const unsigned room_;
    unsigned inside_ = 0;
    std::map<std::pair<std::uint32_t, std::uint64_t>, page_translation> pages_;
    std::vector<translation_request*> under_way_;  // since the last reset
    core::cancellable_calls<known_pages> calls_{events_, *this};
    core::linked_fifo<translation_request> aside_;
    translation_server requests_;
    std::mt19937_64 draw_{1};
};

// Sends the test's requests one after the other, as the level takes them.
class translation_requester final : public translation_client_if {
public:
    translation_requester(core::scheduler& events, translation_server& to)
        : events_(events),
          to_(events, *this, "translation_requester", to) {}

    struct asked : translation_request {
        core::sim_time at{}, answered{};
        bool done = false;
        milestones life;
        std::uint64_t ns() const { return (answered - at).ps / 1000; }
        std::uint64_t physical() const {
            return status == translation_status::translated ? page.physical(address) : ~std::uint64_t{0};
        }
    };
    asked& ask(std::uint64_t address, bool write = false, std::uint32_t process = 0) {
        asked& a = all_.emplace_back();
        a.address = address;
        a.write = write;
        a.process = process;
        a.times = &a.life;
        a.tag = static_cast<std::uint32_t>(all_.size() - 1);
        waiting_.push(a);
        go_on();
        return a;
    }
    std::deque<asked>& all() { return all_; }
    std::uint64_t done() const { return done_; }
    std::uint64_t held_back() const { return held_back_; }
    std::vector<std::uint32_t> order;  // order of answers
    void reset() {
        waiting_.clear();
        to_.reset();
    }

private:
    void go_on() {
        while (!to_.held_back() && !waiting_.empty()) {
            auto& a = static_cast<asked&>(waiting_.pop());
            a.at = events_.now();
            a.life.begin(a.at);
            if (!to_.send(a)) ++held_back_;
        }
    }
    void answered(translation_request& r) override {
        auto& a = static_cast<asked&>(r);
        EXPECT_FALSE(a.done) << "answered twice";
        a.answered = events_.now();
        a.done = true;
        EXPECT_TRUE(a.life.tile());
        EXPECT_EQ(a.life.last(), a.answered);
        order.push_back(a.tag);
        ++done_;
    }
    void accepted(translation_request& r, core::sim_time since) override {
        EXPECT_EQ(since, static_cast<asked&>(r).at);
        go_on();
    }

    core::scheduler& events_;
    translation_client to_;
    std::deque<asked> all_;
    core::linked_fifo<translation_request> waiting_;
    std::uint64_t done_ = 0, held_back_ = 0;
};

}  // namespace contraflow::memory::testing
