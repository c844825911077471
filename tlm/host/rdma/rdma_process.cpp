// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/rdma_process.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "nic/receive/nic_rx_registers.h"

namespace contraflow::host {

std::uint64_t rdma_process::ring_bytes(std::uint32_t entries) {
    return std::uint64_t{entries} *
               (nic::descriptor::size + nic::transmit_completion::size + nic::completion_record::size) +
           report_bytes;
}

rdma_process::rdma_process(const spec& s, const resources& r)
    : spec_(s),
      r_(r),
      completions_at_(std::uint64_t{s.entries} * nic::descriptor::size),
      received_at_(completions_at_ + std::uint64_t{s.entries} * nic::transmit_completion::size),
      entries_(r.nic.tables().list().size() / nic::buffer_words),
      get_of_(all_tags - tags),
      late_(all_tags - tags),
      get_timer_(r.events, *this),
      resumes_(r.events) {
    if (r.rings_at + ring_bytes(s.entries) > r.memory.size())
        throw std::invalid_argument("rdma_process: the rings lie beyond the host's memory");
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
    const std::uint64_t received = rings + received_at_;
    const std::array data{static_cast<std::uint32_t>(received), static_cast<std::uint32_t>(received >> 32),
                          spec_.entries};
    send_command(nic::nic_rx_registers::command_opcode_set_ring, 0, data);
    if (r_.gpu_registers != 0)
        write_gpu(gpu::peer_register::copy_report,
                  r_.bus_base + static_cast<std::uint64_t>(copies_report() - r_.memory.data()));
}

void rdma_process::reset() {
    resumes_.cancel();
    programs_.clear();
    for (waiting* const list : {&room_or_sent_, &arrivals_, &invalidations_, &gets_ended_, &copied_, &unused_,
                                &counter_read_, &register_waits_})
        list->clear();
    invalidating_ = reading_counter_ = false;
    for (handle h = 0; h < entries_.size(); ++h) {
        entry& e = entries_[h];
        if (e.used) clear_tables(e);
        e = {};
    }
    writes_.reset();
    write_tables();
    posted_ = completed_ = seen_ = received_ = 0;
    copies_asked_ = copies_ended_ = 0;
    copies_open_.clear();
    driver_free_ = {};
    arrived_.clear();
    posted_for_.clear();
    open_.clear();
    rows_.clear();
    get_timer_.cancel();
    gets_.clear();
    get_of_.assign(get_of_.size(), std::nullopt);
    late_.assign(late_.size(), false);
    gets_open_ = 0;
    // Completions of before count from 1 as well.
    std::fill_n(ring(0), ring_bytes(spec_.entries), std::uint8_t{0});
    open_rings();
}

// One posted write; what it does happens in the order of its words.
void rdma_process::write_registers(nic::nic_register first, std::span<const std::uint32_t> values) {
    writes_.write(r_.nic.register_address(first), values);
}

// All words of data lie before the one that carries it out.
void rdma_process::send_command(std::uint32_t opcode, unsigned index, std::span<const std::uint32_t> data) {
    std::array<std::uint32_t, nic::nic_rx_registers::command_data_registers + 1> words{};
    std::ranges::copy(data, words.begin());
    words.back() =
        nic::nic_rx_registers::command_opcode.in_place(opcode) | nic::nic_rx_registers::command_index.in_place(index);
    write_registers(nic::nic_register::command_data, words);
}

void rdma_process::set_buffer(unsigned index, const nic::buffer_entry& b) {
    send_command(nic::nic_rx_registers::command_opcode_set_buffer, index, nic::encode(b));
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
    for (gpu::coroutine_stack* const s : list) resumes_.resume_after({}, *s);
    list.clear();
}

// ---- memory

std::uint64_t rdma_process::build_tables(const region& r) {
    const std::uint64_t root = tables_.new_root();
    tables_.add(r.space, root, r.base, r.pages, r.token);
    if (!r.apertures.empty()) tables_.add(r.space, root + nic::aperture_tables, r.base, r.apertures, r.token);
    return root;
}

void rdma_process::write_tables() { tables_.write(writes_, r_.nic.register_address(nic::nic_register::table_low)); }

rdma_process::handle rdma_process::register_memory(const region& r) {
    if (r.base % (1ull << nic::page_bits(r.space)) != 0 || r.pages.empty() ||
        r.length > r.pages.size() << nic::page_bits(r.space))
        throw std::invalid_argument("rdma_process: memory is registered in whole pages, one at least");
    const auto free = std::ranges::find_if(entries_, [](const entry& e) { return !e.used; });
    if (free == entries_.end()) throw std::invalid_argument("rdma_process: BUF_LIST is full");
    const auto h = static_cast<handle>(free - entries_.begin());
    *free = {r, build_tables(r), true, false, 0};
    const std::uint64_t length = r.bytes();
    write_tables();
    set_buffer(h, {true, spec_.process, r.base, length, r.space, r.writable, free->root, 0});
    return h;
}

gpu::task<> rdma_process::deregister(handle h) {
    while (invalidating_) co_await until{invalidations_};
    entry& e = entries_.at(h);
    if (!e.used || e.closing) throw std::invalid_argument(fmt::format("rdma_process: {} is not registered", h));
    e.closing = true;
    invalidating_ = true;
    // Packets that look the entry up from now on find no valid buffer.
    set_buffer(h, {});
    clear_tables(e);
    write_tables();
    const std::array root{static_cast<std::uint32_t>(e.root), static_cast<std::uint32_t>(e.root >> 32)};
    send_command(nic::nic_rx_registers::command_opcode_invalidate, 0, root);
    co_await until{invalidations_};
    invalidating_ = false;
    wake(invalidations_);
    while (e.uses != 0) co_await until{unused_};
    e.used = false;
}

void rdma_process::end_use(entry& e) {
    if (--e.uses == 0) wake(unused_);
}

gpu::task<std::uint32_t> rdma_process::read_counter(unsigned number) {
    while (reading_counter_) co_await until{counter_read_};
    reading_counter_ = true;
    std::uint32_t before = 0;
    bool asked = false;
    for (;;) {
        register_read& r = register_read_;
        r.kind = pcie::operation_kind::read;
        r.address = r_.nic.register_address(nic::nic_register::counters_read);
        r.length = r.bytes.size();
        r.buffer = r.bytes.data();
        r.owner = this;
        r_.host.start(r);
        co_await until{register_waits_};
        const auto count = core::load_le<std::uint32_t>(r.bytes.data());
        if (asked && count != before) break;
        if (!asked) send_command(nic::nic_rx_registers::command_opcode_read_counter, number, {});
        before = asked ? before : count;
        asked = true;
    }
    const auto value = core::load_le<std::uint32_t>(register_read_.bytes.data() + 4);
    reading_counter_ = false;
    wake(counter_read_);
    co_return value;
}

void rdma_process::clear_tables(const entry& e) {
    tables_.clear(e.what.space, e.root, e.what.base, e.what.pages.size());
    tables_.clear(e.what.space, e.root + nic::aperture_tables, e.what.base, e.what.apertures.size());
}

rdma_process::entry* rdma_process::holding(std::optional<nic::memory_space> space, std::uint64_t from,
                                           std::uint64_t length) {
    for (entry& e : entries_) {
        const std::uint64_t size = e.what.bytes(), at = from - e.what.base;
        if (e.used && !e.closing && (!space || e.what.space == *space) && from >= e.what.base && at < size &&
            length <= size - at)
            return &e;
    }
    return nullptr;
}

// ---- put

std::vector<nic::descriptor> rdma_process::cut(const put_request& r, const region* memory) const {
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
    if (memory == nullptr)
        throw std::invalid_argument(
            fmt::format("rdma_process: no registered memory of the host holds {} bytes at {:#x}", r.length, r.from));
    const std::uint64_t page = 1ull << nic::page_bits(r.space);
    std::vector<nic::descriptor> all;
    for (std::uint32_t done = 0; done < r.length; done += d.length) {
        const std::uint64_t offset = r.from - memory->base + done;
        d.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(r.length - done, page - offset % page));
        d.source = memory->pages[offset / page] + offset % page;
        d.address = r.to + done;
        d.notify = r.notify && done + d.length == r.length;
        all.push_back(d);
    }
    return all;
}

