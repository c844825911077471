// SPDX-License-Identifier: Apache-2.0
#include "nic/transmit/peer_reader.h"

#include <algorithm>
#include <utility>

#include "core/little_endian.h"
#include "gpu/peer/peer_protocol.h"
#include "nic/transmit/transmit_engine.h"

namespace contraflow::nic {
namespace {

using pcie::access_result;

constexpr std::uint32_t lines_a_copy = 256;
constexpr std::uint8_t both_halves = 3;

}  // namespace

peer_reader::peer_reader(core::scheduler& events, observe::statistics& statistics, pcie::function& of,
                         transmit_buffer& buffer, const transmit_spec& s, transmit_engine& user, std::string name)
    : events_(events),
      function_(of),
      buffer_(buffer),
      user_(user),
      name_(std::move(name)),
      spec_(s),
      jobs_(s.packets),
      ask_(s.packets),
      owner_(buffer.lines()),
      awaited_(buffer.lines()),
      slots_(s.requests),
      requests_(statistics, name_ + ".requests", "requests", "read requests of 128 bytes"),
      answers_(statistics, name_ + ".answers", "TLPs", "posted writes of 64 bytes that were waited for"),
      unexpected_(statistics, name_ + ".unexpected", "TLPs", "writes that nothing waited for: refused"),
      misplaced_(statistics, name_ + ".misplaced", "requests",
                 "that the core wrote for another place than the next: refused"),
      timeouts_(statistics, name_ + ".timeouts", "fetches", "that a GPU did not answer in time") {
    reset();
}

void peer_reader::reset() {
    generate_.cancel();
    watch_.cancel();
    ask_.clear();
    std::ranges::fill(awaited_, std::uint8_t{0});
    open_ = 0;
    ++epoch_;
    stuck_ = {};
    next_request_ = {};
    free_.clear();
    for (slot& s : slots_) free_.push_back(&s);
}

void peer_reader::start(unsigned number, const fetch_range& what) {
    jobs_[number] = {what, 0, what.lines};
    ask_.try_push(number);
    for (std::uint32_t i = 0; i < what.lines; ++i) owner_[(what.first + i) % buffer_.lines()] = number;
    if (open_ == 0) progress_ = events_.now();
    open_ += what.lines;
    if (!watch_.armed()) watch_.arm(progress_ + spec_.answer_timeout);
    arm();
}

// ---- requests

void peer_reader::arm() {
    if (ask_.empty() || free_.empty()) return;
    if (spec_.generation == gpu_generation::v1) { return user_.request_wanted(); }
    if (!generate_.armed()) generate_.arm(std::max(next_request_, events_.now()));
}

std::uint32_t peer_reader::next_line() const {
    const job& j = jobs_[ask_.front()];
    return (j.what.first + j.asked) % buffer_.lines();
}

wanted_reads peer_reader::wanted() const {
    if (ask_.empty()) return {};
    const job& j = jobs_[ask_.front()];
    const std::uint32_t line = next_line();
    return {j.what.address + std::uint64_t{j.asked} * gpu::peer_line, epoch_ * lines_a_copy + line,
            std::min({j.what.lines - j.asked, static_cast<std::uint32_t>(free_.size()), buffer_.lines() - line})};
}

void peer_reader::write_request(std::uint64_t word) {
    const wanted_reads next = wanted();
    if (next.count == 0 || word >> 40 != next.place) {
        ++misplaced_;
        return;
    }
    send(word);
}

void peer_reader::generate() {
    if (ask_.empty()) return;  // given up meanwhile
    const wanted_reads next = wanted();
    send(gpu::peer_read_request{next.address, next.place}.encode());
    arm();
}

void peer_reader::send(std::uint64_t word) {
    job& j = jobs_[ask_.front()];
    awaited_[next_line()] = both_halves;
    slot& s = *free_.back();
    free_.pop_back();
    core::store_le<std::uint64_t>(s.bytes.data(), word);
    s.kind = pcie::operation_kind::write;
    s.address = j.what.mailbox;
    s.length = s.bytes.size();
    s.buffer = s.bytes.data();
    s.owner = this;
    ++requests_;
    if (++j.asked == j.what.lines) ask_.pop();
    next_request_ = events_.now() + spec_.request_interval;
    function_.start(s);
}

void peer_reader::finished(pcie::operation& o) {
    free_.push_back(&static_cast<slot&>(o));
    arm();
}

// ---- answers

access_result peer_reader::write(std::uint64_t offset, const pcie::tlp& packet) {
    const std::uint64_t place = offset / transmit_buffer::line;
    const auto line = static_cast<std::uint32_t>(place % lines_a_copy);
    const auto half = static_cast<std::uint8_t>(1u << offset / gpu::peer_answer % 2);
    const bool whole = offset % gpu::peer_answer == 0 && pcie::span_of(packet).length == gpu::peer_answer &&
                       packet.length == gpu::peer_answer && pcie::contiguous(packet);
    if (!whole || place / lines_a_copy != epoch_ || line >= buffer_.lines() || (awaited_[line] & half) == 0) {
        ++unexpected_;
        return access_result::aborted;
    }
    buffer_.write(line, offset % transmit_buffer::line, packet.data, gpu::peer_answer);
    ++answers_;
    progress_ = events_.now();
    awaited_[line] = static_cast<std::uint8_t>(awaited_[line] & ~half);
    if (awaited_[line] != 0) return access_result::done;
    --open_;
    const unsigned number = owner_[line];
    if (--jobs_[number].missing == 0) user_.fetched(number, false);
    return access_result::done;
}

// Gives up all requests, sent or not: answers come in order, so no later one can come.
void peer_reader::check_answers() {
    if (open_ == 0) return;
    const core::sim_time due = progress_ + spec_.answer_timeout;
    if (events_.now() < due) return watch_.arm(due);
    ++epoch_;
    generate_.cancel();
    ask_.clear();
    std::ranges::fill(awaited_, std::uint8_t{0});
    open_ = 0;
    std::vector<unsigned> failed;
    for (unsigned n = 0; n < jobs_.size(); ++n)
        if (std::exchange(jobs_[n].missing, 0) != 0) {
            failed.push_back(n);
            stuck_.at(jobs_[n].what.gpu) = true;
        }
    timeouts_ += failed.size();
    for (const unsigned n : failed) user_.fetched(n, true);
}

void peer_reader::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!ask_.empty() && free_.empty()) edges.push_back({name_, "read requests to leave", function_.name(), progress_});
    if (open_ != 0) {
        unsigned gpu = 0;
        for (const job& j : jobs_)
            if (j.missing != 0) gpu = j.what.gpu;
        edges.push_back({name_, "answers to read requests", fmt::format("gpu{}", gpu), progress_});
    }
}

}  // namespace contraflow::nic
