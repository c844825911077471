// SPDX-License-Identifier: Apache-2.0
#include "gpu/ppb/path_block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/little_endian.h"

namespace contraflow::gpu {

using pcie::access_result;
using pcie::credit_class;

namespace {

std::size_t index(credit_class c) { return static_cast<std::size_t>(c); }

// The bytes of a line that are enabled in a packet: `count` bytes from `from` of its data on, at `offset` in the line.
memory::byte_mask enabled_bytes(const pcie::tlp& packet, std::uint32_t from, unsigned offset, unsigned count) {
    memory::byte_mask m = memory::byte_mask::range(offset, count);
    const auto take_out = [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t byte = std::max(begin, from); byte < std::min(end, from + count); ++byte)
            if (!pcie::enabled(packet, byte)) m = m & ~memory::byte_mask::range(offset + byte - from, 1);
    };
    // Only in the first and the last double word may bytes be off.
    if (packet.first_enables != 0xf) take_out(0, pcie::dword);
    if (packet.last_enables != 0xf) take_out(packet.length - std::min(packet.length, pcie::dword), packet.length);
    return m;
}

// The first byte of a mask that is not empty, and the byte after its last.
std::pair<unsigned, unsigned> span_of(const memory::byte_mask& m) {
    const unsigned first =
        static_cast<unsigned>(m.bits[0] != 0 ? std::countr_zero(m.bits[0]) : 64 + std::countr_zero(m.bits[1]));
    const unsigned end =
        static_cast<unsigned>(m.bits[1] != 0 ? 128 - std::countl_zero(m.bits[1]) : 64 - std::countl_zero(m.bits[0]));
    return {first, end};
}

}  // namespace

path_block::statistics_set::statistics_set(observe::statistics& group, const std::string& path)
    : writes(group, path + ".writes", "TLPs", "writes over PCIe that the combiner took"),
      written_bytes(group, path + ".written_bytes", "bytes", "their bytes"),
      joined(group, path + ".joined", "lines", "writes to a line that joined the line's entry"),
      overwritten_bytes(group, path + ".overwritten_bytes", "bytes",
                        "bytes that a later write replaced before they left the combiner"),
      drained_bytes(group, path + ".drained_bytes", "bytes", "bytes that the combiner wrote to memory"),
      timeouts(group, path + ".timeouts", "lines", "entries that left because their time was over"),
      evictions(group, path + ".evictions", "lines", "entries that left to make room"),
      flushed(group, path + ".flushed", "lines", "entries that left because of a flush or an atomic operation"),
      reads(group, path + ".reads", "requests", "reads over PCIe"),
      read_bytes(group, path + ".read_bytes", "bytes", "their bytes"),
      atomics(group, path + ".atomics", "requests", "atomic operations over PCIe"),
      flushes(group, path + ".flushes", "flushes", "flushes that have ended"),
      refused(group, path + ".refused", "writes", "writes to the control page with another value, or another size"),
      failed(group, path + ".failed", "lines", "lines that memory answered with an error"),
      held_writes(group, path + ".held_writes", "ps", "time in which a write over PCIe waited for an entry"),
      held_reads(group, path + ".held_reads", "ps", "time in which a read over PCIe waited for room"),
      entries(group, path + ".entries", "lines", "entries of the write combiner in use"),
      writing(group, path + ".writing", "lines", "lines being written to memory"),
      reading(group, path + ".reading", "requests", "reads and atomic operations that are not answered"),
      read_latency(group, path + ".read_latency", "ns", "time from a read's arrival until it could be answered"),
      stay(group, path + ".stay", "ns", "time of an entry in the combiner, from its first write on"),
      flush_time(group, path + ".flush_time", "ns", "time of a flush") {}

