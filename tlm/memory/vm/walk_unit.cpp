// SPDX-License-Identifier: Apache-2.0
#include "memory/vm/walk_unit.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/little_endian.h"

namespace contraflow::memory {

walk_unit::statistics_set::statistics_set(observe::statistics& group, const std::string& path,
                                          const std::uint64_t& refused)
    : walks(group, path + ".walks", "walks", "walks begun"),
      reads(group, path + ".reads", "entries", "entries of page tables read"),
      cache_hits(group, path + ".cache_hits", "walks", "walks that began below the first table"),
      repeated(group, path + ".repeated", "walks", "walks done again because translations were invalidated meanwhile"),
      failed(group, path + ".failed", "walks", "walks that found no page, or not for that access"),
      held_back(group, path + ".held_back", "requests", "requests held back because the queue was full", refused),
      waiting(group, path + ".waiting", "requests", "requests in the queue"),
      walking(group, path + ".walking", "walks", "walkers at work"),
      latency(group, path + ".walk_latency", "ps", "time of a walk, without the queue") {}

walk_unit::walk_unit(const std::string& path, const resources& shared, const walk_spec& s, const radix_table& table,
                     walk_owner_if& owner)
    : shared_(shared),
      spec_((s.check(), s)),
      path_(path),
      table_(table),
      owner_(owner),
      requests_(shared.events, path, *this),
      statistics_(shared.statistics, path, requests_.held_back()),
      walks_(s.walkers),
      arriving_(shared.events, *this),
      calls_(shared.events, *this) {
    request_owner_if& self = *this;
    if (s.kind == walk_kind::memory) port_ = std::make_unique<request_port>("walks", shared, self);
    for (unsigned level = 1; level < table_levels; ++level) caches_.emplace_back(level, s.cached);
    for (unsigned i = s.walkers; i > 0; --i) free_.push_back(i - 1);
}

walk_unit::~walk_unit() {
    for (walk& w : walks_)
        if (w.read != nullptr) w.read->release();
}

// ---- the queue

bool walk_unit::can_take(unsigned, translation_request* const&) {
    return intake_.taking && queue_.size() + arriving_.size() < spec_.queue;
}

void walk_unit::take(unsigned, translation_request* request) {
    ++taken_;
    request->pass(path_.c_str(), shared_.events.now());
    arriving_.push(*request, shared_.events.now() + spec_.distance);
}

void walk_unit::arrive(translation_request& request) {
    queue_.push(request);
    dispatch();
}

void walk_unit::again(translation_request& request) {
    ++taken_;
    arrive(request);
}

void walk_unit::dispatch() {
    while (intake_.serving && !queue_.empty() && !free_.empty() && owner_.may_begin(walks_.size() - free_.size())) {
        walk& w = walks_[free_.back()];
        free_.pop_back();
        w.request = &queue_.pop();
        w.since = shared_.events.now();
        w.request->spent_in(spec_.level, w.since);
        begin(w);
    }
    while (requests_.admit_next()) {}
    const core::sim_time now = shared_.events.now();
    statistics_.waiting.set(now, static_cast<double>(queue_.size()));
    statistics_.walking.set(now, static_cast<double>(walks_.size() - free_.size()));
}

// ---- a walk

template <void (walk_unit::*Do)(walk_unit::walk&)> void walk_unit::schedule(core::sim_time delay, walk& w) {
    calls_.after<&walk_unit::run<Do>>(delay, static_cast<std::uint32_t>(&w - walks_.data()));
}

void walk_unit::begin(walk& w) {
    ++statistics_.walks;
    w.stale = false;
    if (spec_.kind == walk_kind::fixed) return schedule<&walk_unit::end_fixed>(spec_.cycle * spec_.latency.count, w);
    const translation_request& r = *w.request;
    w.epoch = table_.epoch();
    w.tables_given_back = table_.given_back();
    if (tables_given_back_ != w.tables_given_back) {
        for (walk_cache& c : caches_) c.invalidate(translation_range::all());
        tables_given_back_ = w.tables_given_back;
    }
    const auto root = table_.root(r.process);
    if (!root || r.address >> virtual_address_bits != 0) return schedule<&walk_unit::end_fixed>(spec_.cycle, w);
    w.table = *root;
    w.level = table_levels;
    for (unsigned level = 1; level < table_levels; ++level)
        if (const auto known = caches_[level - 1].find(r.process, r.address)) {
            w.table = *known;
            w.level = level;
            ++statistics_.cache_hits;
            break;
        }
    read_entry(w);
}

// The whole table is read in one moment, at the end of the walk.
void walk_unit::end_fixed(walk& w) {
    const auto found = table_.find(w.request->process, w.request->address);
    if (!found) return finish(w, translation_status::unmapped, {0, 0, table_.epoch()});
    finish(w, found->permits(w.request->write) ? translation_status::translated : translation_status::protection,
           *found);
}

void walk_unit::read_entry(walk& w) {
    w.read = &shared_.payloads.take();
    w.read->read(entry_address(w.table, w.request->address, w.level), table_entry_bytes);
    memory_extension& e = w.read->extension();
    e.origin = w.request->origin;
    e.push_route(static_cast<std::uint32_t>(&w - walks_.data()));
    e.times.begin(shared_.events.now());
    reads_.push(w);
    send_reads();
}

void walk_unit::send_reads() {
    while (!reads_.empty() && port_->ready()) {
        ++statistics_.reads;
        port_->send(reads_.pop().read->extension());
    }
}

bool walk_unit::response_arrived(unsigned, memory_extension& response) {
    walk& w = walks_[response.pop_route()];
    std::uint64_t bits = 0;
    if (w.read->get_response_status() == tlm::TLM_OK_RESPONSE)  // a failed read counts as an entry that maps nothing
        bits = core::load_le<std::uint64_t>(w.read->bytes());
    w.got = {bits};
    w.read->release();
    w.read = nullptr;
    // Not from here: this may be within a backward call, in which nothing may be sent.
    schedule<&walk_unit::step>(spec_.cycle * spec_.step.count, w);
    return true;
}

void walk_unit::step(walk& w) {
    const translation_request& r = *w.request;
    if (w.stale || w.tables_given_back != table_.given_back()) {
        ++statistics_.repeated;
        return begin(w);
    }
    if (!w.got.in_use()) return finish(w, translation_status::unmapped, {0, 0, w.epoch});
    if (is_leaf(w.got, w.level)) {
        const page_translation page = w.got.translation(r.address, w.level, w.epoch);
        return finish(w, page.permits(r.write) ? translation_status::translated : translation_status::protection, page);
    }
    w.table = w.got.address();
    --w.level;
    caches_[w.level - 1].fill(r.process, r.address, w.table);
    read_entry(w);
}

void walk_unit::finish(walk& w, translation_status status, const page_translation& page) {
    const core::sim_time now = shared_.events.now();
    translation_request& r = *w.request;
    r.status = status;
    r.page = page;
    r.spent_in(stage::page_walk, now);
    statistics_.latency.add((now - w.since).ps);
    if (status != translation_status::translated) ++statistics_.failed;
    w.request = nullptr;
    free_.push_back(static_cast<unsigned>(&w - walks_.data()));
    ++walked_;
    owner_.walked(r);
    dispatch();
}

// ---- control and questions

void walk_unit::invalidate(const translation_range& which, core::callback done) {
    for (walk_cache& c : caches_) c.invalidate(which);
    repeat(which);
    acknowledgements_.push_back(done);
    calls_.after<&walk_unit::acknowledge>(spec_.cycle * spec_.invalidate_latency.count);
}

void walk_unit::acknowledge() {
    const core::callback first = acknowledgements_.front();
    acknowledgements_.erase(acknowledgements_.begin());
    first();
}

void walk_unit::repeat(const translation_range& which) {
    for (walk& w : walks_) w.stale |= w.request != nullptr && which.has(w.request->process, w.request->address);
}

bool walk_unit::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::reset: reset(); return true;
    case core::control_verb::invalidate: invalidate(translation_range::all(), {}); return true;
    default: break;
    }
    if (!intake_.control(verb)) return false;
    stopped_since_ = shared_.events.now();
    if (intake_.serving) dispatch();
    return true;
}

