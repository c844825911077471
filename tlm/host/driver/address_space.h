// SPDX-License-Identifier: Apache-2.0
// The allocated ranges of virtual addresses, their processes, and the GPU whose memory holds each page. A range of a
// unified GPU alternates over its members page by page, beginning with the first (consecutive in virtual addresses, but
// in no GPU's physical ones), or has a run on each. Ranges of all processes are disjoint and never reused: an access
// through a freed address is a fault and never reaches other data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/units.h"
#include "host/driver/frame_allocator.h"
#include "memory/vm/page_mapper_if.h"

namespace contraflow::host {

// An allocation needs more pages of a GPU than it has free.
class gpu_memory_full : public std::runtime_error {
public:
    gpu_memory_full(unsigned gpu, core::bytes wanted, core::bytes free);
    unsigned gpu() const { return gpu_; }
    core::bytes wanted() const { return wanted_; }
    core::bytes free() const { return free_; }

private:
    unsigned gpu_;
    core::bytes wanted_, free_;
};

enum class page_order : std::uint8_t {
    interleaved,  // page i of a range on member i modulo their number
    runs,         // an equal contiguous run of pages on each member, divided like workgroups
};

class address_space {
public:
    struct range {
        std::uint64_t begin = 0;
        std::uint64_t bytes = 0;  // size asked for; its pages may be longer
        std::uint32_t process = 0;
        std::vector<std::uint64_t> frames;  // physical address of each page
        memory::access_rights rights = memory::access_rights::read_write;
    };
    static constexpr std::uint64_t first_address = std::uint64_t{1} << 32;  // no range is near a null pointer

    address_space(memory::page_mapper_if& mapper, const memory::address_map& map);

    // Allocates all of it or nothing: throws gpu_memory_full, and the exceptions of the mapper.
    std::uint64_t allocate(std::uint32_t process, core::bytes size, std::span<const unsigned> members,
                           page_order order = page_order::interleaved);
    // Takes the address that allocate() returned; throws std::invalid_argument if there is no such range. Its pages are
    // unmapped. The caller owns their frames, and gives them back once no translation of them is left.
    range release(std::uint32_t process, std::uint64_t address);
    void give_back(std::span<const std::uint64_t> frames);
    // release() and give_back() together, for machines that keep no translations.
    void free(std::uint32_t process, std::uint64_t address) { give_back(release(process, address).frames); }

    // Sets the GPUs' rights to a range, by the address that allocate() returned. The caller invalidates translations
    // that are held elsewhere. False: the table keeps no rights.
    bool protect(std::uint32_t process, std::uint64_t address, memory::access_rights rights);
    // The rights of a page, also while it moves and its entry says otherwise.
    memory::access_rights rights_of(std::uint32_t process, std::uint64_t address) const {
        return range_of(process, address, 1).rights;
    }

    // The range of that process that holds all of these bytes; a std::out_of_range if none does.
    const range& range_of(std::uint32_t process, std::uint64_t address, std::uint64_t length) const;
    std::uint64_t physical(std::uint32_t process, std::uint64_t address) const;
    unsigned gpu_of(std::uint32_t process, std::uint64_t address) const {
        return frames_.gpu_of(physical(process, address));
    }
    // The allocation of that process nearest to the address; null if it has none.
    const range* nearest(std::uint32_t process, std::uint64_t address) const;
    std::uint64_t page_size() const { return page_size_; }
    // The pages of that process by address: each page's frame and the GPU that has it in memory.
    std::vector<std::pair<std::uint64_t, unsigned>> pages_of(std::uint32_t process) const;
    std::uint64_t free_pages(unsigned gpu) const { return frames_.free_frames(gpu); }

    // --- for the page migrator, which handles bytes, entries and translations
    // Takes a free frame of that GPU. The caller owns it until it gives it back or puts a page into it.
    std::optional<std::uint64_t> take_frame(unsigned gpu);
    // Moves the page to that frame. Returns its old frame, which the caller then owns.
    std::uint64_t settle(std::uint32_t process, std::uint64_t page, std::uint64_t frame);
    struct place {
        std::uint32_t process = 0;
        std::uint64_t address = 0;
    };
    // The page in that frame, if there is one.
    std::optional<place> page_in(std::uint64_t frame) const;

    // Moves an allocated page to a free frame of another GPU, frees its old frame, and returns the new one. The caller
    // must have copied its bytes and invalidated every translation of it. Throws gpu_memory_full.
    std::uint64_t move_page(std::uint32_t process, std::uint64_t address, unsigned to_gpu);

private:
    void check_room(std::uint64_t pages, std::span<const unsigned> members) const;
    const range* find(std::uint64_t address) const;

    memory::page_mapper_if& mapper_;
    const std::uint64_t page_size_;
    frame_allocator frames_;
    std::uint64_t next_ = first_address;
    std::map<std::uint64_t, range> ranges_;  // by their first address
};

}  // namespace contraflow::host
