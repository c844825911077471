// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/rx_recording.h"

#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace contraflow::nic_rx {
namespace {

static_assert(std::is_trivially_copyable_v<inputs> && sizeof(inputs) % 8 == 0);
using pieces = std::array<std::uint64_t, sizeof(inputs) / 8>;
static_assert(std::tuple_size_v<pieces> <= 32);
constexpr unsigned mask_lsb = 32;

pieces pieces_of(const inputs& in) {
    pieces all;
    std::memcpy(all.data(), &in, sizeof in);
    return all;
}

}  // namespace

rx_recording::rx_recording(std::string name, build b, core::sim_time cycle)
    : name_(std::move(name)),
      build_(b),
      cycle_(cycle) {}

void rx_recording::add(std::uint64_t cycle, const inputs& in) {
    const std::uint64_t passed = cycle - last_.cycle;
    if (cycle < last_.cycle || passed > std::numeric_limits<std::uint32_t>::max())
        throw std::logic_error(name_ + ": an edge that is recorded before an earlier one, or long after it");
    const pieces before = pieces_of(last_.in), now = pieces_of(in);
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (now[i] != before[i]) changed |= std::uint64_t{1} << i;
    entries_.push_back(changed << mask_lsb | passed);
    for (std::size_t i = 0; i < now.size(); ++i)
        if ((changed >> i & 1) != 0) entries_.push_back(now[i]);
    last_ = {cycle, in};
}

bool rx_recording::reader::read() {
    if (next_ == of_->entries_.size()) return false;
    const std::uint64_t entry = of_->entries_[next_++];
    now_.cycle += static_cast<std::uint32_t>(entry);
    pieces all = pieces_of(now_.in);
    for (std::size_t i = 0; i < all.size(); ++i)
        if ((entry >> (mask_lsb + i) & 1) != 0) all[i] = of_->entries_[next_++];
    std::memcpy(static_cast<void*>(&now_.in), all.data(), sizeof now_.in);
    return true;
}

}  // namespace contraflow::nic_rx
