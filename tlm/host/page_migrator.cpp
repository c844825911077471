// SPDX-License-Identifier: Apache-2.0
// Who is asked about pages, and what becomes of the orders; page_migrator_steps.cpp carries them out.
#include "host/page_migrator.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::host::migration {

// A message is one way over PCIe through a switch or two, as for the driver's commands; an entry is a read and a write
// of the host's memory; a page that has come stays for as long as some hundred accesses of its new owner take: all
// assumed.
void page_migrator::spec::describe(config::fields<spec>& f) {
    f("when", &spec::when).text("which pages move, and when");
    f("granularity", &spec::granularity)
        .text("page: only what touches the page is stopped; whole: its owner's units stop and its caches are flushed");
    f("concurrent", &spec::concurrent).in(1, 64).unit("pages").text("that move at a time");
    f("queue", &spec::queue)
        .in(0, 4096)
        .unit("pages")
        .text("that wait for their turn; a page that finds no room stays");
    f("message", &spec::message).text("from the driver to a GPU or the IOMMU, and from there back");
    f("table_update", &spec::table_update).text("for an entry of the page table");
    f("stay", &spec::stay)
        .text("how long a page that has come stays at least, so that who waited for it gets at it; who wants it next "
              "waits so long");
    f("read_duplication", &spec::read_duplication)
        .text("whether a page that is wanted for reading is copied and not moved; a write leaves one copy");
}

page_migrator::page_migrator(const memory::resources& shared, const spec& s, const parts& p)
    : spec_(s),
      events_(shared.events),
      gpus_(p.gpus),
      table_(p.table),
      iommu_(p.walker),
      everywhere_(p.everywhere),
      memory_(p.memory),
      rules_(s.when),
      slots_(s.concurrent + s.queue),
      lanes_(s.concurrent),
      statistics_(shared.statistics, "migration") {
    for (auto n = static_cast<unsigned>(slots_.size()); n > 0; --n) free_.push_back(n - 1);
    iommu_.set_sink(this);
    for (unsigned g = 1; g <= gpus_.gpus(); ++g)
        if (gpu::access_counters* const c = gpus_.counters(g)) c->set_sink(this);
}

page_move* page_migrator::find(const page_id& page) {
    for (const unsigned n : active_)
        if (slots_[n].page() == page) return &slots_[n];
    return nullptr;
}

// ---- touches

walk_verdict page_migrator::found(memory::translation_request& request) {
    const page_id page = page_of(request.process, request.address);
    const unsigned gpu = request.origin.gpu + 1u, owner = owner_of(request.page.physical_page);
    if (const page_move* const m = find(page)) {
        const bool copying = m->record.kind == move_kind::duplicate;
        if (m->closed && !copying) return walk_verdict::hold;
        // Who wants a copy of what is being copied asks when that is done.
        const bool wanted = gpu != owner && (m->record.to == gpu || copying);
        if (wanted && duplicates_.of(page, gpu) == nullptr) return walk_verdict::hold;
    } else if (!rules_.idle()) {
        if (const auto* const mine = duplicates_.of(page, gpu)) {
            request.page.physical_page = mine->frame;
            return walk_verdict::answer;
        }
        if (wants({page, gpu, owner, request.write, seen_by::walk, events_.now()})) {
            const bool copy = duplicates_.has(page) || (spec_.read_duplication && !request.write);
            if (order(page, copy ? move_kind::duplicate : move_kind::relocate, owner, gpu, true))
                return walk_verdict::hold;
        }
        return walk_verdict::answer;
    }
    if (const auto* const mine = duplicates_.of(page, gpu)) request.page.physical_page = mine->frame;
    return walk_verdict::answer;
}

