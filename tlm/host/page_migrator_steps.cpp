// SPDX-License-Identifier: Apache-2.0
// The steps of a move, one after the other.
#include <utility>
#include <vector>

#include "host/page_migrator.h"

namespace contraflow::host::migration {

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

// Only the second level of the GPU in whose memory a frame is has lines of it; copies may be in anybody's other caches.
void page_migrator::flush(page_move& m, unsigned gpu) {
    gpu::command_processor& processor = gpus_.processor(gpu);
    const memory::completion done = message<&page_migrator::flushed>(m, gpu);
    const memory::line_filter page = memory::line_filter::range(m.old_frame, memory_.page_size());
    // A copy was never written; not behind another flush, because its frame may soon be somebody else's.
    if (const auto* const copy = duplicates_.of(m.page(), gpu); copy != nullptr)
        processor.forget_copies(memory::line_filter::range(copy->frame, memory_.page_size()));
    if (whole(m) && gpu == m.record.from) return processor.flush({}, done);
    const bool pulled_through_l2 =
        m.record.kind != move_kind::collapse && gpus_.migration(m.record.to)->configuration().through_l2;
    if (gpu == owner_of(m.old_frame) && !pulled_through_l2) return processor.flush(page, done);
    processor.forget_copies(page);
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

// The copy of who writes is left, if he has one, else the home.
void page_migrator::collapse(page_move& m) {
    if (m.freed) return;  // with all its copies
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
    m.pull.client = this;
    m.pull.tag = m.number;
    gpus_.migration(m.record.to)->submit(m.pull);
}

void page_migrator::pulled(gpu::page_pull& done) {
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

// Nobody has been let in to write since.
void page_migrator::catch_up(page_move& m) {
    for (const page_move::host_write& w : std::exchange(m.written, {})) {
        const page_id page = m.page();
        gpus_.hardware().debug_write(memory_.physical(page.process, page.address) + w.offset, w.bytes);
        for (unsigned g = 1; g <= gpus_.gpus(); ++g)
            if (const auto* const copy = duplicates_.of(page, g))
                gpus_.hardware().debug_write(copy->frame + w.offset, w.bytes);
    }
}

// Walks that are under way have seen the entry as it was: they begin again.
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

// A second level that has answered for its lines still has them, and what it writes back would come to memory after the
// emptying.
void page_migrator::leave_frame(std::uint64_t frame, unsigned pulled_by) {
    if (!gpus_.migration(pulled_by)->configuration().through_l2) return give_back(frame);
    leaving_.push_back(frame);
    gpus_.processor(owner_of(frame))
        .flush(memory::line_filter::range(frame, memory_.page_size()),
               {[](void* o, std::uint64_t left) { static_cast<page_migrator*>(o)->frame_left(left); }, this, frame});
}

void page_migrator::frame_left(std::uint64_t frame) {
    if (std::erase(leaving_, frame) != 0) give_back(frame);
}

// What a process leaves behind, no other one sees.
void page_migrator::give_back(std::uint64_t frame) {
    const std::vector<std::byte> zeros(memory_.page_size());
    gpus_.hardware().debug_write(frame, zeros);
    memory_.give_back(std::span(&frame, 1));
}

}  // namespace contraflow::host::migration