path_block::path_block(const sc_core::sc_module_name& name, const memory::resources& shared, const ppb_spec& s)
    : sc_core::sc_module(name),
      events_(shared.events),
      payloads_(shared.payloads),
      spec_((s.check(), s)),
      statistics_(shared.statistics, sc_object::name()),
      combiner_(s),
      cache_("read_cache", shared, s.cache()),
      to_cache_("to_cache", shared, static_cast<memory::request_owner_if&>(*this), inner),
      fills_("fills", shared, static_cast<memory::response_owner_if&>(*this)),
      reads_(s.reads),
      asking_(s.reads),
      lines_(s.fills + s.cache().queue + 1),
      atomics_(s.reads),
      writes_(s.writes),
      run_(shared.events, *this) {
    to_cache_.bind(cache_.up);
    cache_.down.bind(fills_);
    for (std::uint32_t n = s.reads; n-- > 0;) free_reads_.push_back(n);
    for (auto n = static_cast<std::uint32_t>(lines_.size()); n-- > 0;) free_lines_.push_back(n);
    for (std::uint32_t n = s.writes; n-- > 0;) free_writes_.push_back(n);
}

path_block::~path_block() {
    for (line_read& l : lines_)
        if (l.sent != nullptr) l.sent->release();
    for (line_write& w : writes_)
        if (w.sent != nullptr) w.sent->release();
}

std::vector<pcie::bar_spec> path_block::bars(const ppb_spec& s) {
    return {{{std::bit_ceil(s.memory.count)}, true, "memory"}, {{ppb_control_page}, false, "path block"}};
}

void path_block::connect(pcie::function& function) {
    function_ = &function;
    function.map_bar(memory_bar, *this);
    function.map_bar(control_bar, control_);
}

// ---- writes over PCIe

access_result path_block::hold(credit_class c) {
    if (!std::exchange(held_[index(c)], true)) held_since_[index(c)] = events_.now();
    return access_result::busy;
}

// Offers again what was refused, as soon as there may be room.
void path_block::tell_held() {
    const auto tell = [&](credit_class c, observe::counter& time) {
        if (!std::exchange(held_[index(c)], false)) return;
        time += (events_.now() - held_since_[index(c)]).ps;
        function_->resume(c);
    };
    if (intake_.taking && !(needs_room_ && combiner_.full())) {
        needs_room_ = false;
        tell(credit_class::posted, statistics_.held_writes);
    }
    if (intake_.taking && !free_reads_.empty()) tell(credit_class::non_posted, statistics_.held_reads);
}

access_result path_block::write(std::uint64_t offset, const pcie::tlp& packet) {
    const pcie::byte_span span = pcie::span_of(packet);
    if (span.length == 0) return access_result::done;
    if (offset + span.length > spec_.memory.count) return access_result::aborted;
    if (!intake_.taking) return hold(credit_class::posted);
    const std::uint64_t first = offset - (span.address - packet.address);  // of the packet's data
    while (taken_ < packet.length) {
        const std::uint64_t at = first + taken_;
        const std::uint64_t line = line_of(at);
        const auto in_line = static_cast<unsigned>(at - line);
        const unsigned part =
            std::min<unsigned>(static_cast<unsigned>(spec_.line.count) - in_line, packet.length - taken_);
        const memory::byte_mask bytes = enabled_bytes(packet, taken_, in_line, part);
        if (bytes.any()) {
            std::array<std::uint8_t, memory::payload::max_bytes> data{};
            std::memcpy(data.data() + in_line, packet.data + taken_, part);
            if (!accept(line, bytes, data.data())) return hold(credit_class::posted);
        }
        taken_ += part;
    }
    taken_ = 0;
    ++statistics_.writes;
    return access_result::done;
}

bool path_block::accept(std::uint64_t line, const memory::byte_mask& bytes, const std::uint8_t* data) {
    if (combiner_.full() && combiner_.find(line) == write_combiner::none) {
        needs_room_ = true;
        send_to_memory();
        if (combiner_.full()) return false;
        needs_room_ = false;
    }
    const core::sim_time now = events_.now();
    const write_combiner::change c = combiner_.take(line, bytes, data, now);
    const unsigned size = bytes.count();
    bytes_in_ += size;
    bytes_joined_ += c.overwritten;
    statistics_.written_bytes += size;
    statistics_.overwritten_bytes += c.overwritten;
    if (c.joined) {
        ++statistics_.joined;
        return true;
    }
    combiner_.set_waits(c.place, under_way(line));
    statistics_.entries.set(now, static_cast<double>(combiner_.used()));
    run_.arm_by(std::max(now, combiner_.at(c.place).deadline));
    return true;
}

