// SPDX-License-Identifier: Apache-2.0
#include "nic/device/receive_port.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "gpu/peer/peer_protocol.h"

namespace contraflow::nic {

receive_port::receive_port(core::scheduler& events, observe::statistics& statistics, pcie::function& of,
                           table_memory& tables, const spec& s, receive_user_if& user, std::string name)
    : events_(events),
      function_(of),
      tables_(tables),
      spec_(s),
      user_(user),
      name_(std::move(name)),
      slots_(s.writes),
      data_(statistics, name_ + ".data", "bytes", "payload written over PCIe"),
      moves_(statistics, name_ + ".moves", "writes", "writes that moved a GPU's window"),
      completions_(statistics, name_ + ".completions", "writes", "into completion rings"),
      unattached_(statistics, name_ + ".unattached", "writes",
                  "writes for a GPU that does not exist; they are dropped"),
      flushes_(statistics, name_ + ".flushes", "reads",
               "reads of a GPU's register, to know that data is in its memory"),
      refused_writes_(statistics, name_ + ".refused", "writes", "writes that GPUs have refused, as far as read") {
    reset();
}

void receive_port::reset() {
    calls_.cancel();
    table_.cancel();
    again_.cancel();
    room_.cancel();
    refused_ = false;
    gets_ = 0;
    free_.clear();
    for (slot& s : slots_) free_.push_back(&s);
    for (flush_read& r : flushes_of_) {
        r.written = r.flushed = r.begun = 0;
        r.under_way = false;
    }
    completions_held_.clear();
    invalidated_after_.reset();
    told_ = refused_until_ = {};
}

// ---- from the torus

namespace {

bool is_get(const packet_header& h) { return h.kind == static_cast<std::uint8_t>(packet_kind::get_request); }

bool is_get(const torus_packet& p) {
    return p.size() >= word_bytes &&
           is_get(packet_header::decode(std::span<const std::uint8_t, word_bytes>(p.data(), word_bytes)));
}

}  // namespace

bool receive_port::can_take(unsigned, const torus_packet& p) {
    return (!is_get(p) || gets_ < user_.message_room()) && datapath_->can_receive();
}

void receive_port::take(unsigned, torus_packet p) {
    if (is_get(p)) ++gets_;
    datapath_->receive(p, word_ * (p.size() / word_bytes));
}

bool receive_port::take_message(const core_message& m) {
    if (!user_.take_message(m)) return false;
    --gets_;
    return true;
}

void receive_port::dropped(const packet_drop& d) {
    user_.dropped(d);
    if (!is_get(d.header)) return;
    --gets_;
    message_room();
}

// ---- writes

// An acknowledgement must not reach the datapath from within its own call.
bool receive_port::take_dma(const dma_request& r) {
    if (free_.empty()) {
        refused_ = true;
        return false;
    }
    const bool gpu = of_gpu(r.space) && r.kind != dma_kind::completion;
    if (gpu && !gpus_[gpu_of(r.space)].attached) {
        ++unattached_;
        calls_.after<&receive_port::acknowledge>({}, r.tag);
        return true;
    }
    if (free_.size() == slots_.size()) last_left_ = events_.now();
    slot& s = *free_.back();
    free_.pop_back();
    s.tag = r.tag;
    s.completion = r.kind == dma_kind::completion;
    s.kind = pcie::operation_kind::write;
    s.owner = this;
    if (r.kind == dma_kind::window) {
        ++moves_;
        s.length = gpu::peer_register_size;
        core::store_le<std::uint64_t>(s.bytes.data(), gpu::peer_window{r.address, r.token, true}.encode());
        s.address = gpus_[gpu_of(r.space)].window_register;
        s.buffer = s.bytes.data();
    } else {
        (s.completion ? completions_ : data_) += s.completion ? 1 : r.bytes.size();
        s.address = gpu ? gpus_[gpu_of(r.space)].window + r.address % gpu::peer_page : r.address;
        s.length = r.bytes.size();
        s.buffer = const_cast<std::uint8_t*>(r.bytes.data());  // a write only reads it
    }
    if (gpu) ++flushes_of_[gpu_of(r.space)].written;
    if (s.completion && spec_.flush) {
        std::ranges::copy(r.bytes, s.bytes.begin());
        s.buffer = s.bytes.data();
        s.after = written();
        completions_held_.push_back(&s);
        flush();
        return true;
    }
    function_.start(s);
    return true;
}

// ---- data in GPUs' memories

receive_port::marks receive_port::written() const {
    marks all{};
    for (unsigned g = 0; g < all.size(); ++g) all[g] = flushes_of_[g].written;
    return all;
}

bool receive_port::in_memory(const marks& writes) const {
    for (unsigned g = 0; g < writes.size(); ++g)
        if (writes[g] > flushes_of_[g].flushed) return false;
    return true;
}

// Lets go what waits for nothing any more, and reads the registers of the GPUs for which the rest waits.
void receive_port::flush() {
    while (!completions_held_.empty() && in_memory(completions_held_.front()->after)) {
        slot& s = *completions_held_.front();
        completions_held_.pop_front();
        bool refused = false;
        for (unsigned g = 0; g < told_.size(); ++g)
            refused = refused || told_[g] < std::min(refused_until_[g], s.after[g]);
        s.bytes[completion_record::refused_at] = refused ? 1 : 0;
        told_ = s.after;
        function_.start(s);
    }
    if (invalidated_after_ && in_memory(*invalidated_after_)) {
        invalidated_after_.reset();
        user_.invalidated();
    }
    if (completions_held_.empty() && !invalidated_after_) return;
    for (unsigned g = 0; g < flushes_of_.size(); ++g) {
        flush_read& r = flushes_of_[g];
        if (r.under_way || r.flushed == r.written) continue;
        r.under_way = true;
        r.begun = r.written;
        r.kind = pcie::operation_kind::read;
        r.address = gpus_[g].refused_register;
        r.length = r.bytes.size();
        r.buffer = r.bytes.data();
        r.owner = this;
        flushing_since_ = events_.now();
        ++flushes_;
        function_.start(r);
    }
}

// A GPU that does not answer has refused what was written, as far as anybody can know.
void receive_port::flushed(flush_read& r) {
    r.under_way = false;
    r.flushed = r.begun;
    const auto refused = r.failed() ? r.refused : core::load_le<std::uint32_t>(r.bytes.data() + 4);
    if (r.failed() || refused != r.refused) refused_until_[static_cast<std::size_t>(&r - flushes_of_.data())] = r.begun;
    refused_writes_ += refused - r.refused;
    r.refused = refused;
    flush();
}

void receive_port::invalidated() {
    if (!spec_.flush) return user_.invalidated();
    invalidated_after_ = written();
    flush();
}

void receive_port::finished(pcie::operation& o) {
    for (flush_read& r : flushes_of_)
        if (&r == &o) return flushed(r);
    auto& s = static_cast<slot&>(o);
    free_.push_back(&s);
    last_left_ = events_.now();
    calls_.after<&receive_port::acknowledge>({}, s.tag);
    if (s.completion) user_.completion_written();
    if (refused_ && !again_.armed()) again_.arm_after({});
}

void receive_port::again() {
    if (std::exchange(refused_, false)) datapath_->dma_ready();
}

void receive_port::read_table(std::uint64_t address) {
    entry_ = tables_.entry(address);
    table_.arm_after(spec_.table_latency);
}

void receive_port::report_waits(std::vector<core::wait_edge>& edges) const {
    for (unsigned g = 0; g < flushes_of_.size(); ++g)
        if (flushes_of_[g].under_way)
            edges.push_back(
                {name_, fmt::format("data to be in the memory of GPU {}", g), function_.name(), flushing_since_});
    if (free_.size() != slots_.size()) edges.push_back({name_, "writes to leave", function_.name(), last_left_});
}

}  // namespace contraflow::nic
