// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/rdma_process.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "nic/little_endian.h"

namespace contraflow::host {
namespace {

constexpr std::uint64_t table_bytes = 0x10000;  // more than any table has

}  // namespace

std::uint64_t rdma_process::ring_bytes(std::uint32_t entries) {
    return std::uint64_t{entries} *
           (nic::descriptor::size + nic::transmit_completion::size + nic::completion_record::size);
}

rdma_process::rdma_process(const spec& s, const resources& r)
    : spec_(s),
      r_(r),
      completions_at_(std::uint64_t{s.entries} * nic::descriptor::size),
      received_at_(completions_at_ + std::uint64_t{s.entries} * nic::transmit_completion::size),
      entries_(r.nic.tables().list().size() / nic::buffer_words) {
    if (r.rings_at + ring_bytes(s.entries) > r.memory.size())
        throw std::invalid_argument("rdma_process: the rings lie beyond the host's memory");
    r.nic.set_software(*this);
    open_rings();
}

void rdma_process::open_rings() {
    const std::uint64_t rings = r_.bus_base + r_.rings_at;
    using enum nic::nic_register;
    write_register(ring_low, static_cast<std::uint32_t>(rings));
    write_register(ring_high, static_cast<std::uint32_t>(rings >> 32));
    write_register(completions_low, static_cast<std::uint32_t>(rings + completions_at_));
    write_register(completions_high, static_cast<std::uint32_t>((rings + completions_at_) >> 32));
    write_register(ring_entries, spec_.entries);
    r_.nic.receive().set_ring(0, {rings + received_at_, spec_.entries});
}

void rdma_process::reset() {
    for (auto& p : programs_) p.drop();
    ended_.splice(ended_.end(), programs_);
    for (waiting* const list : {&room_or_sent_, &arrivals_, &invalidations_}) list->clear();
    invalidating_ = false;
    for (handle h = 0; h < entries_.size(); ++h) {
        entry& e = entries_[h];
        if (!e.used) continue;
        r_.nic.receive().set_buffer(h, {});
        if (nic::of_gpu(e.what.space)) r_.core.remove(spec_.process, e.what.space, e.what.base);
        e = {};
    }
    free_.clear();
    for (register_write& w : writes_) free_.push_back(&w);
    posted_ = completed_ = received_ = 0;
    posted_for_.clear();
    open_.clear();
    // Old completions would count from 1 as well.
    std::fill_n(ring(0), ring_bytes(spec_.entries), std::uint8_t{0});
    open_rings();
}

void rdma_process::write_register(nic::nic_register r, std::uint32_t value) {
    if (free_.empty()) free_.push_back(&writes_.emplace_back());
    register_write& w = *free_.back();
    free_.pop_back();
    nic::store(w.bytes.data(), value, sizeof w.bytes);
    w.kind = pcie::operation_kind::write;
    w.address = r_.nic.register_address(r);
    w.length = w.bytes.size();
    w.buffer = w.bytes.data();
    w.owner = this;
    r_.host.start(w);
}

// ---- programs

void rdma_process::start(gpu::host_task program) {
    gpu::coroutine_stack& s = programs_.emplace_back();
    std::move(program).start_on(s);
    s.resume();
}

bool rdma_process::finished() const {
    return std::ranges::all_of(programs_, [](const auto& s) { return s.finished(); });
}

void rdma_process::rethrow() const {
    for (const auto& s : programs_)
        if (s.error()) std::rethrow_exception(s.error());
}

// In order of arrival, each by its own callback.
void rdma_process::wake(waiting& list) {
    for (gpu::coroutine_stack* const s : list) r_.events.after({}, go_on, s);
    list.clear();
}

// ---- memory

std::uint64_t rdma_process::table_below(std::uint64_t at) {
    auto& tables = r_.nic.tables();
    if ((tables.entry(at) & nic::table_valid) == 0) {
        tables.set_entry(at, next_table_ | nic::table_valid);
        next_table_ += table_bytes;
    }
    return nic::next_table(tables.entry(at));
}

std::uint64_t rdma_process::build_tables(const region& r) {
    const std::uint64_t root = next_table_;
    next_table_ += table_bytes;
    const std::uint64_t first = r.base >> nic::page_bits(r.space);
    for (std::uint64_t i = 0; i < r.pages.size(); ++i) {
        std::uint64_t table = root;
        for (unsigned level = 0; level + 1 < nic::table_levels; ++level)
            table = table_below(nic::entry_address(r.space, table, first + i, level));
        r_.nic.tables().set_entry(nic::entry_address(r.space, table, first + i, nic::table_levels - 1),
                                  r.pages[i] | std::uint64_t{r.token} << 1 | nic::table_valid);
    }
    return root;
}

rdma_process::handle rdma_process::register_memory(const region& r) {
    if (r.base % (1ull << nic::page_bits(r.space)) != 0 || r.pages.empty())
        throw std::invalid_argument("rdma_process: memory is registered in whole pages, one at least");
    const auto free = std::ranges::find_if(entries_, [](const entry& e) { return !e.used; });
    if (free == entries_.end()) throw std::invalid_argument("rdma_process: BUF_LIST is full");
    const auto h = static_cast<handle>(free - entries_.begin());
    *free = {r, build_tables(r), true};
    const std::uint64_t length = r.pages.size() << nic::page_bits(r.space);
    r_.nic.receive().set_buffer(h, {true, spec_.process, r.base, length, r.space, true, free->root, 0});
    if (nic::of_gpu(r.space))
        r_.core.add({spec_.process, r.space, r.base, r.apertures.empty() ? r.pages : r.apertures});
    return h;
}

gpu::task<> rdma_process::deregister(handle h) {
    while (invalidating_) co_await until{invalidations_};
    entry& e = entries_.at(h);
    if (!e.used) throw std::invalid_argument(fmt::format("rdma_process: {} is not registered", h));
    invalidating_ = true;
    r_.nic.receive().set_buffer(h, {});
    if (nic::of_gpu(e.what.space)) r_.core.remove(spec_.process, e.what.space, e.what.base);
    // The tables are cleared first, so that new reads find nothing.
    const std::uint64_t first = e.what.base >> nic::page_bits(e.what.space);
    for (std::uint64_t i = 0; i < e.what.pages.size(); ++i)
        r_.nic.tables().set_entry(nic::entry_address(e.what.space, e.root, first + i, 0), 0);
    r_.nic.receive().invalidate(e.root);
    co_await until{invalidations_};
    e.used = false;
    invalidating_ = false;
    wake(invalidations_);
}

// ---- put

std::vector<nic::descriptor> rdma_process::cut(const put_request& r) const {
    if (r.tag >= tags) throw std::invalid_argument(fmt::format("tag {} of a put: at most {}", r.tag, tags - 1));
    nic::descriptor d;
    d.space = r.space;
    d.process = spec_.process;
    d.length = r.length;
    d.source = r.from;
    d.address = r.to;
    d.tag = r.tag;
    d.notify = r.notify;
    d.target = r.target;
    if (nic::of_gpu(r.space)) return {d};  // the NIC translates and cuts
    const std::uint64_t page = 1ull << nic::page_bits(r.space);
    for (const entry& e : entries_) {
        const std::uint64_t size = e.what.pages.size() * page, at = r.from - e.what.base;
        if (!e.used || e.what.space != r.space || r.from < e.what.base || at >= size || r.length > size - at) continue;
        std::vector<nic::descriptor> all;
        for (std::uint32_t done = 0; done < r.length; done += d.length) {
            const std::uint64_t offset = at + done;
            d.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(r.length - done, page - offset % page));
            d.source = e.what.pages[offset / page] + offset % page;
            d.address = r.to + done;
            d.notify = r.notify && done + d.length == r.length;
            all.push_back(d);
        }
        if (!all.empty()) return all;
    }
    throw std::invalid_argument(
        fmt::format("rdma_process: no registered memory of the host holds {} bytes at {:#x}", r.length, r.from));
}

