// SPDX-License-Identifier: Apache-2.0
#include "host/context.h"

#include "host/driver.h"

namespace contraflow::host {

void context::select_gpu(unsigned number) {
    (void)home_.gpus().members(number);  // throws if there is none
    selected_ = number;
}

unsigned context::create_unified_gpu(std::span<const unsigned> members) { return home_.gpus().create_unified(members); }

std::uint64_t context::allocate(core::bytes size, page_order order) {
    return home_.memory().allocate(process_, size, home_.gpus().members(selected_), order);
}

// What a process leaves behind, no other one sees.
void context::free(std::uint64_t address) {
    address_space& memory = home_.memory();
    const std::vector<std::uint64_t> frames = memory.range_of(process_, address, 0).frames;
    memory.free(process_, address);
    const std::vector<std::byte> zeros(memory.page_size());
    for (const std::uint64_t f : frames) home_.machine().hardware().debug_write(f, zeros);
}

command_queue& context::create_queue() { return home_.create_queue(*this); }

}  // namespace contraflow::host