// ---- reads and atomic operations over PCIe

access_result path_block::request(pcie::inbound_request& r, const pcie::tlp& packet) {
    if (r.offset + r.length > spec_.memory.count) return access_result::aborted;
    if (packet.kind == pcie::tlp_kind::deferrable_write) return access_result::unsupported;
    if (packet.kind == pcie::tlp_kind::atomic &&
        (packet.form == pcie::atomic_form::vendor_defined || (r.length != 4 && r.length != 8)))
        return access_result::unsupported;
    if (r.length == 0) return access_result::done;
    if (!intake_.taking || free_reads_.empty()) return hold(credit_class::non_posted);
    ++requests_taken_;
    const access_result result = packet.kind == pcie::tlp_kind::atomic ? begin_atomic(r, packet) : begin_read(r);
    statistics_.reading.set(events_.now(), static_cast<double>(reads_.size() - free_reads_.size()));
    arm();
    return result;
}

access_result path_block::begin_read(pcie::inbound_request& r) {
    r.number = free_reads_.back();
    free_reads_.pop_back();
    read& n = reads_[r.number];
    n.of = &r;
    n.offset = r.offset;
    n.length = r.length;
    n.asked = n.missing = 0;
    n.failed = false;
    n.since = events_.now();
    n.bytes.resize(r.length);
    asking_.try_push(r.number);
    ++statistics_.reads;
    statistics_.read_bytes += r.length;
    return access_result::later;
}

// It has a record as well, because it is answered later.
access_result path_block::begin_atomic(pcie::inbound_request& r, const pcie::tlp& packet) {
    r.number = free_reads_.back();
    free_reads_.pop_back();
    reads_[r.number].since = events_.now();
    atomic a;
    a.of = &r;
    a.length = r.length;
    a.since = events_.now();
    a.what.type = r.length == 4 ? memory::operand_type::u32 : memory::operand_type::u64;
    const std::uint8_t* operand = packet.data;
    switch (packet.form) {
    case pcie::atomic_form::swap: a.what.op = memory::atomic_op::exchange; break;
    case pcie::atomic_form::compare_and_swap:
        a.what.op = memory::atomic_op::compare_exchange;
        std::memcpy(&a.what.compare, operand, r.length);
        operand += r.length;
        break;
    default: a.what.op = memory::atomic_op::add;
    }
    std::memcpy(a.operand.data(), operand, r.length);
    atomics_.try_push(a);
    ++statistics_.atomics;
    return access_result::later;
}

void path_block::fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) {
    const std::uint8_t* const bytes = r.kind == pcie::tlp_kind::atomic ? r.old.data() : reads_[r.number].bytes.data();
    std::memcpy(to, bytes + from, length);
}

void path_block::answered(pcie::inbound_request& r) {
    free_reads_.push_back(r.number);
    ++requests_answered_;
    statistics_.reading.set(events_.now(), static_cast<double>(reads_.size() - free_reads_.size()));
    if (held_[index(credit_class::non_posted)]) arm();
}

