// SPDX-License-Identifier: Apache-2.0
#include "gpu/peer/write_windows.h"

#include <utility>

#include "pcie/device/memory_region.h"

namespace contraflow::gpu {

using pcie::access_result;

write_windows::write_windows(core::scheduler& events, observe::statistics& statistics, pcie::function& of,
                             peer_memory& memory, const peer_spec& s, std::string name)
    : events_(events),
      function_(of),
      memory_(memory),
      name_(std::move(name)),
      move_time_(s.window_move),
      windows_(s.requesters),
      moves_(statistics, name_ + ".moves", "moves", "moves of write windows to another page"),
      refused_(statistics, name_ + ".refused", "writes", "writes to a closed window, or to an inaccessible page") {}

void write_windows::reset() {
    calls_.cancel();
    for (window& w : windows_) { w.shows.open = w.moving = false; }
    if (std::exchange(held_back_, false)) function_.resume(pcie::credit_class::posted);
}

access_result write_windows::move(unsigned requester, std::uint64_t word) {
    window& w = windows_.at(requester);
    if (w.moving) {
        held_back_ = true;
        return access_result::busy;
    }
    ++moves_;
    w.shows = peer_window::decode(word);
    w.moving = true;
    w.since = events_.now();
    calls_.after<&write_windows::moved>(move_time_, requester);
    return access_result::done;
}

void write_windows::moved(std::uint32_t requester) {
    window& w = windows_[requester];
    w.moving = false;
    if (w.shows.open && (w.shows.token == 0 || memory_.token(w.shows.page) != w.shows.token)) {
        w.shows.open = false;
        ++w.refused;
        ++refused_;
    }
    if (std::exchange(held_back_, false)) function_.resume(pcie::credit_class::posted);
}

access_result write_windows::write(std::uint64_t offset, const pcie::tlp& packet) {
    window& w = windows_.at(offset / peer_page);
    if (w.moving) {
        held_back_ = true;
        return access_result::busy;
    }
    if (!w.shows.open || memory_.token(w.shows.page) != w.shows.token) {
        ++w.refused;
        ++refused_;
        return access_result::aborted;
    }
    // No TLP crosses 4 KiB, so none crosses a page either.
    return pcie::memory_region(memory_.bytes().subspan(w.shows.page, peer_page)).write(offset % peer_page, packet);
}

void write_windows::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!held_back_) return;
    for (const window& w : windows_)
        if (w.moving) edges.push_back({function_.name(), "a window to be moved", name_, w.since});
}

}  // namespace contraflow::gpu
