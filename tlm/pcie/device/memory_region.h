// SPDX-License-Identifier: Apache-2.0
// Memory behind a BAR: writes, reads and AtomicOps at once, on bytes that its owner keeps.
#pragma once

#include <cstring>
#include <span>

#include "pcie/device/region_if.h"

namespace contraflow::pcie {

class memory_region final : public region_if {
public:
    // At least as many bytes as the range of the BAR.
    explicit memory_region(std::span<std::uint8_t> bytes) : bytes_(bytes) {}

    access_result write(std::uint64_t offset, const tlp& packet) override {
        const byte_span span = span_of(packet);
        const auto begin = static_cast<std::uint32_t>(span.address - packet.address);
        if (offset + span.length > bytes_.size()) return access_result::aborted;
        if (contiguous(packet))
            std::memcpy(bytes_.data() + offset, packet.data + begin, span.length);
        else
            for (std::uint32_t i = 0; i < span.length; ++i)
                if (enabled(packet, begin + i)) bytes_[offset + i] = packet.data[begin + i];
        return access_result::done;
    }
    access_result request(inbound_request& r, const tlp& packet) override;
    void fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override {
        std::memcpy(to, r.kind == tlp_kind::atomic ? r.old.data() + from : bytes_.data() + r.offset + from, length);
    }

private:
    std::span<std::uint8_t> bytes_;
};

}  // namespace contraflow::pcie
