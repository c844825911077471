// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/transmit_engine.h"

#include <algorithm>
#include <utility>

#include "core/little_endian.h"
#include "gpu/peer/peer_protocol.h"

namespace contraflow::nic {

transmit_engine::transmit_engine(core::scheduler& events, observe::statistics& statistics, pcie::function& of,
                                 const transmit_spec& s, const position& node, core_if& core, const news& to,
                                 std::string name)
    : events_(events),
      function_(of),
      spec_(s),
      node_(node),
      cycle_(s.clock.time_of({1})),
      core_(core),
      to_(to),
      name_(std::move(name)),
      buffer_(s.buffer.count),
      ring_(of, *this, name_ + ".ring"),
      reader_(events, statistics, of, buffer_, s, *this, name_ + ".peer_reader"),
      descriptors_(s.messages),
      answers_(s.answers),
      host_reads_{s.host_reads},
      extents_(extents_ahead),
      ring_of_packets_(s.packets),
      packets_launched_(statistics, name_ + ".launched", "packets", "whose data was asked for"),
      packets_sent_(statistics, name_ + ".sent", "packets", "with data that left towards the torus"),
      packets_dropped_(statistics, name_ + ".dropped", "packets", "whose data did not come"),
      payload_(statistics, name_ + ".payload", "bytes", "of payload that left towards the torus"),
      failed_(statistics, name_ + ".failed", "messages", "of descriptors that ended with an error"),
      gets_(statistics, name_ + ".gets", "packets", "get requests that left towards the torus"),
      answered_(statistics, name_ + ".answered", "messages", "that answered get requests"),
      refused_gets_(statistics, name_ + ".refused_gets", "messages", "get requests that could not be answered"),
      occupied_(statistics, name_ + ".occupied", "lines", "of 128 bytes in the transmit buffer that packets have") {
    core_.connect(*this);
}

void transmit_engine::reset() {
    sent_.cancel();
    room_for_get_.cancel();
    ring_.reset();
    reader_.reset();
    buffer_.reset();
    occupied_.set(events_.now(), 0);
    packets_dropped_ += count_;
    for (message_queue* const q : {&descriptors_, &answers_}) {
        q->all.clear();
        q->planned = 0;
    }
    extents_.clear();
    host_reads_.under_way = 0;
    request_ = nullptr;
    first_ = count_ = gpu_open_ = 0;
    window_left_ = 0;
    window_wanted_ = false;
    core_state_ = core_state::idle;
    translated_ = nullptr;
    stale_ = false;
    fenced_ = 0;
    for (packet& p : ring_of_packets_) p.fenced = false;
    advancing_ = again_ = sending_ = sending_request_ = retiring_ = false;
}

// ---- messages

void transmit_engine::take_descriptor(const std::optional<descriptor>& d, std::uint16_t tag, transmit_status status) {
    message m;
    m.tag = tag;
    if (d) {
        m.what = *d;
        if (of_gpu(d->space) && !gpus_[gpu_of(d->space)].attached) m.status = transmit_status::not_registered;
    } else {
        m.status = status;
    }
    if (m.status != transmit_status::done) ++failed_;
    descriptors_.all.try_push(m);
    advance();
}

// The answer: a put from where the request says to where it says. One that asks for nothing that could be put is thrown
// away, and counted.
bool transmit_engine::take_get(const core_message& m) {
    const auto wanted = get_payload::decode(m.payload);
    if (!wanted || wanted->length > address_space - m.header.address) {
        ++refused_gets_;
        return true;
    }
    if (answers_.all.full()) return false;
    message a;
    a.answer = true;
    a.tag = m.header.tag;
    a.what.process = m.header.process;
    a.what.length = wanted->length;
    a.what.source = m.header.address;
    a.what.address = wanted->to;
    a.what.tag = m.header.tag;
    a.what.notify = true;
    a.what.target = m.header.source;
    answers_.all.try_push(a);
    advance();
    return true;
}

void transmit_engine::fail(message& m, transmit_status status) {
    if (m.status != transmit_status::done) return;
    m.status = status;
    ++(m.answer ? refused_gets_ : failed_);
}

void transmit_engine::set_waves(observe::wave_sink_if& waves) {
    waves_.sink = &waves;
    const auto signal = [&](const char* name, unsigned bits) { return waves.add(name_ + "." + name, bits); };
    waves_.launched = signal("launched", 16);
    waves_.left = signal("left", 16);
    waves_.descriptors = signal("descriptors", 16);
    waves_.answers = signal("answers", 16);
    waves_.lines = signal("buffer_lines", 16);
    waves_.gpu_reads = signal("gpu_reads", 16);
    waves_.sending = signal("sending", 1);
    waves_.translates = signal("waits_for_core.translation", 1);
    waves_.requests = signal("waits_for_core.request", 1);
    waves_.starts_window = signal("waits_for_core.window", 1);
}

void transmit_engine::show() {
    if (waves_.sink == nullptr) return;
    const core::sim_time now = events_.now();
    const auto set = [&](observe::signal_id signal, std::uint64_t value) { waves_.sink->set(signal, now, value); };
    set(waves_.launched, packets_launched_.value());
    set(waves_.left, packets_launched_.value() - count_);
    set(waves_.descriptors, descriptors_.all.size());
    set(waves_.answers, answers_.all.size());
    set(waves_.lines, buffer_.lines() - buffer_.free());
    set(waves_.gpu_reads, gpu_open_);
    set(waves_.sending, sending_ ? 1 : 0);
    set(waves_.translates, core_state_ == core_state::translating ? 1 : 0);
    set(waves_.requests, core_state_ == core_state::requesting ? 1 : 0);
    set(waves_.starts_window, core_state_ == core_state::starting ? 1 : 0);
}

void transmit_engine::completion_left() {
    to_.completed();
    advance();
}

// Runs all stages until nothing changes any more.
void transmit_engine::advance() {
    again_ = true;
    if (advancing_) return;
    advancing_ = true;
    while (std::exchange(again_, false)) {
        while (plan() || launch()) {}
        retire();
    }
    advancing_ = false;
    show();
}

// ---- the core

void transmit_engine::begin_request() {
    if (spec_.generation != gpu_generation::v1 || core_state_ != core_state::idle || reader_.wanted().count == 0)
        return;
    core_state_ = core_state::requesting;
    core_.begin({.work = core_work::request});
}

void transmit_engine::write_request(std::uint64_t word) {
    core_state_ = core_state::idle;
    reader_.write_request(word);
    begin_request();
}

void transmit_engine::begin_window() {
    if (core_state_ != core_state::idle) return;
    window_wanted_ = false;
    core_state_ = core_state::starting;
    core_.begin({.work = core_work::window});
}

void transmit_engine::window_started() {
    core_state_ = core_state::idle;
    window_left_ = spec_.window.count;
    advance();
}

// The next extent of the oldest message that is not planned, of each kind in turn. The core of v1 reads one packet at a
// time: it plans nothing while it waits for data.
bool transmit_engine::plan() {
    begin_request();
    if (window_wanted_) begin_window();
    message_queue& one = answers_first_ ? answers_ : descriptors_;
    message_queue& other = answers_first_ ? descriptors_ : answers_;
    if (!plan_from(one) && !plan_from(other)) return false;
    return true;
}

bool transmit_engine::plan_from(message_queue& q) {
    while (q.planned < q.all.size()) {
        message& m = q.all[q.planned];
        if (m.status != transmit_status::done || m.planned == m.what.length) {
            ++q.planned;
            continue;
        }
        if (m.what.kind == packet_kind::get_request) return plan_request(m);
        if (extents_.full()) return false;
        if (!m.by_core()) {
            extents_.try_push({&m, m.what.source + m.planned, m.what.length - m.planned});
            m.planned = m.what.length;
        } else {
            if (core_state_ != core_state::idle) return false;
            if (spec_.generation == gpu_generation::v1 && (gpu_open_ != 0 || !extents_.empty())) return false;
            core_state_ = core_state::translating;
            translated_ = &m;
            core_task t;
            t.process = m.what.process;
            if (!m.answer || m.planned != 0) t.space = m.what.space;
            t.address = m.what.source + m.planned;
            t.length = static_cast<std::uint32_t>(m.what.length - m.planned);
            t.first = m.planned == 0;
            core_.begin(t);
        }
        answers_first_ = &q == &descriptors_;
        return true;
    }
    return false;
}

// One at a time waits to be sent; its descriptor is complete when it has left.
bool transmit_engine::plan_request(message& m) {
    if (request_ != nullptr) return false;
    m.planned = m.launched = m.what.length;
    m.open = 1;
    request_ = &m;
    return true;
}

void transmit_engine::translated(const std::optional<source_extent>& where) {
    core_state_ = core_state::idle;
    message& m = *std::exchange(translated_, nullptr);
    if (std::exchange(stale_, false)) return advance();
    const bool here = where && where->length != 0 && (!of_gpu(where->space) || gpus_[gpu_of(where->space)].attached) &&
                      (m.what.space == where->space || (m.answer && m.planned == 0));
    if (!here) {
        fail(m, transmit_status::not_registered);
    } else if (m.status == transmit_status::done) {
        m.what.space = where->space;
        std::uint64_t length = std::min(where->length, m.what.length - m.planned);
        // v1: a packet at a time.
        if (spec_.generation == gpu_generation::v1)
            length = std::min<std::uint64_t>(length, most_payload - where->address % most_payload);
        extents_.try_push({&m, where->address, length});
        m.planned += length;
        // With an extent the core starts the generator, unless that is at work.
        if (gpu_open_ == 0 && of_gpu(where->space)) {
            window_left_ = spec_.window.count;
            window_wanted_ = false;
        }
    }
    advance();
}

// Extents are forgotten with their order, so all messages are planned from their first extent on.
void transmit_engine::invalidate() {
    for (; !extents_.empty(); extents_.pop()) extents_.front().of->planned -= extents_.front().length;
    for (message_queue* const q : {&descriptors_, &answers_}) q->planned = 0;
    stale_ = core_state_ == core_state::translating;
    for (unsigned i = 0; i < count_; ++i) {
        packet& p = ring_of_packets_[(first_ + i) % ring_of_packets_.size()];
        if (p.here) continue;
        p.fenced = true;
        ++fenced_;
    }
    if (fenced_ == 0) to_.reads_ended();
    advance();
}

// ---- packets

// A packet of GPU data ends at a multiple of 4 KiB of its address, so it lies in one page; one of the host is cut.
bool transmit_engine::launch() {
    while (!extents_.empty() && extents_.front().of->status != transmit_status::done) extents_.pop();
    if (extents_.empty() || count_ == ring_of_packets_.size()) return false;
    extent& e = extents_.front();
    message& m = *e.of;
    const bool gpu = of_gpu(m.what.space);
    const bool peer = gpu && spec_.reading == gpu_reading::peer_to_peer;
    if (peer && reader_.stuck(gpu_of(m.what.space))) {
        fail(m, transmit_status::timed_out);
        return true;
    }
    const auto length = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(e.length, most_payload - (gpu ? e.address % most_payload : 0)));
    const auto lead = static_cast<std::uint32_t>(peer ? e.address % transmit_buffer::line : 0);
    const std::uint32_t lines = (lead + length + transmit_buffer::line - 1) / transmit_buffer::line;
    if (buffer_.free() < lines || (gpu && !may_read_gpu(length))) return false;

