// SPDX-License-Identifier: Apache-2.0
#include "nic/device/receive_port.h"

#include <utility>

#include "gpu/peer/peer_protocol.h"
#include "nic/little_endian.h"

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
                  "writes for a GPU that does not exist; they are dropped") {
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
        nic::store(s.word.data(), gpu::peer_window{r.address, r.token, true}.encode(), sizeof s.word);
        s.address = gpus_[gpu_of(r.space)].window_register;
        s.length = s.word.size();
        s.buffer = s.word.data();
    } else {
        (s.completion ? completions_ : data_) += s.completion ? 1 : r.bytes.size();
        s.address = gpu ? gpus_[gpu_of(r.space)].window + r.address % gpu::peer_page : r.address;
        s.length = r.bytes.size();
        s.buffer = const_cast<std::uint8_t*>(r.bytes.data());  // a write only reads it
    }
    function_.start(s);
    return true;
}

void receive_port::finished(pcie::operation& o) {
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
    if (free_.size() != slots_.size()) edges.push_back({name_, "writes to leave", function_.name(), last_left_});
}

}  // namespace contraflow::nic
