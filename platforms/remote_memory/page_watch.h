// SPDX-License-Identifier: Apache-2.0
// The stays of every page in GPUs' memories, one after the other, with the numbers of accesses by its GPU and by the
// others. Fed by requests as they end and by moves as they end; costs no simulated time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/units.h"
#include "host/driver/address_space.h"
#include "host/migration/steps.h"

namespace contraflow::remote_memory {

struct page_stay {
    unsigned gpu = 0;
    core::sim_time begin{}, end{};
    std::uint64_t own = 0, others = 0;  // requests of that GPU, and of the others, that went beyond their first level
};

struct page_life {
    std::uint64_t address = 0;
    unsigned array = 0, page = 0;  // the number of the program's array, and of the page in it, both from 1
    std::vector<page_stay> stays;
    unsigned copies = 0;  // the number of copies made of it
};

class page_watch final : public host::migration::move_observer_if {
public:
    // All pages of all allocations.
    void begin(const host::address_space& memory, std::uint32_t process);
    // An access by a GPU, numbered from 1.
    void used(std::uint64_t address, unsigned gpu) {
        const std::uint64_t i = (address - host::address_space::first_address) / page_size_;
        if (i >= pages_.size()) return;
        page_stay& s = pages_[i].stays.back();
        ++(s.gpu == gpu ? s.own : s.others);
    }
    void page_moved(const host::migration::move_record& m) override;
    // No further events are recorded from now on.
    void end(core::sim_time now);

    // Receives the same events.
    void set_next(host::migration::move_observer_if* next) { next_ = next; }

    std::uint64_t page_size() const { return page_size_; }
    std::vector<page_life> take_pages() { return std::exchange(pages_, {}); }
    std::vector<host::migration::move_record> take_moves() { return std::exchange(moves_, {}); }

    // For a timeline: the first stays, if there are more.
    static constexpr std::size_t most_moves = 20'000;

private:
    bool ended_ = false;
    std::uint64_t page_size_ = 4096;
    std::vector<page_life> pages_;
    std::vector<host::migration::move_record> moves_;
    host::migration::move_observer_if* next_ = nullptr;
};

}  // namespace contraflow::remote_memory