    const unsigned number = (first_ + count_++) % static_cast<unsigned>(ring_of_packets_.size());
    packet& p = ring_of_packets_[number];
    p.of = &m;
    p.header = {};
    p.header.length = static_cast<std::uint16_t>(length);
    p.header.kind = static_cast<std::uint8_t>(m.what.kind);
    p.header.process = m.what.process;
    p.header.address = m.what.address + m.launched;
    p.header.tag = m.what.tag;
    p.header.notify = m.what.notify && m.launched + length == m.what.length;
    p.header.source = node_;
    p.header.target = m.what.target;
    p.first = buffer_.reserve(lines);
    p.lines = lines;
    p.lead = lead;
    p.of_gpu = gpu;
    p.here = false;
    occupied_.set(events_.now(), buffer_.lines() - buffer_.free());
    ++packets_launched_;
    ++m.open;
    m.launched += length;
    const extent of_packet{&m, e.address, length};
    e.address += length;
    e.length -= length;
    if (e.length == 0) extents_.pop();
    start(p, number, of_packet, length);
    return true;
}

// v1 has planned one packet only, and v3 has no windows. The core starts the next window when all of this one has come.
bool transmit_engine::may_read_gpu(std::uint64_t bytes) {
    if (spec_.generation != gpu_generation::v2) return true;
    if (window_left_ < bytes && gpu_open_ == 0 && core_state_ != core_state::starting) {
        window_wanted_ = true;
        begin_window();
    }
    if (window_left_ < bytes) return false;
    window_left_ -= bytes;
    return true;
}

