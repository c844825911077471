// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/dma_engine.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "pcie/bridge/response_status.h"

namespace contraflow::gpu {

// A PCIe 4.0 x16 link has 31.5 GB/s per direction; headers and flow control leave about 25 GB/s. The number of
// outstanding requests is twice that bandwidth times the latency of memory.
void dma_engine::spec::describe(config::fields<spec>& f) {
    f("outstanding", &spec::outstanding).in(1, 1024).text("line requests under way together");
    f("host_bandwidth", &spec::host_bandwidth)
        .in(core::bandwidth::from_gb_per_s(0.001), core::bandwidth::from_gb_per_s(10000))
        .text("of the way between the host's memory and the GPU, a direction");
    f("host_latency", &spec::host_latency).text("of that way");
}

dma_engine::dma_engine(const memory::resources& shared, std::string path, const spec& s, owner_if& owner)
    : shared_(shared),
      path_(std::move(path)),
      spec_(s),
      owner_(owner),
      slots_(s.outstanding),
      to_write_(s.outstanding),
      pump_at_(shared.events, *this),
      calls_(shared.events, *this),
      copies_(shared.statistics, path_ + ".copies", "copies", "copies, or parts of them, that have ended"),
      bytes_in_(shared.statistics, path_ + ".from_host", "bytes", "bytes brought from the host's memory"),
      bytes_out_(shared.statistics, path_ + ".to_host", "bytes", "bytes brought to the host's memory"),
      bytes_within_(shared.statistics, path_ + ".within", "bytes", "bytes moved between places in GPUs' memories"),
      latency_(shared.statistics, path_ + ".latency", "ns", "from the order to the end of a copy or part of one") {
    for (std::uint32_t n = s.outstanding; n > 0; --n) free_.push_back(n - 1);
}

dma_engine::~dma_engine() {
    for (slot& s : slots_)
        if (s.sent != nullptr) s.sent->release();
}

void dma_engine::submit(copy_part& p) {
    jobs_.push_back({&p, 0, 0, shared_.events.now()});
    asked_total_ += p.bytes;
    arm(shared_.events.now());
}

// An earlier time replaces the armed one; the callback of the later time then finds nothing to do.
void dma_engine::arm(core::sim_time when) {
    if (!paused_) pump_at_.arm_by(when);
}

void dma_engine::pump() {
    while (!paused_ && port_->ready()) {
        if (shared_.events.now() < next_send_) return arm(next_send_);
        if (!send_next()) return;
        next_send_ = shared_.events.now() + spec_.cycle;
    }
}

// Writes of read lines go first, because each holds a slot.
bool dma_engine::send_next() {
    if (!to_write_.empty()) {
        const std::uint32_t number = to_write_.pop();
        send(number, *slots_[number].sent);
        return true;
    }
    if (sending_ == jobs_.size() || free_.empty()) return false;
    job& j = jobs_[sending_];
    if (draining_ && j.sent == 0) return false;
    const unsigned length = next_length(j);
    if (wait_for_host(j, length)) return false;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    const copy_part& c = *j.part;
    memory::payload& p = shared_.payloads.take();
    slots_[number] = {&j, &p, j.sent, length, c.kind != copy_kind::to_device};
    if (c.kind == copy_kind::to_device) {
        p.write(c.to + j.sent, length);
        std::memcpy(p.bytes(), c.host + j.sent, length);
    } else {
        p.read(c.from + j.sent, length);
    }
    j.sent += length;
    if (j.sent == c.bytes) ++sending_;
    send(number, p);
    return true;
}

// The next piece ends at a line boundary of the source or of the destination, whichever comes first.
unsigned dma_engine::next_length(const job& j) const {
    const copy_part& c = *j.part;
    std::uint64_t length = c.bytes - j.sent;
    const auto within_line = [&](std::uint64_t address) {
        length = std::min(length, spec_.line.count - (address + j.sent) % spec_.line.count);
    };
    if (c.kind != copy_kind::to_device) within_line(c.from);
    if (c.kind != copy_kind::from_device) within_line(c.to);
    return static_cast<unsigned>(length);
}

// True if the host's link is not ready; the pump is then armed for the time when it is. Neither direction holds more
// bytes than may be outstanding.
bool dma_engine::wait_for_host(const job& j, unsigned length) {
    const core::sim_time now = shared_.events.now();
    const core::sim_time held = spec_.host_bandwidth.time_of(spec_.line * spec_.outstanding);
    switch (j.part->kind) {
    case copy_kind::within: return false;
    case copy_kind::to_device: {
        if (host_in_ + held < now) host_in_ = now - held;
        const core::sim_time here =
            std::max(host_in_, j.begun + spec_.host_latency) + spec_.host_bandwidth.time_of({length});
        if (here > now) {
            arm(here);
            return true;
        }
        host_in_ = here;
        return false;
    }
    case copy_kind::from_device:
        if (host_out_ <= now + held) return false;
        arm(host_out_ - held);
        return true;
    }
    return false;
}

void dma_engine::send(std::uint32_t number, memory::payload& p) {
    memory::memory_extension& e = p.extension();
    e.origin = {static_cast<std::uint16_t>(spec_.socket), 0xffff, number};
    e.scope = memory::scope::system;
    e.push_route(number);
    e.times.begin(shared_.events.now());
    ++sent_total_;
    port_->send(e);
}

bool dma_engine::response_arrived(unsigned, memory::memory_extension& request) {
    const std::uint32_t number = request.pop_route();
    slot& s = slots_[number];
    ++answered_total_;
    if (s.sent->get_response_status() != tlm::TLM_OK_RESPONSE)
        s.of->part->fail(std::make_exception_ptr(
            std::runtime_error(fmt::format("{}: an access to physical address {:#x} was answered with {}", path_,
                                           s.sent->get_address(), pcie::reason_of(*s.sent)))));
    if (s.reading)
        read_done(number, s);
    else
        line_done(number, s);
    // Not from here: this may be within a call backward, in which nothing may be sent.
    arm(shared_.events.now());
    if (paused_ && quiet()) owner_.dma_quiet();
    return true;
}

void dma_engine::read_done(std::uint32_t number, slot& s) {
    const copy_part& c = *s.of->part;
    if (c.kind == copy_kind::from_device) {
        std::memcpy(c.host + s.offset, s.sent->bytes(), s.length);
        host_out_ = std::max(host_out_, shared_.events.now()) + spec_.host_bandwidth.time_of({s.length});
        return line_done(number, s);
    }
    memory::payload& w = shared_.payloads.take();  // others may still look at the one that came back
    w.write(c.to + s.offset, s.length);
    std::memcpy(w.bytes(), s.sent->bytes(), s.length);
    s.sent->release();
    s.sent = &w;
    s.reading = false;
    to_write_.try_push(number);
}

void dma_engine::line_done(std::uint32_t number, slot& s) {
    job& j = *s.of;
    j.moved += s.length;
    moved_total_ += s.length;
    switch (j.part->kind) {
    case copy_kind::to_device: bytes_in_ += s.length; break;
    case copy_kind::from_device: bytes_out_ += s.length; break;
    case copy_kind::within: bytes_within_ += s.length; break;
    }
    s.sent->release();
    s = {};
    free_.push_back(number);
    if (j.moved < j.part->bytes) return;
    const auto at = static_cast<std::uint64_t>(
        std::find_if(jobs_.begin(), jobs_.end(), [&](const job& o) { return &o == &j; }) - jobs_.begin());
    const core::sim_time now = shared_.events.now();
    calls_.at<&dma_engine::finish>(j.part->kind == copy_kind::from_device ? host_out_ + spec_.host_latency : now,
                                   static_cast<std::uint32_t>(first_job_ + at));
}

void dma_engine::finish(std::uint32_t number) {
    job& j = jobs_[(number - first_job_) & 0xffffffff];
    copy_part& p = *j.part;
    ++copies_;
    latency_.add((shared_.events.now() - j.begun).ps / 1000);
    j.part = nullptr;
    while (!jobs_.empty() && jobs_.front().part == nullptr) {
        jobs_.pop_front();
        ++first_job_;
        --sending_;
    }
    p.end();
}

bool dma_engine::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause:
    case core::control_verb::drain:
        (verb == core::control_verb::pause ? paused_ : draining_) = true;
        stopped_since_ = shared_.events.now();
        return true;
    case core::control_verb::enable:
        paused_ = draining_ = false;
        arm(shared_.events.now());
        return true;
    case core::control_verb::reset: drop_all(); return true;
    default: return false;
    }
}