// Asks the read cache for lines, one a cycle. A line that is being written waits: the cache must not bring it from
// before the write and keep it.
void path_block::ask_for_lines() {
    const core::sim_time now = events_.now();
    while (intake_.serving && !asking_.empty() && to_cache_.ready() && !free_lines_.empty()) {
        if (now < next_line_) return run_.arm_by(next_line_);
        const std::uint32_t number = asking_.front();
        read& n = reads_[number];
        const std::uint64_t at = n.offset + n.asked;
        if (under_way(line_of(at))) return;
        const auto part =
            static_cast<unsigned>(std::min<std::uint64_t>(spec_.line.count - (at - line_of(at)), n.length - n.asked));
        const std::uint32_t l = free_lines_.back();
        free_lines_.pop_back();
        memory::payload& p = payloads_.take();
        lines_[l] = {&p, number};
        p.read(spec_.memory_base + at, part);
        memory::memory_extension& e = p.extension();
        e.origin = {static_cast<std::uint16_t>(spec_.socket), unit_number, number};
        e.scope = memory::scope::system;
        e.push_route(l);
        e.times.begin(now);
        n.asked += part;
        n.missing += part;
        if (n.asked == n.length) asking_.pop();
        next_line_ = now + spec_.cycle;
        to_cache_.send(e);
    }
}

void path_block::line_arrived(std::uint32_t number) {
    const line_read l = std::exchange(lines_[number], {});
    free_lines_.push_back(number);
    read& n = reads_[l.read];
    const unsigned length = l.sent->get_data_length();
    if (l.sent->is_response_ok()) {
        std::memcpy(n.bytes.data() + (l.sent->get_address() - spec_.memory_base - n.offset), l.sent->bytes(), length);
    } else {
        n.failed = true;
        ++statistics_.failed;
    }
    l.sent->release();
    ++lines_read_;
    n.missing -= length;
    if (n.missing == 0 && n.asked == n.length) end_read(l.read);
    if (!asking_.empty()) arm();
}

void path_block::end_read(std::uint32_t number) {
    read& n = reads_[number];
    statistics_.read_latency.add((events_.now() - n.since).ps / 1000);
    if (n.failed) n.of->status = pcie::completion_status::completer_abort;
    function_->answer(*n.of);
}

// ---- to memory

void path_block::run() {
    ask_for_lines();  // first, or writes to a line could keep a read from it for ever
    send_to_memory();
    end_flushes();
    tell_held();
}

void path_block::send_to_memory() {
    const core::sim_time now = events_.now();
    while (intake_.serving && port_->ready()) {
        if (now < next_send_) {
            run_.arm_by(next_send_);
            break;
        }
        if (!send_next()) break;
        next_send_ = now + spec_.cycle;
    }
    if (const core::sim_time next = combiner_.next_deadline(now); next != core::sim_time::never()) run_.arm_by(next);
}

// Fills and writes alternate.
bool path_block::send_next() {
    const bool room = !free_writes_.empty();
    const std::size_t place = room ? choose_drain() : write_combiner::none;
    const bool atomic = room && place == write_combiner::none && atomic_may_go();
    const bool write = place != write_combiner::none || atomic;
    if (fills_.held() != nullptr && (fill_turn_ || !write)) {
        fill_turn_ = false;
        send_fill(fills_.take_request());
        return true;
    }
    if (!write) return false;
    fill_turn_ = true;
    if (atomic)
        send_atomic();
    else
        drain(place);
    return true;
}

void path_block::send_fill(memory::memory_extension& fill) {
    fill.policy = memory::cache_policy::uncached;
    fill.push_route(fill_mark);
    ++sent_;
    port_->send(fill);
}

// A flush empties the combiner in order of arrival. The oldest atomic operation goes behind writes to its line.
std::size_t path_block::choose_drain() {
    if (combiner_.empty()) return write_combiner::none;
    if (!flushes_.empty()) {
        const std::size_t oldest = combiner_.oldest();
        if (combiner_.at(oldest).order <= flushes_.back().last_order) {
            if (combiner_.at(oldest).waits) return write_combiner::none;
            ++statistics_.flushed;
            return oldest;
        }
    }
    if (!atomics_.empty()) {
        const std::size_t place = combiner_.find(line_of(atomics_.front().of->offset));
        if (place != write_combiner::none && !combiner_.at(place).waits) {
            ++statistics_.flushed;
            return place;
        }
    }
    const bool evicts = needs_room_ && combiner_.full();
    const std::size_t place = evicts ? combiner_.victim() : combiner_.due(events_.now());
    if (place != write_combiner::none) ++(evicts ? statistics_.evictions : statistics_.timeouts);
    return place;
}

