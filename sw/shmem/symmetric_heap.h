// SPDX-License-Identifier: Apache-2.0
// Places in the symmetric heap. Each PE asks for itself; the n-th call of a PE must be that of all others, and gets the
// same offset. First fit in order of offsets.
//
//   heap.allocate(0, 4096) == heap.allocate(1, 4096);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace contraflow::shmem {

class symmetric_heap {
public:
    static constexpr std::uint64_t alignment = 128;  // bytes: the longest line

    // Offsets from `first` up to, not including, `end`.
    symmetric_heap(unsigned pes, std::uint64_t first, std::uint64_t end);

    // Throws shmem::error if another PE's call is different, or nothing is free that is large enough.
    std::uint64_t allocate(unsigned pe, std::uint64_t bytes);
    // The same, or if nothing begins at that offset.
    void release(unsigned pe, std::uint64_t offset);
    // Throws shmem::error, which names a PE that has made fewer calls than another.
    void check_calls() const;
    std::uint64_t in_use() const;

private:
    struct call {
        bool allocates = false;
        std::uint64_t value = 0, offset = 0;  // bytes, or the offset that is released
        unsigned by = 0;                      // the first PE
        std::string text() const;
    };
    // The call of this PE with that number, carried out by the first.
    const call& next(unsigned pe, bool allocates, std::uint64_t value);
    std::uint64_t find_place(std::uint64_t bytes) const;

    const std::uint64_t first_, end_;
    std::vector<call> calls_;
    std::vector<std::size_t> made_;                // by PE
    std::map<std::uint64_t, std::uint64_t> used_;  // offset, bytes
};

}  // namespace contraflow::shmem
