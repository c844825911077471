// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/page_watch.h"

namespace contraflow::remote_memory {

// Ranges follow one another without a gap (host/driver/address_space.h): a page's number is its index in the list.
void page_watch::begin(const host::address_space& memory, std::uint32_t process) {
    page_size_ = memory.page_size();
    unsigned array = 0, page = 0;
    for (const auto& [address, gpu] : memory.pages_of(process)) {
        const bool begins = memory.range_of(process, address, 1).begin == address;
        array += begins ? 1 : 0;
        page = begins ? 1 : page + 1;
        pages_.push_back({address, array, page, {{gpu, {}, core::sim_time::never(), 0, 0}}, 0});
    }
}

void page_watch::page_moved(const host::migration::move_record& m) {
    using host::migration::move_kind;
    if (next_ != nullptr) next_->page_moved(m);
    if (ended_) return;
    if (moves_.size() < most_moves) moves_.push_back(m);
    const std::uint64_t i = (m.page.address - host::address_space::first_address) / page_size_;
    if (m.failed || i >= pages_.size()) return;
    page_life& page = pages_[i];
    if (m.kind == move_kind::duplicate) ++page.copies;
    if (m.kind == move_kind::duplicate || m.to == page.stays.back().gpu) return;
    page.stays.back().end = m.at.back();
    page.stays.push_back({m.to, m.at.back(), core::sim_time::never(), 0, 0});
}

void page_watch::end(core::sim_time now) {
    for (page_life& p : pages_) p.stays.back().end = now;
    ended_ = true;
}

}  // namespace contraflow::remote_memory
