// SPDX-License-Identifier: Apache-2.0
#include "host/migration/policies.h"

#include <stdexcept>

namespace contraflow::host::migration {
namespace {

template <class Policy> std::unique_ptr<policy_if> make() { return std::make_unique<Policy>(); }

struct entry {
    policy_kind kind;
    std::unique_ptr<policy_if> (*make)();
};
constexpr std::array table{entry{policy_kind::never, make<never>}, entry{policy_kind::first_touch, make<first_touch>},
                           entry{policy_kind::access_count, make<access_count>},
                           entry{policy_kind::always, make<always>}};

}  // namespace

std::unique_ptr<policy_if> make_policy(policy_kind kind) {
    for (const entry& e : table)
        if (e.kind == kind) return e.make();
    throw std::invalid_argument("make_policy: no such policy");
}

}  // namespace contraflow::host::migration