void transmit_engine::start(packet& p, unsigned number, const extent& e, std::uint32_t length) {
    const descriptor& d = e.of->what;
    if (p.of_gpu) ++gpu_open_;
    if (p.of_gpu && spec_.reading == gpu_reading::peer_to_peer) {
        const unsigned gpu = gpu_of(d.space);
        return reader_.start(number, {gpu, gpus_[gpu].mailbox, e.address - p.lead, p.first, p.lines});
    }
    p.kind = pcie::operation_kind::read;
    p.address = e.address + (p.of_gpu ? gpus_[gpu_of(d.space)].aperture : 0);
    p.length = length;
    p.buffer = nullptr;
    p.owner = this;
    p.limit = p.of_gpu ? nullptr : &host_reads_;
    function_.start(p);
}

void transmit_engine::store(pcie::operation& o, std::uint64_t offset, const std::uint8_t* from, std::uint32_t length,
                            const pcie::tlp&) {
    buffer_.write(static_cast<packet&>(o).first, offset, from, length);
}

void transmit_engine::finished(pcie::operation& o) {
    here(static_cast<packet&>(o), o.timed_out  ? transmit_status::timed_out
                                  : o.failed() ? transmit_status::read_failed
                                               : transmit_status::done);
}

void transmit_engine::fetched(unsigned number, bool timed_out) {
    if (timed_out && core_state_ == core_state::requesting) {
        core_.cancel_request();
        core_state_ = core_state::idle;
    }
    here(ring_of_packets_[number], timed_out ? transmit_status::timed_out : transmit_status::done);
}