gpu::task<rdma_process::message> rdma_process::put(put_request r) {
    const std::vector<nic::descriptor> all = cut(r);
    co_await pause{r_.events, spec_.put};
    const message m = next_message_++;
    open_[m].left = static_cast<std::uint32_t>(all.size());
    for (const nic::descriptor& d : all) {
        while (posted_ - completed_ == spec_.entries) {
            write_register(nic::nic_register::doorbell, posted_);
            co_await until{room_or_sent_};
        }
        d.encode(std::span<std::uint8_t, nic::descriptor::size>(
            ring(std::uint64_t{posted_++ % spec_.entries} * nic::descriptor::size), nic::descriptor::size));
        posted_for_.push_back(m);
    }
    write_register(nic::nic_register::doorbell, posted_);
    co_return m;
}

void rdma_process::take_completions() {
    while (completed_ != posted_) {
        const auto c = nic::transmit_completion::decode(std::span<const std::uint8_t, nic::transmit_completion::size>(
            ring(completions_at_ + std::uint64_t{completed_ % spec_.entries} * nic::transmit_completion::size),
            nic::transmit_completion::size));
        if (c.sequence != completed_ + 1) return;
        ++completed_;
        open_message& m = open_[posted_for_.front()];
        posted_for_.pop_front();
        --m.left;
        if (m.status == nic::transmit_status::done) m.status = c.status;
    }
}

gpu::task<nic::transmit_status> rdma_process::sent(message m) {
    while (open_.at(m).left != 0) co_await until{room_or_sent_};
    const nic::transmit_status status = open_.at(m).status;
    open_.erase(m);
    co_return status;
}

// ---- what arrives

std::optional<nic::completion_record> rdma_process::poll() {
    const auto record = nic::completion_record::decode(std::span<const std::uint8_t, nic::completion_record::size>(
        ring(received_at_ + std::uint64_t{received_ % spec_.entries} * nic::completion_record::size),
        nic::completion_record::size));
    if (record.sequence != received_ + 1) return std::nullopt;
    r_.nic.receive().set_consumed(0, ++received_);
    return record;
}

gpu::task<> rdma_process::work(core::sim_time time) { co_await pause{r_.events, time}; }

gpu::task<nic::completion_record> rdma_process::receive() {
    for (;;) {
        if (const auto record = poll()) {
            co_await pause{r_.events, spec_.completion};
            co_return *record;
        }
        co_await until{arrivals_};
    }
}

void rdma_process::interrupt(std::uint32_t vector) {
    if (vector == 0) {
        take_completions();
        wake(room_or_sent_);
    } else {
        wake(arrivals_);
    }
}

}  // namespace contraflow::host
