// SPDX-License-Identifier: Apache-2.0
#include "gpu/peer/copy_engine.h"

#include <algorithm>
#include <utility>

#include "core/little_endian.h"

namespace contraflow::gpu {

copy_engine::copy_engine(core::scheduler& events, observe::statistics& statistics, pcie::function& of,
                         peer_memory& memory, const peer_spec& s, std::string name)
    : events_(events),
      function_(of),
      memory_(memory),
      spec_(s),
      name_(std::move(name)),
      msi_(of),
      bytes_(statistics, name_ + ".bytes", "bytes", "that were copied between this GPU and the host"),
      failed_(statistics, name_ + ".failed", "pieces", "of copies that PCIe answered with an error"),
      refused_(statistics, name_ + ".refused", "commands", "without room, or for memory that is not there") {
    reset();
}

void copy_engine::reset() {
    issue_.cancel();
    msi_.reset();
    next_ = {};
    commands_.clear();
    issuing_ = 0;
    pieces_.reset();
    free_at_ = {};
    ended_ = report_at_ = 0;
    reporting_ = report_again_ = false;
}

pcie::access_result copy_engine::start(std::uint64_t word) {
    const peer_copy c = peer_copy::decode(word);
    const std::uint64_t size = memory_.bytes().size();
    if (c.length == 0 || next_.gpu > size || c.length > size - next_.gpu || commands_.size() == spec_.copy_queue) {
        ++refused_;
        return pcie::access_result::aborted;
    }
    command& one = commands_.emplace_back(next_);
    one.length = c.length;
    one.to_host = c.to_host;
    one.tell = c.tell;
    arm();
    return pcie::access_result::done;
}

void copy_engine::arm() {
    if (issuing_ == commands_.size() || pieces_.none_free() || issue_.armed()) return;
    // One the other way may read what those before it write.
    if (issuing_ != 0 && commands_[issuing_].to_host != commands_[issuing_ - 1].to_host) return;
    issue_.arm(std::max(free_at_, events_.now()));
}

void copy_engine::issue() {
    command& c = commands_[issuing_];
    piece& p = pieces_.take();
    p.of = &c;
    p.kind = c.to_host ? pcie::operation_kind::write : pcie::operation_kind::read;
    p.address = c.host + c.issued;
    p.length = pieces_.length_at(p.address, c.length - c.issued);
    p.buffer = memory_.bytes().data() + c.gpu + c.issued;
    p.owner = this;
    c.issued += static_cast<std::uint32_t>(p.length);
    ++c.under_way;
    if (c.issued == c.length) ++issuing_;
    free_at_ = events_.now() + spec_.copy_rate.time_of(core::bytes{p.length});
    function_.start(p);
    arm();
}

void copy_engine::finished(pcie::operation& o) {
    if (&o == &report_) {
        reporting_ = false;
        // The count has left, so an interrupt that has not is behind it, even one of an earlier count.
        msi_.raise(0);
        if (std::exchange(report_again_, false)) report();
        return;
    }
    auto& p = static_cast<piece&>(o);
    if (p.failed()) ++failed_;
    bytes_ += p.length;
    --p.of->under_way;
    pieces_.give_back(p);
    end_commands();
    arm();
}

void copy_engine::end_commands() {
    bool tell = false;
    while (issuing_ != 0 && commands_.front().under_way == 0) {
        tell = tell || commands_.front().tell;
        commands_.pop_front();
        --issuing_;
        ++ended_;
    }
    if (tell) report();
}

// Writes to the host have left already, and the report cannot pass them.
void copy_engine::report() {
    if (reporting_) {
        report_again_ = true;
        return;
    }
    reporting_ = true;
    core::store_le<std::uint64_t>(count_.data(), ended_);
    report_.kind = pcie::operation_kind::write;
    report_.address = report_at_;
    report_.length = count_.size();
    report_.buffer = count_.data();
    report_.owner = this;
    function_.start(report_);
}

void copy_engine::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!commands_.empty()) edges.push_back({name_, "a copy to end", function_.name(), {}});
}

}  // namespace contraflow::gpu
