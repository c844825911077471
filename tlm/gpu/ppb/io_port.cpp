// SPDX-License-Identifier: Apache-2.0
#include "gpu/ppb/io_port.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "memory/vm/translation.h"

namespace contraflow::gpu {

void io_port::spec::describe(config::fields<spec>& f) {
    f("queue", &spec::queue)
        .in(1, 4096)
        .unit("requests")
        .text("loads and stores of threads to bus addresses that are not answered");
}

io_port::statistics_set::statistics_set(observe::statistics& group, const std::string& path)
    : stores(group, path + ".stores", "requests", "stores of threads that left as posted writes"),
      stored_bytes(group, path + ".stored_bytes", "bytes", "their bytes, with those that are not enabled between them"),
      loads(group, path + ".loads", "requests", "loads of threads over PCIe"),
      loaded_bytes(group, path + ".loaded_bytes", "bytes", "their bytes"),
      controls(group, path + ".controls", "requests", "stores of threads to the control page of the own path block"),
      refused(group, path + ".refused", "requests", "accesses that were answered with an error"),
      under_way(group, path + ".under_way", "requests", "requests that are not answered"),
      store_latency(group, path + ".store_latency", "ns", "time from a store's arrival until it has left"),
      load_latency(group, path + ".load_latency", "ns", "time from a load's arrival until its data was here") {}

io_port::io_port(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s)
    : sc_core::sc_module(name),
      in("in", shared, *this),
      events_(shared.events),
      statistics_(shared.statistics, sc_object::name()),
      jobs_(s.queue),
      start_(shared.events, *this),
      answers_(shared.events, *this),
      calls_(shared.events, *this) {
    if (s.queue == 0) throw std::invalid_argument("io_port: no room");
    for (std::uint32_t n = s.queue; n-- > 0;) free_.push_back(n);
}

bool io_port::request_arrived(unsigned, memory::memory_extension& request) {
    if (!intake_.taking || waiting_ == free_.size()) return false;
    take(request);
    return true;
}

// Begins in a callback of its own: the end of a posted write may follow at once, and nothing may be answered from here.
void io_port::take(memory::memory_extension& request) {
    ++accepted_;
    ++waiting_;
    request.times.pass(name(), events_.now());
    statistics_.under_way.set(events_.now(), static_cast<double>(accepted_ - answered_));
    queue_.push(request);
    start_.arm_by(events_.now());
}

void io_port::start() {
    while (!queue_.empty()) {
        --waiting_;
        begin(queue_.pop());
    }
    take_held();
}

void io_port::begin(memory::memory_extension& request) {
    tlm::tlm_generic_payload& trans = request.carrier();
    const std::uint64_t bus = trans.get_address() - memory::io_space;
    const unsigned length = trans.get_data_length();
    if (!trans.is_read() && !trans.is_write()) return refuse(request, tlm::TLM_COMMAND_ERROR_RESPONSE);
    const bool partly = trans.get_byte_enable_ptr() != nullptr;
    if (length == 0 || trans.get_streaming_width() < length || (partly && trans.get_byte_enable_length() < length))
        return refuse(request, tlm::TLM_BURST_ERROR_RESPONSE);
    const std::uint32_t number = free_.back();
    job& j = jobs_[number];
    j.request = &request;
    j.since = events_.now();
    j.control = false;
    if (own_ != nullptr && function_->place().bars[path_block::control_bar].holds(bus)) {
        const std::uint64_t offset = bus - function_->place().bars[path_block::control_bar].base;
        std::uint64_t word = 0;  // matches no pattern
        if (!partly && length == 4) word = core::load_le<std::uint32_t>(trans.get_data_ptr());
        if (!partly && length == 8) word = core::load_le<std::uint64_t>(trans.get_data_ptr());
        if (!trans.is_write() || !own_->write_control(offset, word, calls_.make<&io_port::controlled>(number))) {
            j.request = nullptr;
            return refuse(request, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        }
        free_.pop_back();
        j.control = true;
        ++statistics_.controls;
        return;
    }
    free_.pop_back();
    j.kind = trans.is_write() ? pcie::operation_kind::write : pcie::operation_kind::read;
    j.address = bus;
    j.length = length;
    j.buffer = trans.get_data_ptr();
    j.enables = partly && trans.is_write() ? trans.get_byte_enable_ptr() : nullptr;
    j.owner = this;
    ++(trans.is_write() ? statistics_.stores : statistics_.loads);
    (trans.is_write() ? statistics_.stored_bytes : statistics_.loaded_bytes) += length;
    function_->start(j);
}

void io_port::finished(pcie::operation& o) {
    job& j = static_cast<job&>(o);
    memory::memory_extension& request = *std::exchange(j.request, nullptr);
    free_.push_back(static_cast<std::uint32_t>(&j - jobs_.data()));
    (o.kind == pcie::operation_kind::write ? statistics_.store_latency : statistics_.load_latency)
        .add((events_.now() - j.since).ps / 1000);
    request.carrier().set_response_status(o.failed() ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    if (o.failed()) ++statistics_.refused;
    end(request);
}

void io_port::controlled(std::uint32_t number) {
    memory::memory_extension& request = *std::exchange(jobs_[number].request, nullptr);
    free_.push_back(number);
    statistics_.store_latency.add((events_.now() - jobs_[number].since).ps / 1000);
    request.carrier().set_response_status(tlm::TLM_OK_RESPONSE);
    end(request);
}

void io_port::refuse(memory::memory_extension& request, tlm::tlm_response_status why) {
    ++statistics_.refused;
    request.carrier().set_response_status(why);
    end(request);
}

// Answers in a callback of its own: this may be within a call of the crossbar.
void io_port::end(memory::memory_extension& request) { answers_.push(request, events_.now()); }

void io_port::answer(memory::memory_extension& request) {
    const core::sim_time now = events_.now();
    request.milestone(memory::stage::link, now);
    ++answered_;
    statistics_.under_way.set(now, static_cast<double>(accepted_ - answered_));
    in.respond(request);
    take_held();
}

void io_port::take_held() {
    if (intake_.taking && in.held() != nullptr && waiting_ < free_.size()) take(in.take_request());
}

void io_port::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time&) {
    trans.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);  // PCIe has time
}

bool io_port::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        in.reset();
        for (job& j : jobs_) j.request = nullptr;
        free_.clear();
        for (auto n = static_cast<std::uint32_t>(jobs_.size()); n-- > 0;) free_.push_back(n);
        queue_.clear();
        waiting_ = 0;
        start_.cancel();
        answers_.reset();
        calls_.cancel();
        intake_ = {};
        accepted_ = answered_ = 0;
        statistics_.under_way.set(events_.now(), 0);
        return true;
    }
    if (!intake_.control(verb)) return false;
    take_held();
    return true;
}

void io_port::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!in.ready()) edges.push_back({in.name(), "acceptance of a response", in.peer_name(), in.responding_since()});
    auto store = core::sim_time::never(), load = store, control = store;
    for (const job& j : jobs_) {
        if (j.request == nullptr) continue;
        core::sim_time& oldest = j.control ? control : j.kind == pcie::operation_kind::write ? store : load;
        oldest = std::min(oldest, j.since);
    }
    if (store != core::sim_time::never())
        edges.push_back({name(), "a posted write to leave", function_->link().name(), store});
    if (load != core::sim_time::never()) edges.push_back({name(), "completions", function_->link().name(), load});
    if (control != core::sim_time::never()) edges.push_back({name(), "the end of a flush", own_->name(), control});
}

void io_port::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests taken and answered", name()), "requests", accepted_, answered_);
}

}  // namespace contraflow::gpu
