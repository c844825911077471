// SPDX-License-Identifier: Apache-2.0
// Memory-mapped registers behind a BAR: words of 4 bytes, read and written whole, one or several at a time. An access
// to part of a word is a completer abort, and so is an access that the device refuses.
#pragma once

#include <cstring>
#include <optional>

#include "core/little_endian.h"
#include "pcie/device/region_if.h"

namespace contraflow::pcie {

// A device, which is in a folder above this one.
class register_user_if {
public:
    // The offset in the region is a multiple of 4. None or false: there is no such register.
    virtual std::optional<std::uint32_t> read_register(std::uint64_t offset) = 0;
    virtual bool write_register(std::uint64_t offset, std::uint32_t value) = 0;

protected:
    ~register_user_if() = default;
};

class register_region final : public region_if {
public:
    explicit register_region(register_user_if& user) : user_(user) {}

    access_result write(std::uint64_t offset, const tlp& packet) override {
        const byte_span span = span_of(packet);
        if (span.length == 0) return access_result::done;
        if (offset % dword != 0 || span.length != packet.length || !contiguous(packet)) return access_result::aborted;
        for (std::uint32_t i = 0; i < span.length; i += dword) {
            const auto value = core::load_le<std::uint32_t>(packet.data + i);
            if (!user_.write_register(offset + i, value)) return access_result::aborted;
        }
        return access_result::done;
    }
    // Words are read when they are answered, 16 bytes at most, because a read may have side effects.
    access_result request(inbound_request& r, const tlp& packet) override {
        if (packet.kind == tlp_kind::deferrable_write) return write(r.offset, packet);
        if (packet.kind != tlp_kind::memory_read) return access_result::unsupported;
        if (r.offset % dword != 0 || r.length % dword != 0 || r.length > r.old.size()) return access_result::aborted;
        for (std::uint32_t i = 0; i < r.length; i += dword) {
            const auto value = user_.read_register(r.offset + i);
            if (!value) return access_result::aborted;
            core::store_le<std::uint32_t>(r.old.data() + i, *value);
        }
        return access_result::done;
    }
    void fetch(const inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override {
        std::memcpy(to, r.old.data() + from, length);
    }

private:
    register_user_if& user_;
};

}  // namespace contraflow::pcie