gpu::task<> rdma_process::post(message m, nic::descriptor d) {
    while (posted_ - completed_ == spec_.entries) {
        write_register(nic::nic_register::doorbell, posted_);
        co_await until{room_or_sent_};
    }
    d.encode(std::span<std::uint8_t, nic::descriptor::size>(
        ring(std::uint64_t{posted_++ % spec_.entries} * nic::descriptor::size), nic::descriptor::size));
    posted_for_.push_back(m);
}

gpu::task<rdma_process::message> rdma_process::put(put_request r) {
    if (r.tag >= tags) throw std::invalid_argument(fmt::format("tag {} of a put: at most {}", r.tag, tags - 1));
    // Translations of the host's memory are those of now, and it keeps them until all has left.
    entry* const source = nic::of_gpu(r.space) || r.length == 0 ? nullptr : holding(r.space, r.from, r.length);
    const std::vector<nic::descriptor> all = cut(r, source == nullptr ? nullptr : &source->what);
    if (source != nullptr) ++source->uses;
    const core::sim_time since = r_.events.now();
    const message m = next_message_++;
    open_[m].left = static_cast<std::uint32_t>(all.size());
    open_[m].source = source;
    begin_slice(open_[m], since, r.length);
    for (const nic::descriptor& d : all) co_await post(m, d);
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
        const auto of = open_.find(posted_for_.front());
        posted_for_.pop_front();
        if (of == open_.end()) continue;  // belongs to a get that has ended
        if (of->second.status == nic::transmit_status::done) of->second.status = c.status;
        if (--of->second.left != 0) continue;
        if (of->second.source != nullptr) end_use(*of->second.source);
        driver_free_ = std::max(driver_free_, r_.events.now()) + spec_.put;
        busy_ += spec_.put;
        of->second.told_at = driver_free_;
        if (!gets_.contains(of->first)) end_slice(of->second, "put");
    }
}

