// SPDX-License-Identifier: Apache-2.0
// A process of the host in the driver: its address space, its selected GPU and its queues.
#pragma once

#include <cstdint>
#include <span>

#include "core/units.h"
#include "gpu/kernel/array.h"
#include "host/driver/address_space.h"

namespace contraflow::host {

class command_queue;
class driver;

class context {
public:
    context(driver& owner, std::uint32_t process) : owner_(owner), process_(process) {}
    context(const context&) = delete;
    context& operator=(const context&) = delete;

    std::uint32_t process() const { return process_; }
    driver& owner() const { return owner_; }

    // Selects the GPU for further memory and queues, a hardware GPU or a unified one; initially 1. An unknown number is
    // a std::invalid_argument.
    void select_gpu(unsigned number);
    unsigned selected_gpu() const { return selected_; }
    // Returns the number of a new unified GPU with these members (gpu_directory.h). Does not select it.
    unsigned create_unified_gpu(std::span<const unsigned> members);
    unsigned create_unified_gpu(std::initializer_list<unsigned> members) {
        return create_unified_gpu(std::span(members.begin(), members.size()));
    }

    // Pages of the selected GPU; throws gpu_memory_full.
    std::uint64_t allocate(core::bytes size, page_order order = page_order::interleaved);
    template <gpu::element T> gpu::array<T> allocate(std::size_t count) {
        return {allocate({count * sizeof(T)}), count};
    }
    // Only while no command uses it. Throws std::invalid_argument if no allocation begins there. Its memory can be
    // allocated again once GPUs have invalidated their translations of it and second levels have written back their
    // lines of it.
    void free(std::uint64_t address);

    // Sets the kernels' rights to an allocation; copies by the host are not checked. None of its pages may be moving.
    // False if translation takes no time, because it then keeps no rights.
    bool protect(std::uint64_t address, memory::access_rights rights);

    // On the selected GPU; it lives as long as the driver.
    command_queue& create_queue();

private:
    driver& owner_;
    const std::uint32_t process_;
    unsigned selected_ = 1;
};

}  // namespace contraflow::host
