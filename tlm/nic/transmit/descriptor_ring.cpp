// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/descriptor_ring.h"

#include <algorithm>

#include "nic/transmit/transmit_engine.h"

namespace contraflow::nic {

void descriptor_ring::reset() {
    place_ = {};
    produced_ = fetched_ = completed_ = 0;
    reading_ = false;
    free_.clear();
    for (record& r : records_) free_.push_back(&r);
}

void descriptor_ring::set_place(const place& p) {
    place_ = p;
    produced_ = fetched_ = completed_ = 0;
}

bool descriptor_ring::ring(std::uint32_t produced) {
    if (produced - completed_ > place_.entries || produced - completed_ < produced_ - completed_) return false;
    produced_ = produced;
    fetch_more();
    return true;
}

void descriptor_ring::fetch_more() {
    if (reading_ || fetched_ == produced_) return;
    const std::uint32_t entry = fetched_ % place_.entries;
    const std::uint32_t count =
        std::min({produced_ - fetched_, place_.entries - entry, descriptors_at_once, user_.room()});
    if (count == 0) return;
    reading_ = true;
    read_.kind = pcie::operation_kind::read;
    read_.address = place_.descriptors + std::uint64_t{entry} * descriptor::size;
    read_.length = std::uint64_t{count} * descriptor::size;
    read_.buffer = bytes_.data();
    read_.owner = this;
    function_.start(read_);
}

void descriptor_ring::finished(pcie::operation& o) {
    if (&o == &read_) return descriptors_read();
    free_.push_back(&static_cast<record&>(o));
    user_.completion_left();
}

// A descriptor that could not be read gets a completion too: the driver is told of each descriptor.
void descriptor_ring::descriptors_read() {
    const auto count = static_cast<std::uint32_t>(read_.length / descriptor::size);
    fetched_ += count;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::span<const std::uint8_t, descriptor::size> bytes(bytes_.data() + i * descriptor::size,
                                                                    descriptor::size);
        if (read_.failed())
            user_.take_descriptor(std::nullopt, 0,
                                  read_.timed_out ? transmit_status::timed_out : transmit_status::read_failed);
        else
            user_.take_descriptor(descriptor::decode(bytes), descriptor::tag_of(bytes), transmit_status::invalid);
    }
    reading_ = false;
    fetch_more();
}

void descriptor_ring::complete(std::uint16_t tag, transmit_status status, std::uint32_t length) {
    record& r = *free_.back();
    free_.pop_back();
    const std::uint32_t entry = completed_++ % place_.entries;
    transmit_completion{completed_, tag, status, length}.encode(r.bytes);
    r.kind = pcie::operation_kind::write;
    r.address = place_.completions + std::uint64_t{entry} * transmit_completion::size;
    r.length = r.bytes.size();
    r.buffer = r.bytes.data();
    r.owner = this;
    function_.start(r);
}

void descriptor_ring::report_waits(std::vector<core::wait_edge>& edges) const {
    if (free_.empty()) edges.push_back({name_, "completions to leave", function_.name(), {}});
    if (reading_) edges.push_back({name_, "descriptors", function_.name(), {}});
}

}  // namespace contraflow::nic
