// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/register_writer.h"

#include <array>

#include "core/little_endian.h"

namespace contraflow::host {

void register_writer::write(std::uint64_t address, std::span<const std::uint32_t> words) {
    if (free_.empty()) free_.push_back(&writes_.emplace_back());
    posted_write& w = *free_.back();
    free_.pop_back();
    w.bytes.resize(4 * words.size());
    for (std::size_t i = 0; i < words.size(); ++i) core::store_le<std::uint32_t>(w.bytes.data() + 4 * i, words[i]);
    w.kind = pcie::operation_kind::write;
    w.address = address;
    w.length = w.bytes.size();
    w.buffer = w.bytes.data();
    w.owner = this;
    host_.start(w);
}

void register_writer::write(std::uint64_t registers, gpu::peer_register r, std::uint64_t value) {
    write(registers + static_cast<std::uint64_t>(r),
          std::array{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)});
}

void register_writer::reset() {
    free_.clear();
    for (posted_write& w : writes_) free_.push_back(&w);
}

}  // namespace contraflow::host
