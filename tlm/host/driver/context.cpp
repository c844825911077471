// SPDX-License-Identifier: Apache-2.0
#include "host/driver/context.h"

#include "host/driver/driver.h"

namespace contraflow::host {

void context::select_gpu(unsigned number) {
    (void)owner_.gpus().members(number);  // throws if there is none
    selected_ = number;
}

unsigned context::create_unified_gpu(std::span<const unsigned> members) {
    return owner_.gpus().create_unified(members);
}

std::uint64_t context::allocate(core::bytes size, page_order order) {
    return owner_.memory().allocate(process_, size, owner_.gpus().members(selected_), order);
}

void context::free(std::uint64_t address) { owner_.free(process_, address); }

bool context::protect(std::uint64_t address, memory::access_rights rights) {
    return owner_.protect(process_, address, rights);
}

command_queue& context::create_queue() { return owner_.create_queue(*this); }

}  // namespace contraflow::host