void walk_unit::reset() {
    free_.clear();
    for (unsigned i = spec_.walkers; i > 0; --i) {
        walk& w = walks_[i - 1];
        if (w.read != nullptr) w.read->release();
        w = {};
        free_.push_back(i - 1);
    }
    if (port_) port_->reset();
    for (walk_cache& c : caches_) c.invalidate(translation_range::all());
    arriving_.reset();
    queue_.clear();
    requests_.reset();
    reads_.clear();
    intake_ = {};
    acknowledgements_.clear();
    taken_ = walked_ = 0;
    calls_.cancel();
    statistics_.waiting.set(shared_.events.now(), 0);
    statistics_.walking.set(shared_.events.now(), 0);
}

void walk_unit::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!intake_.taking || !intake_.serving) edges.push_back({path_, "to be enabled", path_, stopped_since_});
    if (port_ && !port_->ready())
        edges.push_back({path_, "acceptance of a request", port_->peer_name(), port_->sending_since()});
    const walk* oldest = nullptr;
    for (const walk& w : walks_)
        if (w.read != nullptr && (oldest == nullptr || w.since < oldest->since)) oldest = &w;
    if (oldest != nullptr)
        edges.push_back({path_, fmt::format("an entry of the table for {:#x}", oldest->request->address),
                         port_->peer_name(), oldest->since});
}

void walk_unit::check(observe::conservation& checks) const {
    checks.check(path_ + ": requests taken and walked for", "requests", taken_, walked_);
}

}  // namespace contraflow::memory
