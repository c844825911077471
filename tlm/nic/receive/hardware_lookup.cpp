// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/hardware_lookup.h"

#include <algorithm>
#include <utility>

#include "nic/receive/receive_pipeline.h"

namespace contraflow::nic {
namespace {

// Follows the comparisons: bounds and rights of the found buffer.
constexpr std::uint64_t bounds_cycles = 1;
constexpr std::uint64_t look_up_cycles = 1;
// From an entry's arrival until the next one is requested, or the page is known.
constexpr std::uint64_t walk_step_cycles = 1;

}  // namespace

hardware_lookup::hardware_lookup(core::scheduler& events, std::string path, const receive_spec& s,
                                 observe::statistics& group)
    : events_(events),
      path_(std::move(path)),
      spec_(s),
      cycle_(s.clock.time_of({1})),
      packets_(s.packets),
      buffers_(s.buffers),
      host_tlb_(s.host_tlb),
      gpu_tlb_(s.gpu_tlb) {
    const auto count = [&](const char* name, const char* unit, const char* text, const std::uint64_t& value) {
        statistics_.emplace_back(group, path_ + "." + name, unit, text, value);
    };
    count("tlb_hits", "pages", "pages whose translation a TLB had", count_.tlb_hits);
    count("tlb_misses", "pages", "pages whose translation was read from the tables", count_.tlb_misses);
    count("walk_time", "ps", "time from a miss of a TLB until the page was known, over all", count_.walk_time);
}

void hardware_lookup::look_up(const lookup_request& r) {
    at(asked_++) = {r, 0, {}};
    search_next();
}

// --- search ---------------------------------------------------------------------------------------------------------

void hardware_lookup::search_next() {
    if (search_.armed() || searched_ == asked_) return;
    packet& p = at(searched_);
    if (!p.put()) return search_.arm(edge() + cycles(pass_cycles));
    const packet_header& h = p.request.header;
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const buffer_entry& b) {
        return b.valid && b.process == h.process && b.holds(h.address);
    });
    const std::uint64_t last = h.address + h.length - 1;
    if (found == buffers_.end()) {
        p.result.dropped = drop_reason::no_buffer;
    } else if (last >= address_space || !found->holds(last)) {
        p.result.dropped = drop_reason::bounds;
    } else if (!found->writable) {
        p.result.dropped = drop_reason::access;
    } else {
        p.result.space = found->space;
        p.result.ring = found->ring;
        p.root = found->root;
    }
    const auto compared =
        std::min<std::size_t>(static_cast<std::size_t>(found - buffers_.begin()) + 1, buffers_.size());
    search_.arm(edge() + cycles((compared + spec_.search_rate - 1) / spec_.search_rate + bounds_cycles));
}

void hardware_lookup::searched() {
    const packet& p = at(searched_++);
    if (p.result.dropped) pipeline_->refused(p.request.packet);
    translate_next();
    search_next();
}

// --- translate ------------------------------------------------------------------------------------------------------

void hardware_lookup::translate_next() {
    if (translating_ || translated_ == searched_) return;
    translating_ = true;
    page_ = 0;
    if (at(translated_).put())
        look_up_.arm(edge() + cycles(look_up_cycles));
    else
        translated_at_.arm(edge() + cycles(pass_cycles));
}

// The page is known in the cycle of its look-up, or its walk begins.
void hardware_lookup::look_up_page() {
    if (walking_) return pipeline_->read_table(table_);
    const packet& p = at(translated_);
    const memory_space space = p.result.space;
    const std::uint64_t number = (p.request.header.address >> page_bits(space)) + page_;
    if (const page_entry* entry = tlb_of(space).find(p.root, number)) {
        ++count_.tlb_hits;
        return page_found(*entry, 0);
    }
    ++count_.tlb_misses;
    walking_ = true;
    walk_epoch_ = epoch_;
    walk_since_ = events_.now();
    level_ = 0;
    pipeline_->read_table(entry_address(space, p.root, number, 0));
}

void hardware_lookup::walked() {
    walking_ = false;
    count_.walk_time += (events_.now() - walk_since_).ps;
}

void hardware_lookup::table_entry(std::uint64_t value) {
    packet& p = at(translated_);
    const memory_space space = p.result.space;
    const std::uint64_t number = (p.request.header.address >> page_bits(space)) + page_;
    if ((value & table_valid) == 0) {
        walked();
        p.result.dropped = drop_reason::translation;
        return translated_at_.arm(edge() + cycles(walk_step_cycles));
    }
    if (++level_ < table_levels) {
        table_ = entry_address(space, next_table(value), number, level_);
        return look_up_.arm(edge() + cycles(walk_step_cycles));
    }
    walked();
    const page_entry entry = leaf(space, value);
    // An entry that was read before an invalidation may serve this packet, which the fence covers, but no later one.
    if (walk_epoch_ == epoch_) tlb_of(space).insert(p.root, number, entry);
    page_found(entry, walk_step_cycles);
}

void hardware_lookup::page_found(const page_entry& entry, std::uint64_t after) {
    packet& p = at(translated_);
    p.result.pages[page_] = entry;
    const packet_header& h = p.request.header;
    const unsigned bits = page_bits(p.result.space);
    const std::uint64_t last = (h.address + h.length - 1) >> bits;
    if ((h.address >> bits) + page_ != last) {
        ++page_;
        return look_up_.arm(edge() + cycles(after + look_up_cycles));
    }
    if (after == 0) return translated();
    translated_at_.arm(edge() + cycles(after));
}

void hardware_lookup::translated() {
    const lookup_result& result = at(translated_++).result;
    translating_ = false;
    pipeline_->looked_up(result);
    translate_next();
}

// --- invalidation, control ------------------------------------------------------------------------------------------

void hardware_lookup::invalidate(std::uint64_t root) {
    host_tlb_.invalidate(root);
    gpu_tlb_.invalidate(root);
    ++epoch_;
    fence_ = searched_ + (search_.armed() ? 1 : 0);
    invalidated_.arm(edge() + cycles(1));
}

void hardware_lookup::clear() {
    host_tlb_.clear();
    gpu_tlb_.clear();
    ++epoch_;
}

void hardware_lookup::reset() {
    search_.cancel();
    look_up_.cancel();
    translated_at_.cancel();
    invalidated_.cancel();
    asked_ = searched_ = translated_ = 0;
    translating_ = walking_ = false;
    std::fill(buffers_.begin(), buffers_.end(), buffer_entry{});
    clear();
    count_ = {};
}

void hardware_lookup::report_waits(std::vector<core::wait_edge>& edges) const {
    if (walking_) edges.push_back({path_, "an entry of a page table", path_ + ".tables", walk_since_});
}

void hardware_lookup::tell_invalidated() { pipeline_->invalidated_from(fence_); }

}  // namespace contraflow::nic
