// SPDX-License-Identifier: Apache-2.0
#include "pcie/dma/endpoint.h"

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

constexpr auto delivery_window = core::sim_time::from_us(1);

}  // namespace

endpoint::endpoint(const char* name, const port::resources& shared, tlp_pool& pool, const spec& s,
                   const address_map::function& place, stream_table& streams, stream_memory& memory)
    : events_(shared.events),
      spec_(s),
      streams_(streams),
      memory_(memory),
      function_(name, shared, pool, s.device, place, *this),
      start_(events_, *this),
      interrupts_(shared.statistics, std::string(function_.name()) + ".interrupts", "interrupts",
                  "messages that announced the end of a communication"),
      latency_(shared.statistics, std::string(function_.name()) + ".latency", "ps",
               "time from the making of a TLP with data to its arrival in memory"),
      delivered_(shared.statistics, std::string(function_.name()) + ".delivered", "bytes",
                 "payload that arrived in memory, by window of time", delivery_window) {
    memory_.set_owner(*this);
    function_.map_bar(memory_bar, memory_);
    function_.map_bar(interrupt_bar, window_);
}

// ---- the DMA engine

void endpoint::add(std::uint32_t stream_number) {
    announce_.configure(queue_.size(), {streams_[stream_number].interrupt, stream_number});
    queue_.push_back(stream_number);
}

void endpoint::begin() { take_up(); }

void endpoint::take_up() {
    if (current_ || drained_ || position_ == queue_.size()) return;
    const std::uint32_t number = queue_[position_];
    const stream& s = streams_[number];
    if (s.start > events_.now()) return start_.arm(s.start);
    current_ = true;
    const bool push = spec_.mode == transfer_mode::push;
    under_way_.kind = push ? operation_kind::write : operation_kind::read;
    under_way_.address = push ? s.destination : s.source;
    under_way_.length = s.size.count;
    under_way_.stream = under_way_.of = number;
    function_.start(under_way_);
}

void endpoint::fetch(operation& o, std::uint64_t offset, std::uint8_t* to, std::uint32_t length) {
    memory_.read(number_of(o), offset, to, length);
}

void endpoint::store(operation& o, std::uint64_t offset, const std::uint8_t* from, std::uint32_t length,
                     const tlp& completion) {
    memory_.store(number_of(o), offset, from, length, completion);
}

void endpoint::leaving(operation& o, std::uint64_t offset, tlp& packet) {
    stream& s = streams_[number_of(o)];
    if (s.begun == core::sim_time::never()) s.begun = events_.now();
    s.issued = std::min(s.size.count, offset + packet.length);
}

void endpoint::completed(operation& o, tlp_note*, core::sim_time) {
    if (o.timed_out && fault_.empty())
        fault_ =
            fmt::format("{}: a read of '{}' was not answered within the completion timeout of {}", function_.name(),
                        streams_[number_of(o)].name, to_text(spec_.device.requests.completion_timeout));
}

void endpoint::finished(operation& o) {
    if (o.failed())
        ++misdirected_;
    else
        announce_.raise(position_);
    current_ = false;
    ++position_;
    take_up();
}

// ---- its memory

void endpoint::count(std::uint32_t stream_number, std::uint64_t position, std::uint32_t length, const tlp& by) {
    stream& s = streams_[stream_number];
    // Posted writes keep their order. Completions of one read do too, but not those of several reads.
    if (by.kind == tlp_kind::memory_write && position != s.delivered) s.wrong += length;
    delivered_bytes_ += length;
    latency_.add((events_.now() - by.born).ps);
    delivered_.add(events_.now(), length);
    streams_.arrive(stream_number, length, events_.now());
    if (s.done()) ++finished_streams_;
}

void endpoint::interrupt(std::uint64_t, std::uint32_t stream_number) {
    const bool known = stream_number < streams_.size() &&
                       function_.place().bars[interrupt_bar].holds(streams_[stream_number].interrupt);
    if (!known || !streams_[stream_number].done() || streams_[stream_number].announced) {
        ++misdirected_;
        return;
    }
    streams_[stream_number].announced = true;
    ++interrupts_;
}

std::uint64_t endpoint::unexpected_tlps() const {
    return function_.unexpected() + function_.answers().unsupported() + function_.answers().aborted() + misdirected_;
}

bool endpoint::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::drain: drained_ = true; return true;
    case core::control_verb::enable:
        drained_ = false;
        function_.control(verb);
        take_up();
        return true;
    case core::control_verb::reset:
        function_.control(verb);
        announce_.reset();
        drained_ = false;
        queue_.clear();
        position_ = 0;
        current_ = false;
        fault_.clear();
        start_.cancel();
        return true;
    case core::control_verb::pause:
    case core::control_verb::invalidate:
    case core::control_verb::flush: break;
    }
    return function_.control(verb);
}

}  // namespace contraflow::pcie
