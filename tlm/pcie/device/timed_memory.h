// SPDX-License-Identifier: Apache-2.0
// Memory whose reads take time, such as a host's memory behind its root complex. Writes and AtomicOps are done at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/callback.h"
#include "pcie/device/memory_region.h"
#include "pcie/device/timed_reads.h"

namespace contraflow::pcie {

class timed_memory final : public region_if {
public:
    timed_memory(core::scheduler& events, function& of, const timed_reads::spec& s, std::string name,
                 std::span<std::uint8_t> bytes)
        : size_(bytes.size()),
          memory_(bytes),
          reads_(events, of, s, std::move(name)) {}

    access_result write(std::uint64_t offset, const tlp& packet) override {
        const access_result result = memory_.write(offset, packet);
        for (const core::callback& c : written_) c();
        return result;
    }
    access_result request(inbound_request& r, const tlp& packet) override {
        if (packet.kind != tlp_kind::memory_read) return memory_.request(r, packet);
        return r.offset + r.length > size_ ? access_result::aborted : reads_.take(r);
    }
    void fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override {
        memory_.fetch(r, from, to, length);
    }
    timed_reads& reads() { return reads_; }
    // Is called after each write: software that looks into the memory again and again need not do so in between.
    void call_when_written(core::callback c) { written_.push_back(c); }

private:
    const std::size_t size_;
    memory_region memory_;
    timed_reads reads_;
    std::vector<core::callback> written_;
};

}  // namespace contraflow::pcie