void transmit_engine::here(packet& p, transmit_status status) {
    p.here = true;
    if (p.of_gpu) --gpu_open_;
    if (std::exchange(p.fenced, false) && --fenced_ == 0) to_.reads_ended();
    if (status != transmit_status::done) fail(*p.of, status);
    advance();
}

// ---- what leaves

torus_packet transmit_engine::words_of_first() {
    const packet& p = first();
    torus_packet words(std::size_t{words_of(p.header.length)} * word_bytes);
    p.header.encode(std::span<std::uint8_t, word_bytes>(words.data(), word_bytes));
    buffer_.read(p.first, p.lead, words.data() + word_bytes, p.header.length);
    const std::size_t footer = words.size() - word_bytes;
    core::store_le<std::uint32_t>(words.data() + footer, checksum({words.data(), footer}));
    return words;
}

// Sends packets and completions until one is held back.
void transmit_engine::retire() {
    if (retiring_) return;
    retiring_ = true;
    end_messages(descriptors_);
    end_messages(answers_);
    if (!sending_ && request_ != nullptr) {
        packet_header h;
        const descriptor& d = request_->what;
        h.length = static_cast<std::uint16_t>(d.length);
        h.kind = static_cast<std::uint8_t>(d.kind);
        h.process = d.process;
        h.address = d.address;
        h.tag = d.tag;
        h.notify = d.notify;
        h.source = node_;
        h.target = d.target;
        send(*requests_out_, packet_words(h, d.payload), true);
    }
    while (!sending_ && count_ != 0 && first().here) {
        if (first().of->status == transmit_status::done) {
            send(*out_, words_of_first(), false);
            break;
        }
        ++packets_dropped_;
        drop_first();
    }
    retiring_ = false;
}

