// SPDX-License-Identifier: Apache-2.0
// Whether a page moves to the GPU that touched it: if the policy wants it, within windows, unless the page is pinned.
// No simulated time passes here.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "host/migration/page_touch.h"
#include "host/migration/policies.h"

namespace contraflow::host::migration {

// When pages may move: within windows of simulated time, from a configuration or opened and closed by a program.
// Without any, always.
struct window {
    core::sim_time from{};
    core::sim_time to = core::sim_time::never();  // not included
    static void describe(config::fields<window>& f);
};

class windows {
public:
    // A window that ends before it begins is a std::invalid_argument.
    explicit windows(std::vector<window> configured = {});

    bool open(core::sim_time now) const;
    void add(const window& w);
    // Open or closed by hand, whatever the windows say, until the other one is called.
    void open_now() { by_hand_ = hand::open; }
    void close_now() { by_hand_ = hand::closed; }
    // As at the start.
    void reset();

private:
    enum class hand { off, open, closed };
    const std::vector<window> configured_;
    std::vector<window> all_;
    hand by_hand_ = hand::off;
};

// Stops pages that go back and forth: a page that has moved a number of times is pinned for a while, and other GPUs
// reach across. Each further pin is twice as long, so that a page that is really shared stops moving in the end.
class ping_pong_guard {
public:
    struct spec {
        unsigned moves = 0;
        core::sim_time within = core::sim_time::from_us(1000);
        core::sim_time pin = core::sim_time::from_us(100);
        static void describe(config::fields<spec>& f);
    };
    explicit ping_pong_guard(const spec& s) : spec_(s) {}

    bool pinned(const page_id& page, core::sim_time now) const;
    // True: the page is pinned from now on.
    bool moved(const page_id& page, core::sim_time now);
    void erase(const page_id& page) { pages_.erase(page); }
    void reset() { pages_.clear(); }

private:
    struct history {
        unsigned moves = 0;  // since the first that counts, or since it was pinned last
        unsigned pins = 0;
        core::sim_time first{};
        core::sim_time until{};
    };
    const spec spec_;
    std::unordered_map<page_id, history, page_hash> pages_;  // looked up only, never walked
};

enum class verdict {
    stay,            // the policy does not want it, or the page is there already
    outside_window,  // wanted, but no window is open
    pinned,          // wanted, but it has gone back and forth
    move,
};

class rules {
public:
    struct spec {
        policy_kind policy = policy_kind::never;
        std::vector<window> windows;
        ping_pong_guard::spec ping_pong;
        static void describe(config::fields<spec>& f);
    };
    explicit rules(const spec& s)
        : spec_(s),
          policy_(make_policy(s.policy)),
          windows_(s.windows),
          guard_(s.ping_pong) {}

    verdict judge(const page_touch& t) {
        // A first touch outside a window counts as the first touch.
        if (!policy_->wants(t) || t.gpu == t.owner) return verdict::stay;
        if (!windows_.open(t.now)) return verdict::outside_window;
        return guard_.pinned(t.page, t.now) ? verdict::pinned : verdict::move;
    }
    // True: it is pinned from now on.
    bool moved(const page_id& page, core::sim_time now) { return guard_.moved(page, now); }
    void erase(const page_id& page) {
        policy_->erase(page);
        guard_.erase(page);
    }
    void reset() {
        policy_->reset();
        windows_.reset();
        guard_.reset();
    }
    migration::windows& times() { return windows_; }
    // Every touch has the verdict `stay`, always.
    bool idle() const { return spec_.policy == policy_kind::never; }

private:
    const spec spec_;
    std::unique_ptr<policy_if> policy_;
    migration::windows windows_;
    ping_pong_guard guard_;
};

}  // namespace contraflow::host::migration