// Writes no more than from the first byte to the last one.
void path_block::drain(std::size_t place) {
    const write_combiner::entry& e = combiner_.at(place);
    const auto [first, end] = span_of(e.bytes);
    memory::payload& p = payloads_.take();
    p.write(spec_.memory_base + e.line + first, end - first);
    std::memcpy(p.bytes(), e.data.data() + first, end - first);
    if (e.bytes != memory::byte_mask::range(first, end - first)) {
        for (unsigned i = first; i < end; ++i)
            p.enables()[i - first] = e.bytes.has(i) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        p.use_enables();
    }
    const core::sim_time now = events_.now();
    const unsigned size = e.bytes.count();
    bytes_out_ += size;
    statistics_.drained_bytes += size;
    statistics_.stay.add((now - e.since).ps / 1000);
    const line_write w{&p, e.line, e.order, nullptr};
    combiner_.remove(place);
    statistics_.entries.set(now, static_cast<double>(combiner_.used()));
    send_write(p, w);
}

bool path_block::atomic_may_go() const {
    if (atomics_.empty()) return false;
    const std::uint64_t line = line_of(atomics_.front().of->offset);
    return combiner_.find(line) == write_combiner::none && !under_way(line);
}

void path_block::send_atomic() {
    const atomic a = atomics_.pop();
    memory::payload& p = payloads_.take();
    p.modify(spec_.memory_base + a.of->offset, a.length, a.what);
    std::memcpy(p.bytes(), a.operand.data(), a.length);
    send_write(p, {&p, line_of(a.of->offset), 0, a.of});
}

void path_block::send_write(memory::payload& p, const line_write& w) {
    const std::uint32_t number = free_writes_.back();
    free_writes_.pop_back();
    writes_[number] = w;
    memory::memory_extension& e = p.extension();
    e.origin = {static_cast<std::uint16_t>(spec_.socket), unit_number, number};
    e.scope = memory::scope::system;
    e.policy = memory::cache_policy::uncached;
    e.push_route(number);
    e.times.begin(events_.now());
    ++sent_;
    statistics_.writing.set(events_.now(), static_cast<double>(writes_.size() - free_writes_.size()));
    port_->send(e);
}

bool path_block::under_way(std::uint64_t line) const {
    return free_writes_.size() != writes_.size() &&
           std::any_of(writes_.begin(), writes_.end(),
                       [line](const line_write& w) { return w.sent != nullptr && w.line == line; });
}

// The line leaves the read cache: also a copy that is on its way there, which may be older than the write.
void path_block::write_arrived(std::uint32_t number) {
    const line_write w = std::exchange(writes_[number], {});
    free_writes_.push_back(number);
    statistics_.writing.set(events_.now(), static_cast<double>(writes_.size() - free_writes_.size()));
    ++drained_;
    const bool good = w.sent->is_response_ok();
    if (!good) ++statistics_.failed;
    cache_.invalidate(memory::line_filter::range(spec_.memory_base + w.line, spec_.line.count));
    if (const std::size_t place = combiner_.find(w.line); place != write_combiner::none)
        combiner_.set_waits(place, false);
    if (w.answers != nullptr) {
        std::memcpy(w.answers->old.data(), w.sent->bytes(), w.sent->get_data_length());
        if (!good) w.answers->status = pcie::completion_status::completer_abort;
        statistics_.read_latency.add((events_.now() - reads_[w.answers->number].since).ps / 1000);
        function_->answer(*w.answers);
    }
    w.sent->release();
    arm();
}

bool path_block::response_arrived(unsigned port, memory::memory_extension& request) {
    const std::uint32_t mark = request.pop_route();
    if (port == inner) {
        line_arrived(mark);
        return true;
    }
    ++acknowledged_;
    if (mark == fill_mark)
        fills_.respond(request);
    else
        write_arrived(mark);
    return true;
}