walk_verdict page_migrator::faulted(const memory::translation_request& request) {
    if (request.status != memory::translation_status::protection) return walk_verdict::answer;
    const page_id page = page_of(request.process, request.address);
    const unsigned gpu = request.origin.gpu + 1u;
    if (page_move* const m = find(page)) {
        if (m->record.kind == move_kind::duplicate && !m->begun()) {  // there are copies, and this one comes too late
            m->record.kind = move_kind::collapse;
            m->record.to = gpu;
        }
        return walk_verdict::hold;
    }
    if (!duplicates_.has(page)) return walk_verdict::answer;
    order(page, move_kind::collapse, owner_of(request.page.physical_page), gpu, true);
    return walk_verdict::hold;
}

bool page_migrator::wants(const page_touch& t) {
    switch (rules_.judge(t)) {
    case verdict::stay: return false;
    case verdict::outside_window: ++statistics_.outside_window; return false;
    case verdict::pinned: ++statistics_.pinned; return false;
    case verdict::move: return ordering_;
    }
    return false;
}

void page_migrator::page_reached(unsigned gpu, std::uint64_t physical_page) {
    ++statistics_.notifications;
    events_.after(
        spec_.message,
        [](void* o, std::uint64_t gpu_and_frame) {
            auto* const self = static_cast<page_migrator*>(o);
            self->counted(static_cast<unsigned>(gpu_and_frame & 63), gpu_and_frame & ~std::uint64_t{63});
        },
        this, physical_page | gpu);
}

// By now something else may be there.
void page_migrator::counted(unsigned gpu, std::uint64_t physical_page) {
    const auto there = memory_.page_in(physical_page);
    if (!there) return;
    const page_id page{there->process, there->address};
    const unsigned owner = owner_of(physical_page);
    if (owner == gpu || find(page) != nullptr || duplicates_.has(page)) return;
    if (wants({page, gpu, owner, false, seen_by::counter, events_.now()}))
        order(page, move_kind::relocate, owner, gpu, false);
}

// ---- orders

bool page_migrator::order(const page_id& page, move_kind kind, unsigned from, unsigned to, bool held) {
    if (free_.empty() && kind != move_kind::collapse) {
        ++statistics_.queue_full;
        return false;
    }
    if (free_.empty()) {  // without it, a write would be a fault
        free_.push_back(static_cast<unsigned>(slots_.size()));
        slots_.emplace_back();
    }
    page_move& m = slots_[free_.back()];
    m = {};
    m.number = free_.back();
    free_.pop_back();
    m.record.page = page;
    m.record.kind = kind;
    m.record.from = from;
    m.record.to = to;
    m.record.at[0] = events_.now();
    m.range = {page.process, false, page.address, page.address + memory_.page_size() - 1};
    active_.push_back(m.number);
    ++orders_;
    ++statistics_.asked;
    statistics_.waiting.set(events_.now(), static_cast<double>(active_.size() - begun_));
    // Access counters have sent their message already.
    after<&page_migrator::step_done>(held ? spec_.message : core::sim_time{}, m);
    return true;
}

void page_migrator::wake_at(core::sim_time when) {
    if (armed_for_ <= when) return;
    armed_for_ = when;
    events_.at(
        when,
        [](void* o, std::uint64_t epoch) {
            auto* const self = static_cast<page_migrator*>(o);
            if (self->epoch_ != epoch || self->armed_for_ != self->events_.now()) return;
            self->armed_for_ = core::sim_time::never();
            self->begin_waiting();
        },
        this, epoch_);
}

void page_migrator::begin_waiting() {
    for (std::size_t i = 0; beginning_ && i < active_.size() && begun_ < spec_.concurrent;) {
        page_move& m = slots_[active_[i]];
        if (m.now != step::queue || !begins(m)) {
            ++i;
            continue;
        }
        i = 0;  // it may have left, or let others go
    }
}

