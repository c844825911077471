// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/dma_engine.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "gpu/system/host_pipe.h"
#include "gpu/system/pcie_host_side.h"
#include "pcie/bridge/response_status.h"

namespace contraflow::gpu {

// A PCIe 4.0 x16 link has 31.5 GB/s per direction; headers and flow control leave about 25 GB/s. The number of
// outstanding requests is twice that bandwidth times the latency of memory.
void dma_engine::spec::describe(config::fields<spec>& f) {
    f("outstanding", &spec::outstanding).in(1, 1024).text("line requests under way together");
    f("host_bandwidth", &spec::host_bandwidth)
        .in(core::bandwidth::from_gb_per_s(0.001), core::bandwidth::from_gb_per_s(10000))
        .text("bandwidth between the host's memory and the GPU, in each direction");
    f("host_latency", &spec::host_latency).text("latency between the host's memory and the GPU");
}

dma_engine::dma_engine(const memory::resources& shared, std::string path, const spec& s, core::callback quiet)
    : line_copier(shared, std::move(path), {s.outstanding, s.cycle, static_cast<std::uint16_t>(s.socket), 0xffff}),
      spec_(s),
      tell_quiet_(quiet),
      host_(std::make_unique<host_pipe>(
          shared.events,
          host_pipe::spec{s.host_bandwidth, s.host_latency, s.host_bandwidth.time_of(s.line * s.outstanding)},
          static_cast<host_side_user_if&>(*this))),
      calls_(shared.events, *this),
      copies_(shared.statistics, path_ + ".copies", "copies", "copies, or parts of them, that have ended"),
      bytes_in_(shared.statistics, path_ + ".from_host", "bytes", "bytes brought from the host's memory"),
      bytes_out_(shared.statistics, path_ + ".to_host", "bytes", "bytes brought to the host's memory"),
      bytes_within_(shared.statistics, path_ + ".within", "bytes", "bytes moved between places in GPUs' memories"),
      latency_(shared.statistics, path_ + ".latency", "ns", "time from the order to the end of a copy or part of one") {
}

// Twice the bytes of the outstanding lines: the round trip to the host is longer than that to memory.
void dma_engine::connect_host(pcie::function& function, const std::string& host) {
    const std::uint64_t bytes = 2 * spec_.line.count * spec_.outstanding;
    host_ = std::make_unique<pcie_host_side>(shared_.events, function, path_, host,
                                             std::max<std::size_t>(2, bytes / pcie::boundary_4k),
                                             static_cast<host_side_user_if&>(*this));
}

void dma_engine::submit(copy_part& p) {
    job& j = jobs_.emplace_back();
    j.part = &p;
    j.number = static_cast<std::uint32_t>(first_job_ + jobs_.size() - 1);
    j.begun = shared_.events.now();
    asked_total_ += p.bytes;
    if (p.kind != copy_kind::within) host_->begin(j);
    arm(shared_.events.now());
}

// An earlier time replaces the armed one; the callback of the later time then finds nothing to do.
void dma_engine::arm(core::sim_time when) {
    if (!paused_) send_from(when);
}

bool dma_engine::start_next() {
    if (sending_ == jobs_.size() || full()) return false;
    job& j = jobs_[sending_];
    if (draining_ && j.sent == 0) return false;
    const unsigned length = next_length(j);
    const copy_part& c = *j.part;
    const bool writes = c.kind == copy_kind::to_device;
    if (c.kind != copy_kind::within && !host_->ready(j, j.sent, length)) return false;
    memory::payload& p = shared_.payloads.take();
    if (writes) {
        p.write(c.to + j.sent, length);
        host_->take(j, j.sent, p.bytes(), length);
    } else {
        p.read(c.from + j.sent, length);
    }
    const line l{&p, static_cast<std::uint32_t>(first_job_ + sending_), j.sent, length,
                 writes ? stage::writing : stage::reading};
    j.sent += length;
    if (j.sent == c.bytes) ++sending_;
    start(l, memory::cache_policy::cached);
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
    if (c.kind != copy_kind::within) length = std::min(length, host_->reach(j, j.sent));
    return static_cast<unsigned>(length);
}

std::optional<std::uint64_t> dma_engine::write_to(const line& l) {
    const copy_part& c = *job_of(l.job).part;
    if (c.kind == copy_kind::within) return c.to + l.offset;
    host_->put(job_of(l.job), l.offset, l.sent->bytes(), l.length);
    return std::nullopt;
}

bool dma_engine::failed(const line& l) {
    job_of(l.job).part->fail(std::make_exception_ptr(
        std::runtime_error(fmt::format("{}: an access to physical address {:#x} was answered with {}", path_,
                                       l.sent->get_address(), pcie::reason_of(*l.sent)))));
    return true;
}

void dma_engine::ended(const line& l) {
    job& j = job_of(l.job);
    j.moved += l.length;
    moved_total_ += l.length;
    switch (j.part->kind) {
    case copy_kind::to_device: bytes_in_ += l.length; break;
    case copy_kind::from_device: bytes_out_ += l.length; break;
    case copy_kind::within: bytes_within_ += l.length; break;
    }
    if (j.moved < j.part->bytes) return;
    if (j.part->kind == copy_kind::from_device) return host_->all_put(j);
    calls_.at<&dma_engine::finish>(shared_.events.now(), l.job);
}

void dma_engine::answered() {
    arm(shared_.events.now());
    if (paused_ && quiet()) tell_quiet_();
}

void dma_engine::finish(std::uint32_t number) {
    job& j = job_of(number);
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
    line_copier::reset();
    calls_.cancel();
    host_->reset();
    paused_ = draining_ = false;
    asked_total_ = moved_total_;
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
    host_->report_waits(edges);
    line_copier::report_waits(edges);
}

void dma_engine::check(observe::conservation& checks) const {
    checks.check(path_ + ": bytes to be copied and copied", "bytes", asked_total_, moved_total_);
    line_copier::check(checks);
}

}  // namespace contraflow::gpu
