// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/nic_core.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/little_endian.h"
#include "nic/receive/receive_pipeline.h"
#include "nic/transmit/nic_tx_registers.h"
#include "nic_levels/firmware_datapath.h"

namespace contraflow::nic_levels {
namespace {

namespace regs = nic::nic_rx_registers;
namespace tx = nic::nic_tx_registers;

// The registers of a packet's words, the bytes at the lowest addresses first.
template <std::size_t N> void fill(std::uint32_t* words, const std::array<std::uint8_t, N>& bytes) {
    for (std::size_t i = 0; i < N / 4; ++i) words[i] = core::load_le<std::uint32_t>(bytes.data() + 4 * i);
}

// The index in that register array for this offset; none: another register.
std::optional<unsigned> in_row(std::uint32_t offset, const regs::reg& first, unsigned registers) {
    if (offset < first.offset || offset >= first.offset + 4 * registers) return {};
    return (offset - first.offset) / 4;
}

std::optional<nic::drop_reason> reason_of(std::uint32_t status) {
    switch (status) {
    case regs::lookup_result_status_no_buffer: return nic::drop_reason::no_buffer;
    case regs::lookup_result_status_bounds: return nic::drop_reason::bounds;
    case regs::lookup_result_status_access: return nic::drop_reason::access;
    case regs::lookup_result_status_translation: return nic::drop_reason::translation;
    default: return {};
    }
}

std::uint64_t join(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; }

}  // namespace

nic_core::nic_core(const sc_core::sc_module_name& name, const nic::core_place& place, const nic_core_spec& spec,
                   const iss::elf_file& program)
    : sc_module(name),
      events_(place.events),
      path_(place.path),
      spec_(spec),
      rings_(place.spec.rings),
      cycle_(place.spec.clock.time_of({1})),
      tables_(place.tables),
      source_tables_(place.reads_aperture ? nic::aperture_tables : 0),
      core_("core", spec.core, place.events, place.statistics) {
    bus_.register_b_transport(this, &nic_core::transport);
    bus_.register_transport_dbg(this, &nic_core::debug_transport);
    core_.bus.bind(bus_);
    core_.load(program);
    const auto count = [&](const char* name, const char* unit, const char* text, const std::uint64_t& value) {
        statistics_.emplace_back(place.statistics, path_ + "." + name, unit, text, value);
    };
    count("lookups", "packets", "puts whose buffer and pages firmware has looked up", count_.lookups);
    count("lookup_time", "ps", "time from when a look-up could begin until it was answered, over all",
          count_.lookup_time);
    count("commands", "commands", "commands of the driver", count_.commands);
    count("gets", "packets", "get requests that firmware has handed on", count_.gets);
    count("extents", "extents", "of what is sent that firmware has translated, or found not to be there",
          count_.extents);
    count("requests", "requests", "read requests to GPUs that firmware has written", count_.requests);
    count("window_starts", "windows", "of read requests that firmware has started", count_.windows);
}

// --- the datapath's side --------------------------------------------------------------------------------------------

void nic_core::look_up(const nic::lookup_request& r) {
    end_set_up();
    waiting_lookup w{r.packet, r.put, {}};
    std::array<std::uint8_t, nic::word_bytes> word{};
    r.header.encode(word);
    fill(w.header.data(), word);
    lookups_.push_back(w);
    if (lookups_.size() == 1) head_since_ = events_.now();
    pass_others();
    show_interrupt();
}

std::vector<iss::routine_profile::row> nic_core::work() const {
    auto rows = core_.profile().rows();
    const auto before = before_.empty() ? rows : before_;
    for (std::size_t i = 0; i < before.size(); ++i) {
        rows[i].cycles -= before[i].cycles;
        rows[i].entries -= before[i].entries;
    }
    return rows;
}

void nic_core::end_set_up() {
    if (before_.empty()) before_ = core_.profile().rows();
}

// Packets without a look-up leave in order, one per cycle.
void nic_core::pass_others() {
    if (!lookups_.empty() && !lookups_.front().put && !pass_.armed()) pass_.arm(edge() + cycle_ * nic::pass_cycles);
}

void nic_core::pass() { answered({}); }

void nic_core::answered(const nic::lookup_result& r) {
    lookups_.pop_front();
    ++answered_;
    head_since_ = events_.now();
    pipeline_->looked_up(r);
    pass_others();
    show_interrupt();
}

// False: firmware has given an impossible answer.
bool nic_core::answer(std::uint32_t word) {
    const std::uint32_t status = regs::lookup_result_status.of(word), space = regs::lookup_result_space.of(word),
                        ring = regs::lookup_result_ring.of(word);
    if (status > regs::lookup_result_status_translation || space > nic::most_gpus || ring >= rings_) return false;
    if (lookup_.end() || lookups_.empty() || !lookups_.front().put) return true;
    nic::lookup_result r;
    r.dropped = reason_of(status);
    r.space = static_cast<nic::memory_space>(space);
    r.ring = static_cast<std::uint8_t>(ring);
    for (unsigned page = 0; page < r.pages.size(); ++page)
        r.pages[page] = nic::leaf(r.space, join(entries_[2 * page], entries_[2 * page + 1]));
    ++count_.lookups;
    count_.lookup_time += (events_.now() - head_since_).ps;
    if (r.dropped) pipeline_->refused(lookups_.front().packet);
    answered(r);
    return true;
}

void nic_core::table_entry(std::uint64_t) {
    throw std::logic_error(path_ + ": a core reads the tables by itself, and is not told of entries");
}

// A datapath with registers calls it for a get request that firmware has handed on.
void nic_core::take_message(const nic::core_message& m) {
    if (port_ != nullptr) {
        task_message_ = m;
        task_waits_ = true;
        return may_get();
    }
    waiting_message w{m.packet, {}};
    std::array<std::uint8_t, nic::word_bytes> word{};
    m.header.encode(word);
    fill(w.words.data(), word);
    fill(w.words.data() + word.size() / 4, m.payload);
    messages_.push_back(w);
    show_interrupt();
}

void nic_core::send_task() {
    if (message_.end()) return;
    std::array<std::uint8_t, nic::word_bytes> word{};
    for (unsigned i = 0; i < word.size() / 4; ++i) core::store_le<std::uint32_t>(word.data() + 4 * i, task_[i]);
    task_message_.header = nic::packet_header::decode(word);
    task_message_.packet = task_packet_;
    for (unsigned i = 0; i < task_message_.payload.size() / 4; ++i)
        core::store_le<std::uint32_t>(task_message_.payload.data() + 4 * i, task_[word.size() / 4 + i]);
    task_waits_ = true;
    may_get();
}

void nic_core::may_get() {
    if (!task_waits_ || !user_->take_get(task_message_)) return;
    task_waits_ = false;
    ++count_.gets;
    show_interrupt();
}

// --- the transmit side ----------------------------------------------------------------------------------------------

void nic_core::begin(const nic::core_task& task) {
    end_set_up();
    work_ = task;
    show_interrupt();
}

void nic_core::cancel_request() {
    work_.reset();
    show_interrupt();
}

std::uint32_t nic_core::wanted() const {
    if (!work_) return 0;
    switch (work_->work) {
    case nic::core_work::translate: return tx::status_extent.mask();
    case nic::core_work::request: return tx::status_reads.mask();
    case nic::core_work::window: break;
    }
    return tx::status_window.mask();
}

// False: firmware has answered what cannot be.
bool nic_core::answer_extent(std::uint32_t word) {
    const std::uint32_t space = tx::extent_result_space.of(word);
    if (space > nic::most_gpus) return false;
    if (transmit_.end() || !work_ || work_->work != nic::core_work::translate) return true;
    work_.reset();
    ++count_.extents;
    std::optional<nic::source_extent> where;
    if (tx::extent_result_status.of(word) == tx::extent_result_status_found)
        where = nic::source_extent{static_cast<nic::memory_space>(space), join(extent_address_[0], extent_address_[1]),
                                   extent_length_};
    user_->translated(where);
    return true;
}

bool nic_core::load_transmit(std::uint32_t offset, std::uint32_t& word, bool look_only) {
    word = 0;
    const auto half = [&](const tx::reg& first, std::uint64_t value) {
        if (offset - first.offset >= 8 || offset % 4 != 0) return false;
        word = static_cast<std::uint32_t>(value >> (offset == first.offset ? 0 : 32));
        return true;
    };
    const bool job = work_ && work_->work == nic::core_work::translate;
    const nic::wanted_reads reads =
        work_ && work_->work == nic::core_work::request ? user_->reads() : nic::wanted_reads{};
    if (half(tx::source_tables, source_tables_) || half(tx::job_address, job ? work_->address : 0) ||
        half(tx::extent_address, join(extent_address_[0], extent_address_[1])) || half(tx::read_address, reads.address))
        return true;
    switch (offset) {
    case tx::id.offset: word = tx::id.reset; break;
    case tx::status.offset: word = wanted(); break;
    case tx::job.offset:
        if (!job) break;
        transmit_.begun = transmit_.begun || !look_only;
        word = tx::job_space.in_place(work_->space ? static_cast<std::uint32_t>(*work_->space) : tx::job_space.mask()) |
               tx::job_process.in_place(work_->process);
        break;
    case tx::job_length.offset: word = job ? work_->length : 0; break;
    case tx::extent_length.offset: word = extent_length_; break;
    case tx::read_place.offset: word = reads.place; break;
    case tx::read_count.offset: word = reads.count; break;
    default:
        return offset - tx::read_request.offset < 8 ||
               std::any_of(tx::all.begin(), tx::all.end(), [&](const tx::reg& r) { return r.offset == offset; });
    }
    return true;
}

bool nic_core::store_transmit(std::uint32_t offset, std::uint32_t word) {
    switch (offset) {
    case tx::extent_address.offset: extent_address_[0] = word; break;
    case tx::extent_address.offset + 4: extent_address_[1] = word; break;
    case tx::extent_length.offset: extent_length_ = word; break;
    case tx::extent_result.offset: return answer_extent(word);
    case tx::read_request.offset: request_low_ = word; break;
    case tx::read_request.offset + 4:
        if (!work_ || work_->work != nic::core_work::request) break;  // given up meanwhile
        work_.reset();
        ++count_.requests;
        user_->write_request(join(request_low_, word));
        break;
    case tx::window_start.offset:
        if (!work_ || work_->work != nic::core_work::window) break;
        work_.reset();
        ++count_.windows;
        user_->window_started();
        break;
    default: return false;
    }
    return true;
}

// --- the driver's side ----------------------------------------------------------------------------------------------

void nic_core::command(driver_command c) {
    commands_.push_back(std::move(c));
    show_interrupt();
}

void nic_core::set_buffer(unsigned index, const nic::buffer_entry& b) {
    command({regs::command_opcode_set_buffer, index, nic::encode(b)});
}

void nic_core::invalidate(std::uint64_t root) {
    driver_command c{regs::command_opcode_invalidate, 0, {}};
    c.data[0] = static_cast<std::uint32_t>(root);
    c.data[1] = static_cast<std::uint32_t>(root >> 32);
    c.answered = [this](std::uint32_t) { pipeline_->invalidated_from(answered_); };
    command(std::move(c));
}

void nic_core::command_done(std::uint32_t word) {
    if (command_.end() || commands_.empty()) return;
    const auto answered = std::move(commands_.front().answered);
    commands_.pop_front();
    ++count_.commands;
    if (answered) answered(word);
}

void nic_core::reset() {
    lookup_.reset();
    message_.reset();
    command_.reset();
    transmit_.reset();
    work_.reset();
    pass_.cancel();
    lookups_.clear();
    messages_.clear();
    commands_.clear();
    task_waits_ = false;
    answered_ = 0;
    count_ = {};
    if (port_ == nullptr) return command({regs::command_opcode_reset, 0, {}});
    message_ = {};  // the datapath's registers tell stale answers
    show_interrupt();
}

// --- the core's side ------------------------------------------------------------------------------------------------

std::uint32_t nic_core::status() const {
    return (!lookups_.empty() && lookups_.front().put ? regs::irq_status_lookup.mask() : 0) |
           (!messages_.empty() && !task_waits_ ? regs::irq_status_message.mask() : 0) |
           (!commands_.empty() ? regs::irq_status_command.mask() : 0) | (work_ ? regs::irq_status_transmit.mask() : 0);
}

void nic_core::show_interrupt() {
    if (port_ != nullptr) return port_->set_transmit_interrupt(work_.has_value());
    core_.set_interrupt(iss::interrupt_line::external, (status() & irq_enable_) != 0);
    if (waves_.sink == nullptr) return;
    const core::sim_time now = events_.now();
    waves_.sink->set(waves_.lookups, now, lookups_.size());
    waves_.sink->set(waves_.mailbox, now, messages_.size());
    waves_.sink->set(waves_.commands, now, commands_.size());
    waves_.sink->set(waves_.transmit, now, work_ ? 1 : 0);
}

void nic_core::set_waves(observe::wave_sink_if& waves, const std::string& scope) {
    core_.set_waves(waves, scope);
    waves_.sink = &waves;
    const auto signal = [&](const char* name, unsigned bits) { return waves.add(scope + "_queues." + name, bits); };
    waves_.lookups = signal("lookups", 16);
    waves_.mailbox = signal("mailbox", 16);
    waves_.commands = signal("commands", 16);
    waves_.transmit = signal("transmit", 1);
}

std::uint32_t nic_core::counter(unsigned number) const {
    return around_ == nullptr ? 0 : nic::counter_word(around_->counters(), number);
}

// False: nothing can be read there. `look_only`: a debugger reads.
bool nic_core::load_register(std::uint32_t offset, std::uint32_t& word, bool look_only) {
    word = 0;
    const auto row = [&](const regs::reg& first, unsigned registers) { return in_row(offset, first, registers); };
    if (const auto i = row(regs::lookup_header, regs::lookup_header_registers)) {
        if (lookups_.empty() || !lookups_.front().put) return true;
        word = lookups_.front().header[*i];
        lookup_.begun = lookup_.begun || !look_only;
    } else if (const auto m = row(regs::message, regs::message_registers)) {
        if (messages_.empty()) return true;
        word = messages_.front().words[*m];
        message_.begun = message_.begun || !look_only;
    } else if (const auto d = row(regs::command_data, regs::command_data_registers)) {
        if (!commands_.empty()) word = commands_.front().data[*d];
    } else if (offset == regs::command.offset) {
        if (commands_.empty()) return true;
        word = regs::command_opcode.in_place(commands_.front().opcode) |
               regs::command_index.in_place(commands_.front().index);
        command_.begun = command_.begun || !look_only;
    } else if (const auto e = row(regs::lookup_entry, regs::lookup_entry_registers)) {
        word = entries_[*e];
    } else if (const auto t = row(regs::task, regs::task_registers)) {
        word = task_[*t];
    } else if (const auto c = row(regs::counter, regs::counter_registers)) {
        word = counter(*c);
    } else if (const auto b = row(regs::ring_base, regs::ring_base_registers)) {
        word = ring_base_[*b];
    } else if (const auto s = row(regs::table_segment, regs::table_segment_registers)) {
        word = segment_[*s];
    } else {
        switch (offset) {
        case regs::id.offset: word = regs::id.reset; break;
        case regs::irq_status.offset:
            // The first work may come before the last command of the set-up has been carried out.
            if (!before_.empty() && count_.lookups + count_.extents == 0) before_ = core_.profile().rows();
            word = status();
            break;
        case regs::irq_enable.offset: word = irq_enable_; break;
        case regs::ring_entries.offset: word = ring_entries_; break;
        case regs::buf_list.offset: word = list_base; break;
        case regs::buf_list_entries.offset:
            word = static_cast<std::uint32_t>(tables_.list().size() / nic::buffer_words);
            break;
        case regs::rings.offset: word = rings_; break;
        default:  // write-only registers read as 0
            return std::any_of(regs::all.begin(), regs::all.end(),
                               [&](const regs::reg& r) { return r.offset == offset; });
        }
    }
    return true;
}

bool nic_core::set_up_ring(std::uint32_t ring) {
    if (ring >= rings_) return false;
    if (around_ != nullptr) around_->set_up_ring(ring, {join(ring_base_[0], ring_base_[1]), ring_entries_});
    return true;
}

// False: it cannot be written, or not with that value.
bool nic_core::store_register(std::uint32_t offset, std::uint32_t word) {
    const auto row = [&](const regs::reg& first, unsigned registers) { return in_row(offset, first, registers); };
    if (const auto e = row(regs::lookup_entry, regs::lookup_entry_registers)) {
        entries_[*e] = word;
    } else if (const auto t = row(regs::task, regs::task_registers)) {
        task_[*t] = word;
    } else if (const auto b = row(regs::ring_base, regs::ring_base_registers)) {
        ring_base_[*b] = word;
    } else if (const auto s = row(regs::table_segment, regs::table_segment_registers)) {
        segment_[*s] = word;
    } else {
        switch (offset) {
        case regs::irq_enable.offset: irq_enable_ = word; break;
        case regs::lookup_result.offset: return answer(word);
        case regs::message_take.offset:
            if (message_.stale || messages_.empty()) break;
            task_packet_ = messages_.front().packet;
            messages_.pop_front();
            user_->message_taken();
            break;
        case regs::task_send.offset: send_task(); break;
        case regs::command_done.offset: command_done(word); break;
        case regs::ring_entries.offset: ring_entries_ = word; break;
        case regs::ring_set.offset: return set_up_ring(word);
        case regs::memory_error.offset: break;  // the model's memories keep every bit
        default: return false;
        }
    }
    return true;
}

// A word of BUF_LIST or of the page tables. False: nothing is there.
bool nic_core::access_table(bool write, std::uint32_t address, std::uint32_t& word) {
    if (address < regs::tables_base) {
        const std::uint32_t index = (address - list_base) / 4;
        if (index >= tables_.list().size()) return false;
        (write ? tables_.list()[index] : word) = write ? word : tables_.list()[index];
        return true;
    }
    const std::uint64_t segment = port_ != nullptr ? port_->table_segment() : join(segment_[0], segment_[1]);
    const std::uint64_t at = (segment << 31) + (address - regs::tables_base);
    const std::uint64_t entry = tables_.entry(at & ~7ull);
    const unsigned shift = at & 4 ? 32 : 0;
    if (write)
        tables_.set_entry(at & ~7ull, (entry & ~(0xffff'ffffull << shift)) | std::uint64_t{word} << shift);
    else
        word = static_cast<std::uint32_t>(entry >> shift);
    return true;
}

// --- registers that the datapath has --------------------------------------------------------------------------------

std::optional<std::uint32_t> nic_core::forwarded(std::uint32_t address) const {
    if (port_ == nullptr) return {};
    if (address >= list_base && address < regs::tables_base)
        return register_access::list_offset + std::min(address - list_base, register_access::list_offset);
    if (address >= regs::registers_base && address < tx::registers_base) return address - regs::registers_base;
    return {};
}

// False: it is refused. The core stands meanwhile.
bool nic_core::forward(bool write, std::uint32_t offset, std::uint32_t& word) {
    if (!write && offset == regs::irq_status.offset && !before_.empty() && count_.lookups + count_.extents == 0)
        before_ = core_.profile().rows();
    forwarding_.under_way = true;
    port_->begin_access({write, offset, word});
    while (forwarding_.under_way) sc_core::wait(forwarding_.ended);
    word = forwarding_.word;
    if (!forwarding_.known) return false;
    if (!write) {
        message_.begun = message_.begun || (in_row(offset, regs::message, regs::message_registers) && word != 0);
    } else if (offset == regs::task_send.offset) {
        message_.begun = false;
        ++count_.gets;
    } else if (offset == regs::command_done.offset) {
        ++count_.commands;
    } else if (offset == regs::lookup_result.offset) {
        ++count_.lookups;
        count_.lookup_time += (events_.now() - head_since_).ps;
        head_since_ = events_.now();
    }
    return true;
}

void nic_core::access_ended(std::uint32_t word, bool known) {
    forwarding_.under_way = false;
    forwarding_.word = word;
    forwarding_.known = known;
    forwarding_.ended.notify(sc_core::SC_ZERO_TIME);
}

void nic_core::show_requests(bool interrupt, std::uint32_t status) {
    core_.set_interrupt(iss::interrupt_line::external, interrupt);
    if (status == requests_) return;
    if ((status & ~requests_ & regs::irq_status_lookup.mask()) != 0) {
        end_set_up();
        head_since_ = events_.now();
    }
    requests_ = status;
    if (waves_.sink == nullptr) return;
    const auto set = [&](observe::signal_id signal, const regs::field& f) {
        waves_.sink->set(signal, events_.now(), f.of(status));
    };
    set(waves_.lookups, regs::irq_status_lookup);
    set(waves_.mailbox, regs::irq_status_message);
    set(waves_.commands, regs::irq_status_command);
    set(waves_.transmit, regs::irq_status_transmit);
}

bool nic_core::access(bool write, std::uint32_t address, std::uint32_t& word, bool look_only) {
    if (const auto offset = forwarded(address)) {
        if (!look_only) return forward(write, *offset, word);
        const auto seen = port_->look(*offset);
        word = seen.value_or(0);
        return seen.has_value();
    }
    if (address >= list_base) return access_table(write, address, word);
    if (address < regs::registers_base) return false;
    const bool transmit = address >= tx::registers_base;
    const std::uint32_t offset = address - (transmit ? tx::registers_base : regs::registers_base);
    if (!write) return transmit ? load_transmit(offset, word, look_only) : load_register(offset, word, look_only);
    const bool done = transmit ? store_transmit(offset, word) : store_register(offset, word);
    show_interrupt();
    return done;
}

void nic_core::transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const auto address = static_cast<std::uint32_t>(p.get_address());
    std::uint32_t word = 0;
    if (p.get_data_length() != 4) {
        p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (p.is_write()) word = core::load_le<std::uint32_t>(p.get_data_ptr());
    const core::sim_time begun = events_.now();
    const bool done = access(p.is_write(), address, word, false);
    if (p.is_read()) core::store_le<std::uint32_t>(p.get_data_ptr(), word);
    // A datapath that has held the core up has done so within the latency, or for longer.
    const core::sim_time latency = address >= list_base ? spec_.table_latency : spec_.register_latency;
    delay += sc_core::sc_time::from_value((latency - std::min(latency, events_.now() - begun)).ps);
    p.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// A debugger may read any bytes, and writes none.
unsigned nic_core::debug_transport(tlm::tlm_generic_payload& p) {
    if (p.is_write()) return 0;
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
        const auto address = static_cast<std::uint32_t>(p.get_address() + i);
        std::uint32_t word = 0;
        if (!access(false, address & ~3u, word, true)) return i;
        p.get_data_ptr()[i] = core::byte_of(word, address % 4);
    }
    return p.get_data_length();
}

void nic_core::report_waits(std::vector<core::wait_edge>& edges) const {
    if (idle()) return;  // it waits for work, and nothing waits for it
    edges.push_back({path_, "what its core has to do", core_.name(), head_since_});
    core_.report_waits(edges);
}

}  // namespace contraflow::nic_levels
