// SPDX-License-Identifier: Apache-2.0
// Decides whether a page moves to the GPU that touched it: the policy wants it, a window is open, and the page is not
// pinned. This takes no simulated time.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "core/units.h"
#include "host/migration/page_touch.h"
#include "host/migration/policies.h"

namespace contraflow::host::migration {

// When pages may move: within windows of simulated time, which are configured or opened and closed by a program.
// Without windows, always.
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
    // Opened or closed by hand, which overrides the windows until the other function is called.
    void open_now() { by_hand_ = hand::open; }
    void close_now() { by_hand_ = hand::closed; }
    // Restores the initial state.
    void reset();

private:
    enum class hand { off, open, closed };
    const std::vector<window> configured_;
    std::vector<window> all_;
    hand by_hand_ = hand::off;
};

// Stops pages that move back and forth: after a number of moves a page is pinned for a while, and other GPUs access it
// remotely. Each further pin is twice as long, so that a page that is really shared stops moving in the end.
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
    // Returns true if the page is pinned from now on.
    bool moved(const page_id& page, core::sim_time now);
    void erase(const page_id& page) { pages_.erase(page); }
    void reset() { pages_.clear(); }

private:
    struct history {
        unsigned moves = 0;  // since the first that counts, or since the last pin
        unsigned pins = 0;
        core::sim_time first{};
        core::sim_time until{};
    };
    const spec spec_;
    std::unordered_map<page_id, history, page_hash> pages_;  // only looked up, never iterated
};

enum class verdict {
    stay,            // the policy does not want it, or the page is already there
    outside_window,  // wanted, but no window is open
    pinned,          // wanted, but the page has moved back and forth
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
    // Returns true if the page is pinned from now on.
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
    // Whether every touch always gets the verdict `stay`.
    bool idle() const { return spec_.policy == policy_kind::never; }

private:
    const spec spec_;
    std::unique_ptr<policy_if> policy_;
    migration::windows windows_;
    ping_pong_guard guard_;
};

// Windows that have no length, with the paths of its description.
std::vector<config::problem> problems_of(const rules::spec& s);

}  // namespace contraflow::host::migration