void dma_engine::drop_all() {
    pump_at_.cancel();
    calls_.cancel();
    for (std::uint32_t n = 0; n < slots_.size(); ++n) {
        if (slots_[n].sent == nullptr) continue;
        slots_[n].sent->release();
        slots_[n] = {};
        free_.push_back(n);
    }
    to_write_.clear();
    next_send_ = host_in_ = host_out_ = {};
    paused_ = draining_ = false;
    asked_total_ = moved_total_;
    sent_total_ = answered_total_;
    const std::deque<job> dropped = std::move(jobs_);
    jobs_.clear();
    first_job_ = sending_ = 0;
    for (const job& j : dropped) {
        if (j.part == nullptr) continue;
        j.part->fail(std::make_exception_ptr(std::runtime_error(path_ + " was reset")));
        j.part->end();
    }
}

void dma_engine::report_waits(std::vector<core::wait_edge>& edges) const {
    if ((paused_ || draining_) && !jobs_.empty()) edges.push_back({path_, "to be enabled", path_, stopped_since_});
    if (port_ != nullptr && !port_->ready())
        edges.push_back({path_, "acceptance of a request", port_->peer_name(), port_->sending_since()});
    const slot* oldest = nullptr;
    for (const slot& s : slots_)
        if (s.sent != nullptr &&
            (oldest == nullptr || s.sent->extension().times.begun() < oldest->sent->extension().times.begun()))
            oldest = &s;
    if (oldest != nullptr)
        edges.push_back({path_, fmt::format("responses to {} requests", outstanding() - to_write_.size()),
                         port_->peer_name(), oldest->sent->extension().times.begun()});
}

void dma_engine::check(observe::conservation& checks) const {
    checks.check(path_ + ": bytes to be copied and copied", "bytes", asked_total_, moved_total_);
    checks.check(path_ + ": requests sent and answered", "requests", sent_total_, answered_total_);
}

}  // namespace contraflow::gpu