bool transmit_engine::has_extents(const message& m) const {
    for (std::size_t i = 0; i < extents_.size(); ++i)
        if (extents_[i].of == &m) return true;
    return false;
}

// Messages that are over and whose packets have all left, in order.
void transmit_engine::end_messages(message_queue& q) {
    while (!q.all.empty() && q.all.front().open == 0 && q.all.front().over()) {
        message& m = q.all.front();
        if (translated_ == &m || has_extents(m)) return;
        if (!m.answer && !ring_.can_complete()) return;
        const message last = q.all.pop();
        if (q.planned != 0) --q.planned;
        again_ = true;
        if (last.answer) {
            if (last.status == transmit_status::done) ++answered_;
            room_for_get_.arm_by(events_.now());
        } else {
            ring_.complete(last.tag, last.status, static_cast<std::uint32_t>(last.what.length));
            ring_.fetch_more();
        }
    }
}

void transmit_engine::send(core::channel<torus_packet>& out, torus_packet words, bool request) {
    if (!out.ready(words)) return;
    const std::size_t count = words.size() / word_bytes;
    sending_ = true;
    sending_request_ = request;
    sent_.arm_after(cycle_ * count);
    out.push(std::move(words));
}

void transmit_engine::drop_first() {
    packet& p = first();
    buffer_.release(p.lines);
    occupied_.set(events_.now(), buffer_.lines() - buffer_.free());
    --p.of->open;
    first_ = (first_ + 1) % static_cast<unsigned>(ring_of_packets_.size());
    --count_;
    again_ = true;
}

void transmit_engine::sent() {
    sending_ = false;
    if (std::exchange(sending_request_, false)) {
        ++gets_;
        --std::exchange(request_, nullptr)->open;
    } else {
        ++packets_sent_;
        payload_ += first().header.length;
        drop_first();
    }
    advance();
}

// ---- reports

void transmit_engine::check(observe::conservation& checks) const {
    checks.check(name_ + ": packets launched, sent and dropped", "packets", packets_launched_.value(),
                 packets_sent_.value() + packets_dropped_.value() + count_);
    checks.check(name_ + ": lines of the buffer that no packet has", "lines", buffer_.lines(),
                 buffer_.free() + static_cast<std::uint64_t>(occupied_.last()));
}

void transmit_engine::report_waits(std::vector<core::wait_edge>& edges) const {
    ring_.report_waits(edges);
    reader_.report_waits(edges);
    if (fenced_ != 0) edges.push_back({name_, "data of removed translations", function_.name(), {}});
    if (core_state_ != core_state::idle)
        edges.push_back({name_, "the core", std::string(function_.name()) + ".core", {}});
    if (count_ == 0) return;
    const packet& p = ring_of_packets_[first_];
    if (!p.here && !(p.of_gpu && spec_.reading == gpu_reading::peer_to_peer))
        edges.push_back({name_, "a read by DMA", function_.name(), {}});
}

}  // namespace contraflow::nic