bool path_block::request_arrived(unsigned, memory::memory_extension&) {
    arm();
    return false;  // run() takes it
}

void path_block::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    (*port_)->b_transport(trans, delay);
}

unsigned path_block::debug_access(unsigned, tlm::tlm_generic_payload& trans) { return (*port_)->transport_dbg(trans); }

// ---- flushes

void path_block::flush(core::callback done) {
    flushes_.push_back({combiner_.last_order(), done, events_.now()});
    ++flushes_begun_;
    run_.arm_by(events_.now() + spec_.cycle);
}

// The read cache is emptied when the last write has arrived, so at that moment no copy is older than memory.
void path_block::end_flushes() {
    while (!flushes_.empty()) {
        const flush_request f = flushes_.front();
        if (f.since == events_.now()) return run_.arm_by(f.since + spec_.cycle);  // it takes a cycle at least
        if (!combiner_.empty() && combiner_.at(combiner_.oldest()).order <= f.last_order) return;
        for (const line_write& w : writes_)
            if (w.sent != nullptr && w.order != 0 && w.order <= f.last_order) return;
        cache_.invalidate();
        flushes_.pop_front();
        ++flushes_ended_;
        ++statistics_.flushes;
        statistics_.flush_time.add((events_.now() - f.since).ps / 1000);
        f.done();
    }
}

bool path_block::write_control(std::uint64_t offset, std::uint64_t word, core::callback done) {
    if (offset != static_cast<std::uint64_t>(ppb_register::control) || word != ppb_invalidate_and_flush) {
        ++statistics_.refused;
        return false;
    }
    flush(done);
    return true;
}

access_result path_block::control_page::write(std::uint64_t offset, const pcie::tlp& packet) {
    if (at_ == state::under_way) return access_result::busy;
    if (at_ == state::ended) {
        at_ = state::idle;
        return access_result::done;
    }
    const std::uint32_t length = pcie::span_of(packet).length;
    if (length == 0) return access_result::done;
    const bool whole = pcie::contiguous(packet) && length == packet.length && (length == 4 || length == 8);
    std::uint64_t word = 0;  // matches no pattern
    if (whole)
        word = length == 4 ? core::load_le<std::uint32_t>(packet.data) : core::load_le<std::uint64_t>(packet.data);
    if (!owner_.write_control(offset, word, core::callback::to<&control_page::ended>(*this)))
        return access_result::aborted;
    at_ = state::under_way;
    since_ = owner_.events_.now();
    return access_result::busy;
}

void path_block::control_page::ended() {
    at_ = state::ended;
    owner_.function_->resume(credit_class::posted);
}

access_result path_block::control_page::request(pcie::inbound_request& r, const pcie::tlp& packet) {
    if (packet.kind != pcie::tlp_kind::memory_read) return access_result::unsupported;
    if (r.length == 0) return access_result::done;
    if (r.length != ppb_register_size) return access_result::aborted;
    std::uint64_t word = 0;
    switch (static_cast<ppb_register>(r.offset)) {
    case ppb_register::flushes: word = owner_.statistics_.flushes.value(); break;
    case ppb_register::refused: word = owner_.statistics_.refused.value(); break;
    default: return access_result::aborted;
    }
    core::store_le<std::uint64_t>(r.old.data(), word);
    return access_result::done;
}

void path_block::control_page::fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to,
                                     std::uint32_t length) {
    std::memcpy(to, r.old.data() + from, length);
}

// ---- control and questions

bool path_block::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::reset: reset(); return true;
    case core::control_verb::invalidate: cache_.invalidate(); return true;
    case core::control_verb::flush: flush({}); return true;
    default: break;
    }
    if (!intake_.control(verb)) return false;
    if (intake_.serving) arm();
    return true;
}

