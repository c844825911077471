// SPDX-License-Identifier: Apache-2.0
// Moves pages of an array from GPU to GPU under any running work, as a driver without a protocol of its own would:
// closes a page, shoots down all its translations, brings caches to memory, copies, opens it elsewhere. All bytes of
// the old place are made wrong.
#pragma once

#include <random>

#include "host/machine.h"

namespace contraflow::host::testing {

class page_mover final : private fault_sink_if {
public:
    static constexpr std::byte wrong{0xff};

    page_mover(machine& m, std::uint32_t process, std::uint64_t first, std::uint64_t pages, std::uint64_t seed)
        : m_(m),
          process_(process),
          first_(first),
          pages_(pages),
          draw_(seed) {
        m_.whole.iommu()->set_sink(this);
    }
    ~page_mover() { m_.whole.iommu()->set_sink(nullptr); }

    // Moves one page after the other, until the driver has no work left.
    void start() { schedule(); }
    std::uint64_t moved() const { return moved_; }
    std::uint64_t held() const { return held_; }

private:
    walk_verdict faulted(const memory::translation_request& r) override {
        if (!moving_ || !range().has(r.process, r.address)) return walk_verdict::answer;
        ++held_;
        return walk_verdict::hold;
    }
    memory::translation_range range() const {
        return memory::translation_range::page(process_, page_, memory::page_bits_4k);
    }
    template <void (page_mover::*Do)()> core::callback then() { return core::callback::to<Do>(*this); }
    void schedule() { m_.sim.events().after(core::sim_time::from_ns(50 + draw_() % 400), then<&page_mover::begin>()); }
    void begin() {
        if (m_.driver.finished()) return;
        page_ = first_ + draw_() % pages_ * 4096;
        old_ = m_.driver.memory().physical(process_, page_);
        m_.whole.table()->protect(process_, page_, memory::access_rights::none);
        moving_ = true;
        m_.whole.shootdowns()->shoot_down({process_, page_, 4096}, then<&page_mover::invalidated>());
    }
    void invalidated() {
        missing_ = m_.gpus.gpus();
        const memory::line_filter lines{[](const void* mover, std::uint64_t address) {
                                            return address >> 12 == static_cast<const page_mover*>(mover)->old_ >> 12;
                                        },
                                        this};
        for (unsigned g = 1; g <= m_.gpus.gpus(); ++g) m_.gpus.processor(g).flush(lines, then<&page_mover::flushed>());
    }
    void flushed() {
        if (--missing_ != 0) return;
        std::vector<std::byte> bytes(4096);
        gpu::gpu_hardware& memory = m_.gpus.hardware();
        memory.debug_read(old_, bytes);
        const unsigned to = 1 + static_cast<unsigned>(draw_() % m_.gpus.gpus());
        const std::uint64_t fresh = m_.driver.memory().move_page(process_, page_, to);
        memory.debug_write(old_, std::vector<std::byte>(4096, wrong));
        memory.debug_write(fresh, bytes);
        m_.whole.table()->protect(process_, page_, memory::access_rights::read_write);
        moving_ = false;
        m_.whole.iommu()->resume(range());
        ++moved_;
        schedule();
    }

    machine& m_;
    const std::uint32_t process_;
    const std::uint64_t first_, pages_;
    std::mt19937_64 draw_;
    std::uint64_t page_ = 0, old_ = 0;
    bool moving_ = false;
    unsigned missing_ = 0;
    std::uint64_t moved_ = 0, held_ = 0;
};

}  // namespace contraflow::host::testing
