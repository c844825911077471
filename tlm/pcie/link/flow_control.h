// SPDX-License-Identifier: Apache-2.0
// Credits of one link direction: the free space of a receiver's buffers, by class, for headers and data. Both sides
// count all credits ever given and used, so the next update makes up for a lost one.
// Source: PCI Express Base Specification 3.0, 2.6.1. A data credit is 16 bytes, a header credit one TLP.
#pragma once

#include <array>
#include <cstdint>

#include "pcie/tlp.h"

namespace contraflow::pcie {

inline constexpr std::uint32_t bytes_per_data_credit = 16;

constexpr std::uint64_t data_credits(std::uint32_t payload_bytes) {
    return (payload_bytes + bytes_per_data_credit - 1) / bytes_per_data_credit;
}

struct credit_count {
    std::uint64_t headers = 0;
    std::uint64_t data = 0;
    friend bool operator==(const credit_count&, const credit_count&) = default;
};

// The size of a receiver's buffer, in TLPs and bytes; advertised at start-up.
struct receive_buffer {
    std::uint64_t headers = 0;
    std::uint64_t data_bytes = 0;
    credit_count credits() const { return {headers, data_bytes / bytes_per_data_credit}; }
};

// The sender's account of credits.
class credit_account {
public:
    void set_limit(credit_class c, credit_count limit) { limit_[index(c)] = limit; }
    // May a TLP of that class and payload be sent?
    bool allows(credit_class c, std::uint32_t payload_bytes) const {
        const auto& limit = limit_[index(c)];
        const auto& used = used_[index(c)];
        return used.headers < limit.headers && used.data + data_credits(payload_bytes) <= limit.data;
    }
    // The kind of credit that is missing; only valid if allows() is false.
    const char* missing(credit_class c) const {
        return used_[index(c)].headers >= limit_[index(c)].headers ? "header" : "data";
    }
    void consume(credit_class c, std::uint32_t payload_bytes) {
        auto& used = used_[index(c)];
        ++used.headers;
        used.data += data_credits(payload_bytes);
    }
    credit_count available(credit_class c) const {
        const auto i = index(c);
        return {limit_[i].headers - used_[i].headers, limit_[i].data - used_[i].data};
    }

private:
    static std::size_t index(credit_class c) { return static_cast<std::size_t>(c); }
    std::array<credit_count, credit_classes> limit_{};
    std::array<credit_count, credit_classes> used_{};
};

}  // namespace contraflow::pcie
