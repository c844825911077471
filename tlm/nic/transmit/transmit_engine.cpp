// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/transmit_engine.h"

#include <algorithm>
#include <utility>

#include "gpu/peer/peer_protocol.h"
#include "nic/little_endian.h"

namespace contraflow::nic {

transmit_engine::transmit_engine(core::scheduler& events, observe::statistics& statistics, pcie::function& of,
                                 const transmit_spec& s, const position& node, transmit_core_if& core, user_if& user,
                                 std::string name)
    : events_(events),
      function_(of),
      spec_(s),
      node_(node),
      cycle_(s.clock.time_of({1})),
      core_(core),
      user_(user),
      name_(std::move(name)),
      buffer_(s.buffer.count),
      ring_(of, *this, name_ + ".ring"),
      reader_(events, statistics, of, buffer_, s, *this, name_ + ".peer_reader"),
      messages_(s.messages),
      extents_(extents_ahead),
      ring_of_packets_(s.packets),
      packets_launched_(statistics, name_ + ".launched", "packets", "packets whose data was asked for"),
      packets_sent_(statistics, name_ + ".sent", "packets", "packets that left towards the torus"),
      packets_dropped_(statistics, name_ + ".dropped", "packets", "packets whose data did not come"),
      payload_(statistics, name_ + ".payload", "bytes", "payload that left towards the torus"),
      failed_(statistics, name_ + ".failed", "messages", "messages that ended with an error"),
      occupied_(statistics, name_ + ".occupied", "lines",
                "lines of 128 bytes of the transmit buffer that packets occupy") {
    core_.set_user(*this);
}

void transmit_engine::reset() {
    sent_.cancel();
    core_.reset();
    ring_.reset();
    reader_.reset();
    buffer_.reset();
    occupied_.set(events_.now(), 0);
    packets_dropped_ += count_;
    messages_.clear();
    extents_.clear();
    planned_ = 0;
    first_ = count_ = gpu_open_ = 0;
    window_left_ = 0;
    core_state_ = core_state::idle;
    translated_ = nullptr;
    advancing_ = again_ = sending_ = retiring_ = false;
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
    messages_.try_push(m);
    advance();
}

void transmit_engine::fail(message& m, transmit_status status) {
    if (m.status != transmit_status::done) return;
    m.status = status;
    ++failed_;
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
}

// The next extent of the oldest message that is not planned. The core of v1 reads one packet at a time: it plans
// nothing while it waits for data.
bool transmit_engine::plan() {
    if (core_state_ != core_state::idle || extents_.full()) return false;
    while (planned_ < messages_.size()) {
        message& m = messages_[planned_];
        if (m.status != transmit_status::done || m.planned == m.what.length) {
            ++planned_;
            continue;
        }
        if (!of_gpu(m.what.space)) {
            extents_.try_push({&m, m.what.source, m.what.length});
            m.planned = m.what.length;
            return true;
        }
        if (spec_.generation == gpu_generation::v1 && (gpu_open_ != 0 || !extents_.empty())) return false;
        core_state_ = core_state::translating;
        translated_ = &m;
        core_.begin({core_work::translate, m.what, m.planned});
        return true;
    }
    return false;
}

void transmit_engine::core_done(std::optional<gpu_extent> where) {
    const core_state was = std::exchange(core_state_, core_state::idle);
    if (was == core_state::requesting) {
        reader_.send_request();
        return advance();
    }
    message& m = *std::exchange(translated_, nullptr);
    if (!where || where->length == 0) {
        fail(m, transmit_status::not_registered);
    } else if (m.status == transmit_status::done) {
        std::uint64_t length = std::min(where->length, m.what.length - m.planned);
        // v1 and v2: a packet at a time.
        if (spec_.generation != gpu_generation::v3)
            length = std::min<std::uint64_t>(length, most_payload - where->address % most_payload);
        extents_.try_push({&m, where->address, length});
        m.planned += length;
    }
    advance();
}

void transmit_engine::request_wanted() {
    core_state_ = core_state::requesting;
    core_.begin({core_work::request, {}, 0});
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

// v1 has planned one packet only, and v3 has no windows.
bool transmit_engine::may_read_gpu(std::uint64_t bytes) {
    if (spec_.generation != gpu_generation::v2) return true;
    if (gpu_open_ == 0) window_left_ = spec_.window.count;
    if (window_left_ < bytes) return false;
    window_left_ -= bytes;
    return true;
}

void transmit_engine::start(packet& p, unsigned number, const extent& e, std::uint32_t length) {
    const descriptor& d = e.of->what;
    if (d.kind == packet_kind::get_request) {
        buffer_.write(p.first, 0, d.payload.data(), d.payload.size());
        p.here = true;
        return;
    }
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
    here(ring_of_packets_[number], timed_out ? transmit_status::timed_out : transmit_status::done);
}

void transmit_engine::here(packet& p, transmit_status status) {
    p.here = true;
    if (p.of_gpu) --gpu_open_;
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
    nic::store(words.data() + footer, checksum({words.data(), footer}), 4);
    return words;
}

// Sends packets and completions until one is held back.
void transmit_engine::retire() {
    if (sending_ || retiring_) return;
    retiring_ = true;
    while (!sending_ && !messages_.empty()) {
        message& m = messages_.front();
        if (m.open == 0) {
            if (!m.over() || !ring_.can_complete()) break;
            // No planning or translation refers to it any more: `over` and planning go in order.
            if (translated_ == &m || (!extents_.empty() && extents_.front().of == &m)) break;
            const message last = messages_.pop();
            if (planned_ != 0) --planned_;
            ring_.complete(last.tag, last.status, static_cast<std::uint32_t>(last.what.length));
            ring_.fetch();
            again_ = true;
            continue;
        }
        packet& p = first();
        if (!p.here) break;
        if (m.status != transmit_status::done) {
            ++packets_dropped_;
            drop_first();
            continue;
        }
        torus_packet words = words_of_first();
        if (!out_->ready(words)) break;
        const std::size_t count = words.size() / word_bytes;
        sending_ = true;
        sent_.arm_after(cycle_ * count);
        out_->push(std::move(words));
    }
    retiring_ = false;
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
    ++packets_sent_;
    payload_ += first().header.length;
    drop_first();
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
    if (core_state_ != core_state::idle) edges.push_back({name_, "the core", "core", {}});
    if (count_ == 0) return;
    const packet& p = ring_of_packets_[first_];
    if (!p.here && !(p.of_gpu && spec_.reading == gpu_reading::peer_to_peer))
        edges.push_back({name_, "a read by DMA", function_.name(), {}});
}

}  // namespace contraflow::nic