// In the first row that is free: puts and gets of a process overlap.
void rdma_process::begin_slice(open_message& m, core::sim_time since, std::uint32_t length) {
    if (trace_ == nullptr) return;
    const auto free = std::ranges::find(rows_, false);
    m.row = static_cast<unsigned>(free - rows_.begin());
    if (free == rows_.end()) rows_.push_back(false);
    rows_[*m.row] = true;
    m.since = since;
    m.length = length;
}

void rdma_process::end_slice(open_message& m, const char* what) {
    if (!m.row) return;
    const auto row = trace_->track(name_, fmt::format("messages {}", *m.row));
    trace_->slice(row, what, m.since, r_.events.now(), fmt::format(R"({{"bytes":{}}})", m.length));
    rows_[*m.row] = false;
    m.row.reset();
}

gpu::task<nic::transmit_status> rdma_process::sent(message m) {
    while (open_.at(m).left != 0) co_await until{room_or_sent_};
    const open_message of = open_.at(m);
    open_.erase(m);
    if (of.told_at > r_.events.now()) co_await resumes_.pause(of.told_at - r_.events.now());
    co_return of.status;
}

// ---- get

gpu::task<rdma_process::message> rdma_process::get(get_request r) {
    if (r.length == 0 || holding(std::nullopt, r.to, r.length) == nullptr)
        throw std::invalid_argument(
            fmt::format("rdma_process: no registered memory holds {} bytes at {:#x}", r.length, r.to));
    const core::sim_time since = r_.events.now();
    const auto free = [this] { return !std::ranges::all_of(get_of_, [](const auto& m) { return m.has_value(); }); };
    while (gets_open_ == spec_.gets || !free()) co_await until{gets_ended_};
    while (get_of_[next_get_tag_]) next_get_tag_ = static_cast<std::uint16_t>((next_get_tag_ + 1u) % get_of_.size());
    const message m = next_message_++;
    get_of_[next_get_tag_] = m;
    late_[next_get_tag_] = false;
    ++gets_open_;
    const auto tag = static_cast<std::uint16_t>(tags + next_get_tag_);
    gets_[m] = {tag, r_.events.now() + spec_.get_timeout, {}};
    get_timer_.arm_by(gets_[m].deadline);
    nic::descriptor d;
    d.kind = nic::packet_kind::get_request;
    d.process = spec_.process;
    d.length = nic::get_request_payload;
    d.address = r.from;
    d.tag = tag;
    d.target = r.source;
    nic::get_payload{r.to, r.length}.encode(d.payload);
    open_[m].left = 1;
    begin_slice(open_[m], since, r.length);
    co_await post(m, d);
    write_register(nic::nic_register::doorbell, posted_);
    co_return m;
}