void path_block::reset() {
    const core::sim_time now = events_.now();
    for (line_read& l : lines_)
        if (l.sent != nullptr) l.sent->release();
    for (line_write& w : writes_)
        if (w.sent != nullptr) w.sent->release();
    lines_.assign(lines_.size(), {});
    writes_.assign(writes_.size(), {});
    free_reads_.clear();
    free_lines_.clear();
    free_writes_.clear();
    for (auto n = static_cast<std::uint32_t>(reads_.size()); n-- > 0;) free_reads_.push_back(n);
    for (auto n = static_cast<std::uint32_t>(lines_.size()); n-- > 0;) free_lines_.push_back(n);
    for (auto n = static_cast<std::uint32_t>(writes_.size()); n-- > 0;) free_writes_.push_back(n);
    asking_.clear();
    atomics_.clear();
    combiner_.reset();
    cache_.control(core::control_verb::reset);
    to_cache_.reset();
    fills_.reset();
    port_->reset();
    flushes_.clear();
    control_.reset();
    taken_ = 0;
    needs_room_ = false;
    held_ = {};
    fill_turn_ = true;
    next_line_ = next_send_ = {};
    run_.cancel();
    intake_ = {};
    requests_taken_ = requests_answered_ = sent_ = acknowledged_ = 0;
    bytes_in_ = bytes_joined_ = bytes_out_ = 0;
    flushes_begun_ = flushes_ended_ = 0;
    statistics_.entries.set(now, 0);
    statistics_.writing.set(now, 0);
    statistics_.reading.set(now, 0);
}

bool path_block::idle() const {
    return combiner_.empty() && free_writes_.size() == writes_.size() && free_reads_.size() == reads_.size() &&
           flushes_.empty() && cache_.idle();
}

void path_block::report_waits(std::vector<core::wait_edge>& edges) const {
    if (port_ == nullptr || function_ == nullptr) return;
    const auto held = [&](credit_class c, const char* what) {
        if (held_[index(c)])
            edges.push_back(
                {function_->name(), intake_.taking ? what : "to be enabled", name(), held_since_[index(c)]});
    };
    held(credit_class::posted, "an entry of the write combiner");
    held(credit_class::non_posted, "room among reads");
    if (control_.holds()) edges.push_back({function_->name(), "the end of a flush", name(), control_.since()});
    if (!port_->ready())
        edges.push_back({name(), "acceptance of a request", port_->peer_name(), port_->sending_since()});
    auto oldest = core::sim_time::never();
    for (const line_write& w : writes_)
        if (w.sent != nullptr) oldest = std::min(oldest, w.sent->extension().times.begun());
    if (oldest != core::sim_time::never())
        edges.push_back({name(), fmt::format("{} lines to be written", writes_.size() - free_writes_.size()),
                         port_->peer_name(), oldest});
    if (!intake_.serving && !combiner_.empty())
        edges.push_back({name(), "to be enabled", name(), combiner_.at(combiner_.oldest()).since});
    oldest = core::sim_time::never();
    for (const line_read& l : lines_)
        if (l.sent != nullptr) oldest = std::min(oldest, l.sent->extension().times.begun());
    if (oldest != core::sim_time::never()) edges.push_back({name(), "lines", cache_.name(), oldest});
    cache_.report_waits(edges);
    if (sent_ - acknowledged_ > writes_.size() - free_writes_.size())
        edges.push_back({fills_.name(), "lines of memory", port_->peer_name(), oldest});
}

void path_block::check(observe::conservation& checks) const {
    const auto check = [&](const char* what, const char* unit, std::uint64_t in, std::uint64_t out) {
        checks.check(fmt::format("{}: {}", name(), what), unit, in, out);
    };
    check("reads and atomic operations taken and answered", "requests", requests_taken_, requests_answered_);
    check("bytes written over PCIe, and written to memory or replaced", "bytes", bytes_in_, bytes_out_ + bytes_joined_);
    check("requests to memory sent and answered", "requests", sent_, acknowledged_);
    check("flushes begun and ended", "flushes", flushes_begun_, flushes_ended_);
    cache_.check(checks);
}

}  // namespace contraflow::gpu
