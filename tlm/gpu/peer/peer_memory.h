// SPDX-License-Identifier: Apache-2.0
// GPU memory as other devices see it: bytes in pages of 64 KiB, some of which the driver has made accessible to them
// under a token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/zeroed_bytes.h"
#include "gpu/peer/peer_protocol.h"

namespace contraflow::gpu {

class peer_memory {
public:
    explicit peer_memory(std::uint64_t size) : bytes_(size), tokens_(size / peer_page) {}

    std::span<std::uint8_t> bytes() { return bytes_.all(); }
    std::span<const std::uint8_t> bytes() const { return bytes_.all(); }
    // Makes all pages with a byte of that range accessible. Tokens are 1 to 32767; 0 makes them inaccessible again.
    void let(std::uint64_t address, std::uint64_t length, std::uint16_t token) {
        for (std::uint64_t p = address / peer_page; p * peer_page < address + length; ++p) tokens_.at(p) = token;
    }
    // 0 if the page is not accessible or does not exist.
    std::uint16_t token(std::uint64_t address) const {
        return address < bytes_.size() ? tokens_[address / peer_page] : std::uint16_t{0};
    }

private:
    core::zeroed_bytes bytes_;
    std::vector<std::uint16_t> tokens_;  // by page
};

}  // namespace contraflow::gpu
