// SPDX-License-Identifier: Apache-2.0
// The operations of a DMA engine on another function's memory: a copy is cut into pieces of 4 KiB at most, of which
// none crosses a multiple of 4 KiB on the bus, and a limited number of pieces is under way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pcie/device/function.h"

namespace contraflow::pcie {

template <class Piece> class copy_pieces {
public:
    explicit copy_pieces(std::size_t number) : all_(number) { reset(); }

    // Bytes in the piece that begins at that bus address, if so many are left.
    static std::uint32_t length_at(std::uint64_t address, std::uint64_t left) {
        return static_cast<std::uint32_t>(std::min(left, boundary_4k - address % boundary_4k));
    }
    bool none_free() const { return free_.empty(); }
    std::size_t under_way() const { return all_.size() - free_.size(); }
    // Only if one is free. The piece keeps the content that its last user left.
    Piece& take() {
        Piece& p = *free_.back();
        free_.pop_back();
        return p;
    }
    void give_back(Piece& p) { free_.push_back(&p); }
    // Free ones too.
    std::vector<Piece>& all() { return all_; }
    // Their function has been reset: no operation refers to a piece.
    void reset() {
        free_.clear();
        for (Piece& p : all_) free_.push_back(&p);
    }

private:
    std::vector<Piece> all_;
    std::vector<Piece*> free_;
};

}  // namespace contraflow::pcie