// False: it stays in the queue.
bool page_migrator::begins(page_move& m) {
    const core::sim_time now = events_.now();
    std::erase_if(resting_, [&](const resting_page& r) { return r.until <= now; });
    for (const resting_page& r : resting_)
        if (r.page == m.page()) {
            wake_at(r.until);
            return false;
        }
    const bool collapses = m.record.kind == move_kind::collapse;
    const bool duplicates = m.record.kind == move_kind::duplicate;
    if (!m.freed && collapses && claimed(m.page(), false)) return false;
    if (!m.freed && !collapses && (claimed(m.page(), duplicates) || wanted_by_claimant(m.page(), duplicates))) {
        decline(m, statistics_.claimed);
        return true;
    }
    if (m.freed || (!collapses && !rules_.times().open(now))) {
        decline(m, m.freed ? statistics_.freed : statistics_.outside_window);
        return true;
    }
    m.old_frame = memory_.physical(m.page().process, m.page().address);
    if (!collapses) {
        const auto frame = memory_.take_frame(m.record.to);
        if (!frame) {
            decline(m, statistics_.no_frame);
            return true;
        }
        m.new_frame = *frame;
        m.reserved = true;
    }
    const auto lane = std::find(lanes_.begin(), lanes_.end(), false);
    *lane = true;
    m.record.slot = static_cast<unsigned>(lane - lanes_.begin());
    ++begun_;
    statistics_.waiting.set(now, static_cast<double>(active_.size() - begun_));
    statistics_.under_way.set(now, begun_);
    next(m);
    return true;
}

bool page_migrator::claimed_range::meets(const page_id& page, std::uint64_t bytes, bool by_writers_only) const {
    return process == page.process && first < page.address + bytes && last >= page.address &&
           (writes || !by_writers_only);
}

bool page_migrator::claimed(const page_id& page, bool by_writers_only) const {
    return std::any_of(claims_.begin(), claims_.end(),
                       [&](const claimed_range& c) { return c.meets(page, memory_.page_size(), by_writers_only); });
}

// So that no copy waits for ever: what is under way in its pages is the last.
bool page_migrator::wanted_by_claimant(const page_id& page, bool by_writers_only) const {
    return std::any_of(claimants_.begin(), claimants_.end(), [&](const claimant& c) {
        return std::any_of(c.ranges.begin(), c.ranges.end(),
                           [&](const claimed_range& r) { return r.meets(page, memory_.page_size(), by_writers_only); });
    });
}

// What asked for it is answered as it was found.
void page_migrator::decline(page_move& m, observe::counter& why) {
    ++why;
    if (!m.freed) ++statistics_.declined;
    const memory::translation_range range = m.range;
    const bool freed = m.freed;
    leave(m);
    if (freed)
        iommu_.resume(range);
    else
        iommu_.give_up(range);
    tell_claimants();
}

void page_migrator::leave(page_move& m) {
    if (m.begun()) {
        --begun_;
        lanes_[m.record.slot] = false;
    }
    active_.erase(std::find(active_.begin(), active_.end(), m.number));
    free_.push_back(m.number);
    ++ends_;
    statistics_.waiting.set(events_.now(), static_cast<double>(active_.size() - begun_));
    statistics_.under_way.set(events_.now(), begun_);
}

void page_migrator::end(page_move& m) {
    const core::sim_time now = events_.now();
    const move_record record = m.record;
    const memory::translation_range range = m.range;
    const bool freed = m.freed;
    leave(m);
    if (freed) {
        ++statistics_.freed;
    } else {
        statistics_.ended(record);
        if (record.kind != move_kind::duplicate && !record.failed) {
            if (rules_.moved(record.page, now)) ++statistics_.pins;
            if (spec_.stay != core::sim_time{}) resting_.push_back({record.page, now + spec_.stay});
        }
        if (observer_ != nullptr) observer_->page_moved(record);
    }
    iommu_.resume(range);
    tell_claimants();
    begin_waiting();
}

// ---- commands that reach pages by their frames