gpu::task<get_status> rdma_process::got(message m) {
    while (!gets_.at(m).end) co_await until{gets_ended_};
    const get_status how = *gets_.at(m).end;
    gets_.erase(m);
    end_slice(open_.at(m), how == get_status::done ? "get" : "get without an answer");
    open_.erase(m);
    if (how != get_status::done) co_return how;
    busy_ += spec_.completion;
    co_await resumes_.pause(spec_.completion);
    co_return how;
}

// Its answer is in memory.
void rdma_process::end_get(std::uint16_t tag) {
    auto& of = get_of_.at(tag - tags);
    if (!of) return;
    if (late_[tag - tags]) {  // nobody waits for it any more, and the tag is free again
        of.reset();
        return wake(gets_ended_);
    }
    gets_.at(*of).end = get_status::done;
    of.reset();
    --gets_open_;
    wake(gets_ended_);
}

// A tag whose answer may still come is not used again until it has.
void rdma_process::give_up_gets() {
    core::sim_time next = core::sim_time::never();
    for (auto& [m, g] : gets_) {
        if (g.end) continue;
        if (g.deadline > r_.events.now()) {
            next = std::min(next, g.deadline);
            continue;
        }
        const auto sent = open_.find(m);
        const bool failed = sent != open_.end() && sent->second.status != nic::transmit_status::done;
        g.end = failed ? get_status::not_sent : get_status::no_answer;
        if (failed)
            get_of_[g.tag - tags].reset();
        else
            late_[g.tag - tags] = true;
        --gets_open_;
    }
    if (next != core::sim_time::never()) get_timer_.arm(next);
    wake(gets_ended_);
}

// ---- copies

