// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/queue_pair_driver.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/little_endian.h"

namespace contraflow::host {
namespace {

// The keys of one region differ, and so do those of regions that follow one another at an index.
std::uint8_t local_byte(std::uint8_t uses) { return static_cast<std::uint8_t>(2 * uses); }
std::uint8_t remote_byte(std::uint8_t uses) { return static_cast<std::uint8_t>(2 * uses + 1); }

}  // namespace

queue_pair_driver::handle queue_pair_driver::register_memory(const region& r) {
    const std::uint64_t page = 1ull << nic::page_bits(r.pages_of);
    if (r.base % page != 0 || r.pages.empty() || r.length > r.pages.size() * page)
        throw std::invalid_argument("queue_pair_driver: memory is registered in whole pages, one at least");
    auto free = std::ranges::find_if(regions_, [](const entry& e) { return !e.used; });
    if (free == regions_.end()) {
        if (regions_.size() == nic_.configuration().regions)
            throw std::invalid_argument("queue_pair_driver: all regions of the NIC are in use");
        free = regions_.emplace(regions_.end());
    }
    const auto index = static_cast<std::uint32_t>(free - regions_.begin());
    free->what = r;
    free->used = true;
    ++free->uses;
    free->root = tables_.new_root();
    tables_.add(r.pages_of, free->root, r.base, r.pages);
    tables_.write(writes_, nic_.register_address(nic::queue_pair_nic::driver_register::tables));
    set_region(index, {true, r.rights, r.pages_of, r.base, r.length != 0 ? r.length : r.pages.size() * page, free->root,
                       local_byte(free->uses), remote_byte(free->uses)});
    return {index, nic::registered_region::key(index, local_byte(free->uses)),
            nic::registered_region::key(index, remote_byte(free->uses))};
}

void queue_pair_driver::deregister(const handle& h) {
    entry& e = regions_.at(h.index);
    set_region(h.index, {});
    tables_.clear(e.what.pages_of, e.root, e.what.base, e.what.pages.size());
    tables_.write(writes_, nic_.register_address(nic::queue_pair_nic::driver_register::tables));
    e.used = false;
}

void queue_pair_driver::connect(const end& a, const end& b) {
    const auto open = [](const end& here, const end& there) {
        here.of.open(here.queue,
                     {here.where.entries_at, here.where.completions_at, here.where.entries, here.where.completions,
                      there.of.nic_.network().node(), there.queue, here.first_sequence, there.first_sequence});
    };
    open(a, b);
    open(b, a);
}

void queue_pair_driver::open(std::uint32_t queue, const nic::queue_setup& s) {
    send(nic::queue_pair_nic::command::open_queue, queue, s.encode());
}

void queue_pair_driver::close(std::uint32_t queue) { send(nic::queue_pair_nic::command::close_queue, queue, {}); }

void queue_pair_driver::doorbell(std::uint32_t queue, std::uint32_t produced) {
    writes_.write(nic_.register_address(queue, nic::queue_pair_nic::queue_register::doorbell), {&produced, 1});
}

void queue_pair_driver::doorbell(std::uint32_t queue, std::span<const std::uint8_t, nic::work_entry_bytes> entry) {
    std::array<std::uint32_t, nic::work_entry_bytes / 4> words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = core::load_le<std::uint32_t>(entry.data() + 4 * i);
    writes_.write(nic_.register_address(queue, nic::queue_pair_nic::queue_register::entry), words);
}

void queue_pair_driver::consumed(std::uint32_t queue, std::uint32_t completions) {
    writes_.write(nic_.register_address(queue, nic::queue_pair_nic::queue_register::consumed), {&completions, 1});
}

void queue_pair_driver::reset() {
    writes_.reset();
    for (entry& e : regions_) {
        if (e.used) tables_.clear(e.what.pages_of, e.root, e.what.base, e.what.pages.size());
        e.used = false;
    }
    tables_.write(writes_, nic_.register_address(nic::queue_pair_nic::driver_register::tables));
}

void queue_pair_driver::set_region(std::uint32_t index, const nic::registered_region& r) {
    send(nic::queue_pair_nic::command::set_region, index, r.encode());
}

// All words in one write, the command last.
void queue_pair_driver::send(nic::queue_pair_nic::command opcode, std::uint32_t index,
                             std::span<const std::uint32_t> data) {
    std::array<std::uint32_t, nic::queue_pair_nic::command_words + 1> words{};
    std::ranges::copy(data, words.begin());
    words.back() = static_cast<std::uint32_t>(opcode) | index << 8;
    writes_.write(nic_.register_address(nic::queue_pair_nic::driver_register::command_data), words);
}

}  // namespace contraflow::host
