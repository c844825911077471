// SPDX-License-Identifier: Apache-2.0
// The difference between runs of one workload: how a GPU accesses pages in another one's memory.
#pragma once

#include <array>
#include <utility>

#include "config/fields.h"
#include "host/system/unified_machine.h"
#include "study/study_spec.h"

namespace contraflow::remote_memory {

enum class memory_policy {
    one_gpu,       // there is one GPU, and all pages are in its memory
    dca,           // direct cache access: pages stay, and GPUs access them remotely
    migrate,       // pages move as `migration` says
    first_touch,   // `migration` with this value of when.policy
    access_count,  //
    always,        //
    duplicate,     // `always`, but pages that are only read are copied
};

constexpr bool moves_pages(memory_policy p) { return p != memory_policy::one_gpu && p != memory_policy::dca; }

}  // namespace contraflow::remote_memory

template <> struct contraflow::config::enum_names<contraflow::remote_memory::memory_policy> {
    using e = contraflow::remote_memory::memory_policy;
    static constexpr std::array names{
        std::pair{e::one_gpu, "one_gpu"},           std::pair{e::dca, "dca"},
        std::pair{e::migrate, "migrate"},           std::pair{e::first_touch, "first_touch"},
        std::pair{e::access_count, "access_count"}, std::pair{e::always, "always"},
        std::pair{e::duplicate, "duplicate"}};
};

namespace contraflow::remote_memory {

using config::name_of;

// What happens to pages, for those who do not know the name.
constexpr const char* what_pages_do(memory_policy p) {
    switch (p) {
    case memory_policy::one_gpu: return "all on one GPU";
    case memory_policy::dca: return "they stay, and GPUs reach across";
    case memory_policy::migrate: return "they move as `migration` says";
    case memory_policy::first_touch: return "they move once, to the GPU that touches them first";
    case memory_policy::access_count: return "they move to a GPU that has accessed them often";
    case memory_policy::always: return "they move to each GPU that accesses them";
    case memory_policy::duplicate: break;
    }
    return "they move to each GPU that writes, and are copied to those that read";
}

// The machine with that policy.
inline host::unified_machine::spec machine_with(memory_policy p, host::unified_machine::spec s) {
    using host::migration::policy_kind;
    auto& policy = s.migration.when.policy;
    switch (p) {
    case memory_policy::one_gpu: s.gpus.gpu.sockets = 1; [[fallthrough]];
    case memory_policy::dca: policy = policy_kind::never; break;
    case memory_policy::migrate: break;
    case memory_policy::first_touch: policy = policy_kind::first_touch; break;
    case memory_policy::access_count: policy = policy_kind::access_count; break;
    case memory_policy::duplicate: s.migration.read_duplication = true; [[fallthrough]];
    case memory_policy::always: policy = policy_kind::always; break;
    }
    return s;
}

}  // namespace contraflow::remote_memory