gpu::task<> rdma_process::copy(copy_request r) {
    entry* const source = holding(std::nullopt, r.from, r.length);
    entry* const target = holding(std::nullopt, r.to, r.length);
    const region* const from = source == nullptr ? nullptr : &source->what;
    const region* const to = target == nullptr ? nullptr : &target->what;
    if (r_.gpu_registers == 0 || r.length == 0 || from == nullptr || to == nullptr ||
        nic::of_gpu(from->space) == nic::of_gpu(to->space))
        throw std::invalid_argument(
            fmt::format("rdma_process: {} bytes at {:#x} and {:#x} are not registered memory of the host and of a GPU",
                        r.length, r.from, r.to));
    const bool to_host = nic::of_gpu(from->space);
    struct run {
        std::uint64_t host = 0, gpu = 0;
        std::uint32_t length = 0;
    };
    std::vector<run> runs;
    for (std::uint32_t done = 0; done < r.length;) {
        const auto place = [done](const region& in, std::uint64_t at, std::uint64_t& left) {
            const std::uint64_t page = 1ull << nic::page_bits(in.space), offset = at + done - in.base;
            left = std::min(left, page - offset % page);
            return in.pages[offset / page] + offset % page;
        };
        std::uint64_t left = r.length - done;
        const std::uint64_t source = place(*from, r.from, left), target = place(*to, r.to, left);
        const auto length = static_cast<std::uint32_t>(left);
        const run next = to_host ? run{target, source, length} : run{source, target, length};
        done += length;
        if (!runs.empty() && runs.back().host + runs.back().length == next.host &&
            runs.back().gpu + runs.back().length == next.gpu)
            runs.back().length += length;
        else
            runs.push_back(next);
    }
    ++source->uses;
    ++target->uses;
    const core::sim_time since = r_.events.now();
    if (r.wait) co_await resumes_.pause(spec_.copy);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        while (copies_asked_ - copies_ended_ == r_.copy_queue) co_await until{copied_};
        last = ++copies_asked_;
        write_gpu(gpu::peer_register::copy_host, runs[i].host);
        write_gpu(gpu::peer_register::copy_gpu, runs[i].gpu);
        const bool tell = i + 1 == runs.size() || copies_asked_ - copies_ended_ == r_.copy_queue;
        write_gpu(gpu::peer_register::copy_start, gpu::peer_copy{runs[i].length, to_host, tell}.encode());
    }
    copies_open_.push_back({last, source, target});
    while (r.wait && copies_ended_ < last) co_await until{copied_};
    if (r.wait) busy_ += r_.events.now() - since;
}

gpu::task<> rdma_process::copied() {
    while (copies_ended_ < copies_asked_) co_await until{copied_};
}

// ---- what arrives

// Completions of gets end them at once; those of puts stay until the program receives them.
void rdma_process::take_arrivals() {
    for (;;) {
        const auto record = nic::completion_record::decode(std::span<const std::uint8_t, nic::completion_record::size>(
            ring(received_at_ + std::uint64_t{seen_ % spec_.entries} * nic::completion_record::size),
            nic::completion_record::size));
        if (record.sequence != seen_ + 1) break;
        ++seen_;
        const bool get = record.tag >= tags;
        arrived_.push_back(get ? std::nullopt : std::optional(record));
        if (get) end_get(record.tag);
    }
    release_arrivals();
}

// Entries of gets that no put holds back.
void rdma_process::release_arrivals() {
    const std::uint32_t before = received_;
    for (; !arrived_.empty() && !arrived_.front(); ++received_) arrived_.pop_front();
    if (received_ != before) write_register(nic::nic_register::consumed, received_);
}

std::optional<nic::completion_record> rdma_process::poll() {
    take_arrivals();
    if (arrived_.empty()) return std::nullopt;
    const nic::completion_record record = *arrived_.front();
    arrived_.front().reset();
    release_arrivals();
    return record;
}

gpu::task<> rdma_process::work(core::sim_time time) { co_await resumes_.pause(time); }

gpu::task<nic::completion_record> rdma_process::receive() {
    for (;;) {
        if (const auto record = poll()) {
            busy_ += spec_.completion;
            co_await resumes_.pause(spec_.completion);
            co_return *record;
        }
        co_await until{arrivals_};
    }
}

void rdma_process::interrupt(std::uint32_t vector) {
    if (vector == nic::rdma_nic::sent_vector) {
        take_completions();
        wake(room_or_sent_);
    } else if (vector == nic::rdma_nic::arrived_vector) {
        take_arrivals();
        wake(arrivals_);
    } else if (vector == copied_vector) {
        copies_ended_ = core::load_le<std::uint64_t>(copies_report());
        for (; !copies_open_.empty() && copies_open_.front().last <= copies_ended_; copies_open_.pop_front()) {
            end_use(*copies_open_.front().source);
            end_use(*copies_open_.front().target);
        }
        wake(copied_);
    } else {
        wake(invalidations_);
    }
}

}  // namespace contraflow::host
