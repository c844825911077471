// SPDX-License-Identifier: Apache-2.0
// What can be asked of a page migrator at any moment.
#include <fmt/format.h>

#include "host/page_migrator.h"

namespace contraflow::host::migration {

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
    lanes_.assign(lanes_.size(), false);
    begun_ = 0;
    resting_.clear();
    claims_.clear();
    claimants_.clear();
    rules_.reset();
    armed_for_ = core::sim_time::never();
    ordering_ = beginning_ = true;
    ++epoch_;
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
                {self, fmt::format("all GPUs to forget page {:#x} of process {}", m.page().address, m.page().process),
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
