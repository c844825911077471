// SPDX-License-Identifier: Apache-2.0
// Migration policies: never (remote access only: direct cache access), first_touch (a page moves once, to the first GPU
// that touches it), access_count (to a GPU whose access counter for it reaches its threshold), always (to every GPU
// that touches it).
//
// A GPU touches a page when the IOMMU walks for it. If a GPU has its own walkers, they answer for pages in its memory,
// so the IOMMU does not see an owner's touches.
#pragma once

#include <array>
#include <memory>
#include <unordered_set>
#include <utility>

#include "config/fields.h"
#include "host/migration/page_touch.h"

namespace contraflow::host::migration {

// Decides which pages should move. Other reasons against a move (windows, pins, room) are checked elsewhere.
class policy_if {
public:
    virtual ~policy_if() = default;
    // Whether the page should move to the GPU that touched it. Also called for the owner's touches, where the result is
    // ignored.
    virtual bool wants(const page_touch& t) = 0;
    // The page has been freed.
    virtual void erase(const page_id&) {}
    virtual void reset() {}
};

enum class policy_kind { never, first_touch, access_count, always };

class never final : public policy_if {
public:
    bool wants(const page_touch&) override { return false; }
};

class first_touch final : public policy_if {
public:
    bool wants(const page_touch& t) override { return touched_.insert(t.page).second; }
    void erase(const page_id& p) override { touched_.erase(p); }
    void reset() override { touched_.clear(); }

private:
    std::unordered_set<page_id, page_hash> touched_;  // only looked up, never iterated
};

class access_count final : public policy_if {
public:
    bool wants(const page_touch& t) override { return t.how == seen_by::counter; }
};

class always final : public policy_if {
public:
    bool wants(const page_touch&) override { return true; }
};

std::unique_ptr<policy_if> make_policy(policy_kind kind);

}  // namespace contraflow::host::migration

template <> struct contraflow::config::enum_names<contraflow::host::migration::policy_kind> {
    static constexpr std::array names{std::pair{contraflow::host::migration::policy_kind::never, "never"},
                                      std::pair{contraflow::host::migration::policy_kind::first_touch, "first_touch"},
                                      std::pair{contraflow::host::migration::policy_kind::access_count, "access_count"},
                                      std::pair{contraflow::host::migration::policy_kind::always, "always"}};
};