bool page_migrator::claim(std::uint32_t process, std::span<const page_claim> what, page_claimant_if& who) {
    std::vector<claimed_range> ranges;
    for (const page_claim& c : what)
        if (c.bytes > 0) ranges.push_back({process, c.address, c.address + c.bytes - 1, c.writes});
    bool free = true;
    for (const claimed_range& range : ranges) {
        for (const unsigned n : active_)
            free &= !slots_[n].begun() || !slots_[n].range.meets(process, range.first, range.last);
        if (range.writes && spec_.read_duplication) free &= !collapse(range);
    }
    if (free)
        claims_.insert(claims_.end(), ranges.begin(), ranges.end());
    else
        claimants_.push_back({std::move(ranges), &who});
    return free;
}

// True: there are copies of its pages.
bool page_migrator::collapse(const claimed_range& range) {
    bool any = false;
    for (const page_id& page : duplicates_.pages()) {
        if (page.process != range.process || page.address + memory_.page_size() <= range.first ||
            page.address > range.last)
            continue;
        any = true;
        const unsigned owner = owner_of(memory_.physical(range.process, page.address));
        // Those that find no room are ordered when it is asked again.
        if (!free_.empty() && find(page) == nullptr) order(page, move_kind::collapse, owner, owner, false);
    }
    return any;
}

void page_migrator::release(std::uint32_t process, std::span<const page_claim> what) {
    for (const page_claim& claim : what) {
        const auto at = std::find_if(claims_.begin(), claims_.end(), [&](const claimed_range& c) {
            return c.process == process && c.first == claim.address && c.last == claim.address + claim.bytes - 1 &&
                   c.writes == claim.writes;
        });
        if (at != claims_.end()) claims_.erase(at);  // there was a reset, or nothing to claim
    }
    begin_waiting();
}

// What is under way to a new frame would write over it there: that gets it at the end.
void page_migrator::written_in_place(std::uint32_t process, std::uint64_t address, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const page_id page = page_of(process, address);
        const std::uint64_t offset = address - page.address;
        const auto here = bytes.first(std::min<std::size_t>(bytes.size(), memory_.page_size() - offset));
        for (unsigned g = 1; g <= gpus_.gpus(); ++g)
            if (const auto* const copy = duplicates_.of(page, g))
                gpus_.hardware().debug_write(copy->frame + offset, here);
        // Before, it is in the old frame, where GPUs may still write and the pull finds all of it.
        if (page_move* const m = find(page); m != nullptr && m->begun() && m->now > step::shootdown)
            m->written.push_back({offset, {here.begin(), here.end()}});
        address += here.size();
        bytes = bytes.subspan(here.size());
    }
}

void page_migrator::withdraw(page_claimant_if& who) {
    std::erase_if(claimants_, [&](const claimant& c) { return c.who == &who; });
}

// Those to whose pages nothing is ordered any more.
void page_migrator::tell_claimants() {
    for (std::size_t n = claimants_.size(), i = 0; n > 0 && i < claimants_.size(); --n) {
        const claimant& first = claimants_[i];
        const bool waits = std::any_of(active_.begin(), active_.end(), [&](unsigned m) {
            return std::any_of(first.ranges.begin(), first.ranges.end(), [&](const claimed_range& r) {
                return slots_[m].range.meets(r.process, r.first, r.last);
            });
        });
        if (waits) {
            ++i;
            continue;
        }
        page_claimant_if* const who = first.who;
        claimants_.erase(claimants_.begin() + static_cast<std::ptrdiff_t>(i));
        who->pages_at_rest();
    }
}

void page_migrator::freed(std::uint32_t process, std::uint64_t address, std::uint64_t bytes,
                          std::vector<std::uint64_t>& frames) {
    for (const unsigned n : active_)
        if (slots_[n].range.meets(process, address, address + bytes - 1)) slots_[n].freed = true;
    for (page_id page = page_of(process, address); page.address < address + bytes;
         page.address += memory_.page_size()) {
        rules_.forget(page);
        for (const duplicates::copy& c : duplicates_.take(page)) frames.push_back(c.frame);
    }
    begin_waiting();
}

}  // namespace contraflow::host::migration
