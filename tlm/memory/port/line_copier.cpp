// SPDX-License-Identifier: Apache-2.0
#include "memory/port/line_copier.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace contraflow::memory {

line_copier::line_copier(const resources& shared, std::string path, const limits& l)
    : shared_(shared),
      path_(std::move(path)),
      limits_(l),
      lines_(l.outstanding),
      to_write_(l.outstanding),
      pump_at_(shared.events, *this) {
    for (std::uint32_t n = l.outstanding; n > 0; --n) free_.push_back(n - 1);
}

line_copier::~line_copier() {
    for (line& l : lines_)
        if (l.sent != nullptr) l.sent->release();
}

void line_copier::pump() {
    if (!may_send()) return;
    const core::sim_time now = shared_.events.now();
    auto next = core::sim_time::never();
    for (std::size_t n = 0, first = turn_; n < ways_.size(); ++n) {
        turn_ = (first + n) % ways_.size();
        way& w = ways_[turn_];
        if (!w.port->ready()) continue;
        if (w.free <= now) {
            if (!send_next()) return;
            w.free = now + limits_.cycle;
        }
        next = std::min(next, w.free);
    }
    turn_ = (turn_ + 1) % ways_.size();
    if (next != core::sim_time::never()) send_from(next);
}

core::sim_time line_copier::next_send() const {
    auto next = core::sim_time::never();
    for (const way& w : ways_) next = std::min(next, w.free);
    return next;
}

// Writes of lines that were read have priority, because each occupies an entry.
bool line_copier::send_next() {
    if (to_write_.empty()) return start_next();
    const std::uint32_t number = to_write_.pop();
    lines_[number].now = stage::writing;
    send(number, limits_.writes);
    return true;
}

void line_copier::start(const line& l, cache_policy policy) {
    const std::uint32_t number = free_.back();
    free_.pop_back();
    lines_[number] = l;
    send(number, policy);
}

void line_copier::send(std::uint32_t number, cache_policy policy) {
    lines_[number].way = turn_;
    memory_extension& e = lines_[number].sent->extension();
    e.origin = {limits_.socket, limits_.unit, number};
    e.scope = scope::system;
    e.policy = policy;
    e.push_route(number);
    e.times.begin(shared_.events.now());
    ++sent_total_;
    ways_[turn_].port->send(e);
}

bool line_copier::response_arrived(unsigned, memory_extension& request) {
    const std::uint32_t number = request.pop_route();
    line& l = lines_[number];
    ++answered_total_;
    const bool good = l.sent->get_response_status() == tlm::TLM_OK_RESPONSE || failed(l);
    const auto to = good && l.now == stage::reading ? write_to(l) : std::nullopt;
    if (to) {
        payload& w = shared_.payloads.take();  // the answered one may still be in use elsewhere
        w.write(*to, l.length);
        std::memcpy(w.bytes(), l.sent->bytes(), l.length);
        shared_.payloads.release(*l.sent);
        l.sent = &w;
        l.now = stage::read;
        to_write_.try_push(number);
    } else {
        end(number);
    }
    answered();
    return true;
}

void line_copier::end(std::uint32_t number) {
    const line l = std::exchange(lines_[number], {});
    shared_.payloads.release(*l.sent);
    free_.push_back(number);
    ended(l);
}

void line_copier::reset() {
    free_.clear();
    for (auto n = static_cast<std::uint32_t>(lines_.size()); n > 0; --n) {
        if (lines_[n - 1].sent != nullptr) lines_[n - 1].sent->release();
        lines_[n - 1] = {};
        free_.push_back(n - 1);
    }
    to_write_.clear();
    for (way& w : ways_) w.free = {};
    turn_ = 0;
    pump_at_.cancel();
    sent_total_ = answered_total_;
}

void line_copier::report_waits(std::vector<core::wait_edge>& edges) const {
    if (ways_.empty()) return;
    for (const way& w : ways_)
        if (!w.port->ready())
            edges.push_back({path_, "acceptance of a request", w.port->peer_name(), w.port->sending_since()});
    // One wait for each instance at the other ends: several ports may lead to it.
    struct wait {
        std::string holder;
        std::size_t lines = 0;
        core::sim_time oldest = core::sim_time::never();
    };
    std::vector<wait> waits;
    std::vector<std::size_t> wait_of(ways_.size());
    for (std::size_t w = 0; w < ways_.size(); ++w) {
        const std::string holder = ways_[w].port->peer_name();
        const auto known = std::ranges::find(waits, holder, &wait::holder);
        wait_of[w] = static_cast<std::size_t>(known - waits.begin());
        if (known == waits.end()) waits.push_back({holder});
    }
    for (const line& l : lines_) {
        if (l.sent == nullptr || l.now == stage::read) continue;
        wait& w = waits[wait_of[l.way]];
        ++w.lines;
        w.oldest = std::min(w.oldest, l.sent->extension().times.begun());
    }
    for (const wait& w : waits)
        if (w.lines != 0) edges.push_back({path_, fmt::format("responses to {} lines", w.lines), w.holder, w.oldest});
}

void line_copier::check(observe::conservation& checks) const {
    checks.check(path_ + ": requests sent and answered", "requests", sent_total_, answered_total_);
}

}  // namespace contraflow::memory
