// SPDX-License-Identifier: Apache-2.0
// The policies there are: never (all GPUs reach across: direct cache access), first_touch (a page goes to the first GPU
// that comes upon it, once), access_count (to a GPU that has reached into it so many times as the access counters are
// set to), always (to whoever comes upon it).
//
// The first GPU to touch a page is the first for which it is walked for. With walkers of a GPU's own, which answer for
// the pages in its memory, the IOMMU does not see the owner's own touches.
#pragma once

#include <array>
#include <memory>
#include <unordered_set>
#include <utility>

#include "config/fields.h"
#include "host/migration/page_touch.h"

namespace contraflow::host::migration {

// Which pages are wanted elsewhere. What stands against a move (windows, pins, room) is not a policy's business.
class policy_if {
public:
    virtual ~policy_if() = default;
    // Should the page be brought to who touched it? Also told of an owner's own touches, of which nothing follows.
    virtual bool wants(const page_touch& t) = 0;
    // The page is allocated no more.
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
    std::unordered_set<page_id, page_hash> touched_;  // looked up only, never walked
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
