// SPDX-License-Identifier: Apache-2.0
// Answers requests for pages, orders moves, and carries out their steps one after another.
#include "host/migration/page_migrator.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/driver/copy_command.h"

namespace contraflow::host::migration {

// A message takes the latency one way over PCIe through one or two switches, like a command of the driver. A table
// update is one read and one write of the host's memory. A page stays for the time of about a hundred accesses of its
// new owner. All three are assumed.
void page_migrator::spec::describe(config::fields<spec>& f) {
    f("when", &spec::when).text("which pages move, and when");
    f("granularity", &spec::granularity)
        .text("page: only what touches the page is stopped; whole: its owner's units stop and its caches are flushed");
    f("concurrent", &spec::concurrent).in(1, 64).unit("pages").text("pages that move at a time");
    f("queue", &spec::queue)
        .in(0, 4096)
        .unit("pages")
        .text("pages that wait for their turn; a page that finds no room stays");
    f("message", &spec::message).text("time of a message from the driver to a GPU or the IOMMU, and of one back");
    f("table_update", &spec::table_update).text("time to update an entry of the page table");
    f("stay", &spec::stay)
        .text(
            "how long a page stays at least where it has come, so that the GPU that waited for it can use it; the next "
            "GPU waits that long");
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
      slot_in_use_(s.concurrent),
      wake_(shared.events, *this),
      calls_(shared.events, *this),
      statistics_(shared.statistics, "migration") {
    for (auto n = static_cast<unsigned>(slots_.size()); n > 0; --n) free_.push_back(n - 1);
    iommu_.set_sink(this);
    for (unsigned g = 1; g <= gpus_.gpus(); ++g)
        if (gpu::access_counters* const c = gpus_.counters(g)) c->set_sink(this);
    core::request_client_if<gpu::page_pull>& self = *this;
    for (unsigned g = 1; g <= gpus_.gpus(); ++g)
        pulls_.emplace_back(events_, self, "migration", gpus_.migration(g)->pulls());
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
        // A GPU that wants a copy of a page that is being copied asks again when that copy is done.
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
        if (m->record.kind == move_kind::duplicate && !m->begun()) {  // the write came first: no copy is made
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
    notified_.push_back({gpu, physical_page});
    calls_.after<&page_migrator::counted>(spec_.message);
}

// By the time the message arrives, another page may be in the frame.
void page_migrator::counted() {
    const auto [gpu, physical_page] = notified_.front();
    notified_.pop_front();
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
    if (free_.empty()) {  // a collapse must have a slot: without one, the write would fault
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

void page_migrator::begin_waiting() {
    for (std::size_t i = 0; beginning_ && i < active_.size() && begun_ < spec_.concurrent;) {
        page_move& m = slots_[active_[i]];
        if (m.now != step::queue || !begins(m)) {
            ++i;
            continue;
        }
        i = 0;  // the list may have changed
    }
}

// Returns false if the move stays in the queue.
bool page_migrator::begins(page_move& m) {
    const core::sim_time now = events_.now();
    std::erase_if(resting_, [&](const resting_page& r) { return r.until <= now; });
    for (const resting_page& r : resting_)
        if (r.page == m.page()) {
            wake_.arm_by(r.until);
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
    const auto slot = std::find(slot_in_use_.begin(), slot_in_use_.end(), false);
    *slot = true;
    m.record.slot = static_cast<unsigned>(slot - slot_in_use_.begin());
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

// A page for which a copy of the host waits gets no new move, so that the copy does not wait for ever.
bool page_migrator::wanted_by_claimant(const page_id& page, bool by_writers_only) const {
    return std::any_of(claimants_.begin(), claimants_.end(), [&](const claimant& c) {
        return std::any_of(c.ranges.begin(), c.ranges.end(),
                           [&](const claimed_range& r) { return r.meets(page, memory_.page_size(), by_writers_only); });
    });
}

// The requests that wait for the page are answered with its present place.
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
        slot_in_use_[m.record.slot] = false;
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

bool page_migrator::claim(std::uint32_t process, std::span<const page_claim> what, copy_command& who) {
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

// Returns true if pages of the range have copies.
bool page_migrator::collapse(const claimed_range& range) {
    bool any = false;
    for (const page_id& page : duplicates_.pages()) {
        if (page.process != range.process || page.address + memory_.page_size() <= range.first ||
            page.address > range.last)
            continue;
        any = true;
        const unsigned owner = owner_of(memory_.physical(range.process, page.address));
        // Pages for which no slot is free are ordered at the next call.
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
        if (at != claims_.end()) claims_.erase(at);  // none after a reset, or if nothing was claimed
    }
    begin_waiting();
}

// A page on its way to a new frame would overwrite the host's write there, so the write is repeated at the end.
void page_migrator::written_in_place(std::uint32_t process, std::uint64_t address, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const page_id page = page_of(process, address);
        const std::uint64_t offset = address - page.address;
        const auto here = bytes.first(std::min<std::size_t>(bytes.size(), memory_.page_size() - offset));
        for (unsigned g = 1; g <= gpus_.gpus(); ++g)
            if (const auto* const copy = duplicates_.of(page, g))
                gpus_.hardware().debug_write(copy->frame + offset, here);
        // Before that step the write goes to the old frame only, and the pull copies it.
        if (page_move* const m = find(page); m != nullptr && m->begun() && m->now > step::shootdown)
            m->written.push_back({offset, {here.begin(), here.end()}});
        address += here.size();
        bytes = bytes.subspan(here.size());
    }
}

void page_migrator::withdraw(copy_command& who) {
    std::erase_if(claimants_, [&](const claimant& c) { return c.who == &who; });
}

// Tells the claimants whose pages have no more moves.
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
        copy_command* const who = first.who;
        claimants_.erase(claimants_.begin() + static_cast<std::ptrdiff_t>(i));
        who->pages_idle();
    }
}

void page_migrator::freed(std::uint32_t process, std::uint64_t address, std::uint64_t bytes,
                          std::vector<std::uint64_t>& frames) {
    for (const unsigned n : active_)
        if (slots_[n].range.meets(process, address, address + bytes - 1)) slots_[n].freed = true;
    for (page_id page = page_of(process, address); page.address < address + bytes;
         page.address += memory_.page_size()) {
        rules_.erase(page);
        for (const duplicates::copy& c : duplicates_.take(page)) frames.push_back(c.frame);
    }
    begin_waiting();
}

// ---- The steps of a move, one after the other

void page_migrator::next(page_move& m) {
    const auto done = static_cast<std::size_t>(m.now);
    m.record.at[done + 1] = events_.now();
    m.now = static_cast<step>(done + 1);
    ++steps_done_;
    const bool copied = only_copied(m);
    switch (m.now) {
    case step::notify: return;
    case step::queue: return begin_waiting();
    case step::close: return after<&page_migrator::close>(spec_.table_update, m);
    case step::drain: return whole(m) ? after<&page_migrator::drain>(spec_.message, m) : next(m);
    case step::shootdown: return copied ? next(m) : after<&page_migrator::shoot_down>(spec_.message, m);
    case step::flush:
        if (copied) return next(m);
        m.missing = 0;
        for (unsigned g = 1; g <= gpus_.gpus(); ++g) {
            m.missing |= std::uint64_t{1} << g;
            after<&page_migrator::flush>(spec_.message, m, g);
        }
        return;
    case step::table:
        return m.record.kind == move_kind::duplicate ? next(m)
                                                     : after<&page_migrator::write_table>(spec_.table_update, m);
    case step::pull:
        return m.record.kind == move_kind::collapse ? next(m) : after<&page_migrator::pull>(spec_.message, m);
    case step::restart: return whole(m) ? after<&page_migrator::restart>(spec_.message, m) : next(m);
    case step::reply: return after<&page_migrator::open>(spec_.table_update, m);
    }
}

void page_migrator::close(page_move& m, unsigned) {
    const bool duplicate = m.record.kind == move_kind::duplicate;
    if (!m.freed && !only_copied(m))
        table_.protect(m.page().process, m.page().address,
                       duplicate ? memory::access_rights::read : memory::access_rights::none);
    m.closed = true;
    next(m);
}

void page_migrator::drain(page_move& m, unsigned) {
    gpus_.processor(m.record.from).drain(message<&page_migrator::step_done>(m));
}

void page_migrator::shoot_down(page_move& m, unsigned) {
    everywhere_.shoot_down({m.page().process, m.page().address, memory_.page_size()},
                           message<&page_migrator::step_done>(m));
}

// Lines of a frame are in the second level of its home GPU only; copies may be in the other caches of any GPU.
void page_migrator::flush(page_move& m, unsigned gpu) {
    gpu::command_processor& processor = gpus_.processor(gpu);
    const core::callback done = message<&page_migrator::flushed>(m, gpu);
    const memory::line_filter page = memory::line_filter::range(m.old_frame, memory_.page_size());
    // A copy was never written. It is invalidated at once, because another page may soon get its frame.
    if (const auto* const copy = duplicates_.of(m.page(), gpu); copy != nullptr)
        processor.invalidate_copies(memory::line_filter::range(copy->frame, memory_.page_size()));
    if (whole(m) && gpu == m.record.from) return processor.flush({}, done);
    const bool pulled_through_l2 =
        m.record.kind != move_kind::collapse && gpus_.migration(m.record.to)->configuration().through_l2;
    if (gpu == owner_of(m.old_frame) && !pulled_through_l2) return processor.flush(page, done);
    processor.invalidate_copies(page);
    done();
}

void page_migrator::flushed(page_move& m, unsigned gpu) {
    m.missing &= ~(std::uint64_t{1} << gpu);
    if (m.missing == 0) next(m);
}

void page_migrator::write_table(page_move& m, unsigned) {
    for (unsigned g = 1; g <= gpus_.gpus(); ++g)
        if (gpu::access_counters* const c = gpus_.counters(g)) c->clear(m.old_frame);
    if (m.record.kind == move_kind::collapse)
        collapse(m);
    else if (!m.freed)
        table_.remap(m.page().process, m.page().address, m.new_frame);
    next(m);
}

// The copy of the writing GPU stays. If it has none, the page stays in the frame that the table names.
void page_migrator::collapse(page_move& m) {
    if (m.freed) return;  // all its copies are freed too
    if (duplicates_.of(m.page(), m.record.to) == nullptr) m.record.to = m.record.from;
    for (const duplicates::copy& c : duplicates_.take(m.page())) {
        if (c.gpu != m.record.to) {
            give_back(c.frame);
            continue;
        }
        table_.remap(m.page().process, m.page().address, c.frame);
        give_back(memory_.settle(m.page().process, m.page().address, c.frame));
    }
}

void page_migrator::pull(page_move& m, unsigned) {
    m.pull.from = m.old_frame;
    m.pull.to = m.new_frame;
    m.pull.bytes = memory_.page_size();
    m.pull.tag = m.number;
    m.pull.since = events_.now();
    pulls_[m.record.to - 1].send(m.pull);
}

void page_migrator::answered(gpu::page_pull& done) {
    after<&page_migrator::pull_answered>(spec_.message, slots_[done.tag]);
}

void page_migrator::pull_answered(page_move& m, unsigned) {
    const page_id page = m.page();
    m.reserved = false;
    m.record.failed = m.pull.failed;
    if (!m.pull.failed) m.record.bytes = m.pull.bytes;
    if (m.freed) {
        give_back(m.new_frame);
    } else if (m.record.kind == move_kind::duplicate) {
        if (m.pull.failed)
            give_back(m.new_frame);
        else
            duplicates_.add(page, {m.record.to, m.new_frame});
    } else if (m.pull.failed) {
        table_.remap(page.process, page.address, m.old_frame);
        give_back(m.new_frame);
    } else {
        leave_frame(memory_.settle(page.process, page.address, m.new_frame), m.record.to);
    }
    if (!m.freed) catch_up(m);
    next(m);
}

void page_migrator::restart(page_move& m, unsigned) {
    gpus_.processor(m.record.from).restart();
    after<&page_migrator::step_done>(spec_.message, m);
}

// Repeats the host's writes; no GPU has had permission to write since.
void page_migrator::catch_up(page_move& m) {
    for (const page_move::host_write& w : std::exchange(m.written, {})) {
        const page_id page = m.page();
        gpus_.hardware().debug_write(memory_.physical(page.process, page.address) + w.offset, w.bytes);
        for (unsigned g = 1; g <= gpus_.gpus(); ++g)
            if (const auto* const copy = duplicates_.of(page, g))
                gpus_.hardware().debug_write(copy->frame + w.offset, w.bytes);
    }
}

// Walks that are under way have read the old entry, so they begin again.
void page_migrator::open(page_move& m, unsigned) {
    if (!m.freed) catch_up(m);
    if (!m.freed && !duplicates_.has(m.page()))
        table_.protect(m.page().process, m.page().address, memory_.rights_of(m.page().process, m.page().address));
    m.closed = false;
    iommu_.invalidate(m.range, message<&page_migrator::reply>(m));
}

void page_migrator::reply(page_move& m, unsigned) {
    m.record.at.back() = events_.now();
    ++steps_done_;
    end(m);
}

// A second level that has served the pull still holds the lines. It is flushed first; otherwise it would write them
// back after the frame is zeroed.
void page_migrator::leave_frame(std::uint64_t frame, unsigned pulled_by) {
    if (!gpus_.migration(pulled_by)->configuration().through_l2) return give_back(frame);
    leaving_.push_back(frame);
    gpus_.processor(owner_of(frame))
        .flush(memory::line_filter::range(frame, memory_.page_size()),
               core::callback::to<&page_migrator::frame_left>(*this, frame));
}

void page_migrator::frame_left(std::uint64_t frame) {
    if (std::erase(leaving_, frame) != 0) give_back(frame);
}

// No process may see another one's old data.
void page_migrator::give_back(std::uint64_t frame) {
    const std::vector<std::byte> zeros(memory_.page_size());
    gpus_.hardware().debug_write(frame, zeros);
    memory_.give_back(std::span(&frame, 1));
}

// ---- Questions and control

bool page_migrator::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause: beginning_ = false; return true;
    case core::control_verb::drain: ordering_ = false; return true;
    case core::control_verb::enable:
        beginning_ = ordering_ = true;
        begin_waiting();
        return true;
    case core::control_verb::reset: reset(); return true;
    default: return false;
    }
}

void page_migrator::reset() {
    for (const unsigned n : active_) {
        const page_move& m = slots_[n];
        const bool moved_in_table = m.record.kind == move_kind::relocate && m.reserved && m.now > step::table;
        if (m.reserved) give_back(m.new_frame);
        if (!m.freed && moved_in_table) table_.remap(m.page().process, m.page().address, m.old_frame);
        if (!m.freed && m.closed)
            table_.protect(m.page().process, m.page().address, memory_.rights_of(m.page().process, m.page().address));
        free_.push_back(n);
    }
    for (const page_id& page : duplicates_.pages()) {
        for (const duplicates::copy& c : duplicates_.take(page)) give_back(c.frame);
        table_.protect(page.process, page.address, memory_.rights_of(page.process, page.address));
    }
    for (const std::uint64_t frame : leaving_) give_back(frame);
    leaving_.clear();
    active_.clear();
    slot_in_use_.assign(slot_in_use_.size(), false);
    begun_ = 0;
    resting_.clear();
    claims_.clear();
    claimants_.clear();
    rules_.reset();
    for (gpu::page_pull_client& p : pulls_) p.reset();
    wake_.cancel();
    ordering_ = beginning_ = true;
    calls_.cancel();
    notified_.clear();
    statistics_.waiting.set(events_.now(), 0);
    statistics_.under_way.set(events_.now(), 0);
    orders_ = ends_;
}

std::optional<step> page_migrator::step_of(const page_id& page) const {
    for (const unsigned n : active_)
        if (slots_[n].page() == page) return slots_[n].now;
    return std::nullopt;
}

void page_migrator::report_waits(std::vector<core::wait_edge>& edges) const {
    static constexpr const char* self = "migration";
    if (active_.empty()) return;
    const page_move& oldest = slots_[active_.front()];
    edges.push_back({"driver", "a page that moves", self, oldest.record.at[0]});
    if (!beginning_) edges.push_back({self, "to be enabled", self, oldest.record.at[0]});
    for (const unsigned n : active_) {
        const page_move& m = slots_[n];
        if (!m.begun()) continue;
        const auto wait = [&](unsigned gpu, const char* what, const std::string& holder) {
            edges.push_back({self,
                             fmt::format("{} of GPU {} for page {:#x} of process {}", what, gpu, m.page().address,
                                         m.page().process),
                             holder, m.since()});
        };
        switch (m.now) {
        case step::drain: wait(m.record.from, "the drain", gpus_.processor(m.record.from).path()); break;
        case step::shootdown:
            edges.push_back(
                {self,
                 fmt::format("all GPUs to invalidate page {:#x} of process {}", m.page().address, m.page().process),
                 "shootdown", m.since()});
            break;
        case step::flush:
            for (unsigned g = 1; g <= gpus_.gpus(); ++g)
                if ((m.missing >> g & 1) != 0) wait(g, "the flush", gpus_.processor(g).path());
            break;
        case step::pull: wait(m.record.to, "the pull", gpus_.migration(m.record.to)->path()); break;
        default: break;
        }
    }
}

void page_migrator::check(observe::conservation& checks) const {
    checks.check("migration: moves ordered and ended", "pages", orders_, ends_);
}

}  // namespace contraflow::host::migration
