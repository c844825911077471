// SPDX-License-Identifier: Apache-2.0
#include "shmem/symmetric_heap.h"

#include <algorithm>

#include <fmt/format.h>

#include "shmem/error.h"

namespace contraflow::shmem {

symmetric_heap::symmetric_heap(unsigned pes, std::uint64_t first, std::uint64_t end)
    : first_((first + alignment - 1) / alignment * alignment),
      end_(end),
      made_(pes) {}

std::string symmetric_heap::call::text() const {
    return allocates ? fmt::format("malloc of {} bytes", value) : fmt::format("free at offset {:#x}", value);
}

const symmetric_heap::call& symmetric_heap::next(unsigned pe, bool allocates, std::uint64_t value) {
    const std::size_t number = made_.at(pe);
    if (number < calls_.size()) {
        const call& c = calls_[number];
        if (c.allocates != allocates || c.value != value)
            throw error(fmt::format("PE {}: {} is its call {} of the symmetric heap, and that of PE {} is {}", pe,
                                    call{allocates, value, 0, pe}.text(), number + 1, c.by, c.text()));
        ++made_[pe];
        return c;
    }
    call c{allocates, value, value, pe};
    if (allocates) {
        c.offset = find_place(value);
        if (c.offset == end_)
            throw error(fmt::format("PE {}: {}: the symmetric heap has {} bytes, {} in use", pe, c.text(),
                                    end_ - first_, in_use()));
        used_[c.offset] = std::max<std::uint64_t>(1, value);
    } else if (used_.erase(value) == 0) {
        throw error(fmt::format("PE {}: {}: nothing that was allocated begins there", pe, c.text()));
    }
    ++made_[pe];
    return calls_.emplace_back(c);
}

std::uint64_t symmetric_heap::find_place(std::uint64_t bytes) const {
    std::uint64_t at = first_;
    for (const auto& [offset, size] : used_) {
        if (at + bytes <= offset) return at;
        at = std::max(at, (offset + size + alignment - 1) / alignment * alignment);
    }
    return at <= end_ && bytes <= end_ - at ? at : end_;
}

std::uint64_t symmetric_heap::allocate(unsigned pe, std::uint64_t bytes) { return next(pe, true, bytes).offset; }
void symmetric_heap::release(unsigned pe, std::uint64_t offset) { next(pe, false, offset); }

void symmetric_heap::check_calls() const {
    for (unsigned pe = 0; pe < made_.size(); ++pe)
        if (made_[pe] < calls_.size())
            throw error(fmt::format("PE {} has not made call {} of the symmetric heap, which is {} of PE {}", pe,
                                    made_[pe] + 1, calls_[made_[pe]].text(), calls_[made_[pe]].by));
}

std::uint64_t symmetric_heap::in_use() const {
    std::uint64_t bytes = 0;
    for (const auto& [offset, size] : used_) bytes += size;
    return bytes;
}

}  // namespace contraflow::shmem
