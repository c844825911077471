// SPDX-License-Identifier: Apache-2.0
#include "nic/queue_pair/queue_pair_nic.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/little_endian.h"

namespace contraflow::nic {

// Doorbells have side effects, so no bridge may prefetch there: below 4 GiB.
pcie::function_spec queue_pair_nic::place(const queue_pair_spec& s) {
    pcie::function_spec f;
    f.bars = {{{std::bit_ceil(page * (1 + std::uint64_t{s.queues}))}, false, "registers"}};
    return f;
}

queue_pair_nic::queue_pair_nic(const sc_core::sc_module_name& name, const resources& r, const pcie::function::spec& f,
                               const pcie::address_map::function& place, const queue_pair_spec& s)
    : spec_(s),
      function_(name, r.bus, r.tlps, f, place, *this),
      msi_(function_),
      registers_(*this),
      tables_(0),
      window_(tables_),
      regions_(s.regions, tables_),
      read_pages_(r.bus.events, r.bus.statistics, regions_, {s.tlb, s.table_latency},
                  core::callback::to<&queue_pair_nic::may_read>(*this), std::string(function_.name()) + ".read_tlb"),
      write_pages_(r.bus.events, r.bus.statistics, regions_, {s.tlb, s.table_latency},
                   core::callback::to<&queue_pair_nic::may_write>(*this), std::string(function_.name()) + ".write_tlb"),
      port_(r.bus.events, r.bus.statistics, r.network, r.packets,
            {r.node, s.request_buffer, s.response_buffer, s.receive, s.loss}, *this,
            std::string(function_.name()) + ".port"),
      sends_({r.bus.events, r.bus.statistics, function_, port_, regions_, read_pages_, write_pages_,
              core::callback::to<&queue_pair_nic::failed>(*this)},
             s, std::string(function_.name()) + ".send"),
      answers_({r.bus.events, r.bus.statistics, function_, port_, regions_, read_pages_, write_pages_}, s,
               std::string(function_.name()) + ".answer") {
    port_.connect(answers_, sends_);
    sends_.set_observer(this);
    function_.map_bar(registers_bar, registers_);
}

std::optional<std::uint32_t> queue_pair_nic::read_register(std::uint64_t offset) {
    if (offset < page || offset >= page * (1 + std::uint64_t{spec_.queues})) return std::nullopt;
    const auto queue = static_cast<std::uint32_t>(offset / page - 1);
    const send_engine::status s = sends_.status_of(queue);
    switch (static_cast<queue_register>(offset % page)) {
    case queue_register::state: {
        const bool busy = !sends_.idle(queue) || !answers_.idle(queue);
        return static_cast<std::uint32_t>(s.state) | static_cast<std::uint32_t>(s.fault) << 8 |
               static_cast<std::uint32_t>(s.entry) << 16 | (busy ? 1u << 24 : 0);
    }
    case queue_register::failed_at: return s.number;
    case queue_register::retired: return s.retired;
    case queue_register::completions: return s.completions;
    default: return std::nullopt;
    }
}

bool queue_pair_nic::write_register(std::uint64_t offset, std::uint32_t value) {
    if (offset >= page) {
        const auto queue = static_cast<std::uint32_t>(offset / page - 1);
        if (queue >= spec_.queues) return false;
        if (const std::uint64_t at = offset % page - static_cast<std::uint64_t>(queue_register::entry);
            at < work_entry_bytes)
            return push(queue, at, value);
        switch (offset % page) {
        case static_cast<std::uint64_t>(queue_register::doorbell): return sends_.doorbell(queue, value);
        case static_cast<std::uint64_t>(queue_register::consumed): return sends_.consumed(queue, value);
        case static_cast<std::uint64_t>(queue_register::doorbell) + 4:  // the upper half of a store of 8 bytes
        case static_cast<std::uint64_t>(queue_register::consumed) + 4: return true;
        default: return false;
        }
    }
    if (offset == static_cast<std::uint64_t>(driver_register::command)) return carry_out(value);
    if (offset < 4 * std::uint64_t{command_words}) {
        command_[offset / 4] = value;
        return true;
    }
    if (offset < static_cast<std::uint64_t>(driver_register::tables)) return false;
    return window_.write(offset - static_cast<std::uint64_t>(driver_register::tables), value);
}

// The words of a write come one after the other, so a first word begins an entry.
bool queue_pair_nic::push(std::uint32_t queue, std::uint64_t offset, std::uint32_t value) {
    if (offset == 0) {
        pushed_.queue = queue;
        pushed_.filled = 0;
    }
    if (!spec_.pushed_entries || pushed_.queue != queue || pushed_.filled != offset) return false;
    core::store_le<std::uint32_t>(pushed_.bytes.data() + offset, value);
    pushed_.filled += 4;
    return pushed_.filled < work_entry_bytes || sends_.push(queue, pushed_.bytes);
}

bool queue_pair_nic::carry_out(std::uint32_t word) {
    const std::uint32_t index = word >> 8;
    switch (static_cast<command>(word & 0xff)) {
    case command::set_region: {
        const registered_region* const old = regions_.at(index);
        if (old == nullptr) return false;
        for (translator* const t : {&read_pages_, &write_pages_}) t->forget(old->root);
        registered_region::record r;
        std::copy_n(command_.begin(), r.size(), r.begin());
        return regions_.set(index, registered_region::decode(r));
    }
    case command::open_queue: {
        queue_setup::record r;
        std::copy_n(command_.begin(), r.size(), r.begin());
        const queue_setup s = queue_setup::decode(r);
        if (index >= spec_.queues || !answers_.idle(index) || !sends_.open(index, s)) return false;
        answers_.open(index, s);
        return true;
    }
    case command::close_queue:
        if (index >= spec_.queues || !answers_.idle(index) || !sends_.close(index)) return false;
        answers_.close(index);
        return true;
    }
    return false;
}

void queue_pair_nic::message_ended(const message_end& m) {
    if (observer_ != nullptr) observer_->message_ended(m);
    if (trace_ == nullptr || m.at.processed.ps == 0) return;
    const auto track =
        trace_->track(track_, fmt::format("queue pair {}, place {}", m.queue, (m.number - 1) % spec_.window));
    const std::string args =
        fmt::format(R"({{"entry":{},"bytes":{},"status":"{}"}})", m.number, m.length, to_text(m.status));
    core::sim_time begin = m.at.rung;
    const auto part = [&](const char* name, core::sim_time end) {
        if (end < begin) return;  // it has failed before
        trace_->slice(track, name, begin, end, args);
        begin = end;
    };
    part("wait", m.at.fetching);
    part("fetch", m.at.fetched);
    part("turn", m.at.begun);
    part("processing", m.at.processed);
    part("data and departure", m.at.sent);
    part("answer", m.at.answered);
    part("completion", m.at.completed);
}

bool queue_pair_nic::control(core::control_verb verb) {
    using enum core::control_verb;
    if (verb == drain || verb == enable) sends_.drain(verb == drain);
    const bool done = function_.control(verb);
    if (verb != reset) return done;
    msi_.reset();
    sends_.reset();
    answers_.reset();
    port_.reset();
    read_pages_.reset();
    write_pages_.reset();
    regions_.reset();
    window_.reset();
    command_ = {};
    pushed_ = {};
    return done;
}

void queue_pair_nic::check(observe::conservation& checks) const {
    sends_.check(checks);
    answers_.check(checks);
    port_.check(checks);
}

void queue_pair_nic::report_waits(std::vector<core::wait_edge>& edges) const {
    function_.report_waits(edges);
    sends_.report_waits(edges);
    answers_.report_waits(edges);
    port_.report_waits(edges);
    read_pages_.report_waits(edges);
    write_pages_.report_waits(edges);
}

}  // namespace contraflow::nic
