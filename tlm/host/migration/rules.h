// SPDX-License-Identifier: Apache-2.0
// Whether a page moves to who has come upon it: what the policy wants, within windows, unless the page is pinned.
// Nothing but logic: no simulated time passes here.
#pragma once

#include <memory>
#include <vector>

#include "host/migration/ping_pong_guard.h"
#include "host/migration/policies.h"
#include "host/migration/windows.h"

namespace contraflow::host::migration {

enum class verdict {
    stay,            // nobody wants it elsewhere, or it is there
    outside_window,  // wanted, but not now
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
        // A first touch outside a window is one all the same.
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
    // Whether all touches have the same verdict for ever: stay.
    bool idle() const { return spec_.policy == policy_kind::never; }

private:
    const spec spec_;
    std::unique_ptr<policy_if> policy_;
    migration::windows windows_;
    ping_pong_guard guard_;
};

}  // namespace contraflow::host::migration
