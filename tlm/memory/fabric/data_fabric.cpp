// SPDX-License-Identifier: Apache-2.0
#include "memory/fabric/data_fabric.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "memory/vm/translation.h"

namespace contraflow::memory {
namespace {

constexpr std::uint64_t io_page = 4096;  // of a device's registers

}  // namespace

void data_fabric_spec::describe(config::fields<data_fabric_spec>& f) {
    f("reorder", &data_fabric_spec::reorder)
        .in({}, core::sim_time::from_us(100))
        .text("longest random time that a unit's request waits on its way; its requests of other lines may pass it. 0: "
              "none");
    f("one_in", &data_fabric_spec::one_in)
        .in(1, 1'000'000)
        .unit("requests")
        .text("one request in so many waits, at random; the others wait only for earlier ones of their line");
    f("queue", &data_fabric_spec::queue).in(1, 4096).unit("requests").text("requests of a unit that wait");
    f("seed", &data_fabric_spec::seed).text("of the random times");
}

data_fabric::data_fabric(const sc_core::sc_module_name& name, const resources& shared, const data_fabric_spec& s)
    : sc_core::sc_module(name),
      up("up", shared, *this),
      down("down", shared, *this),
      events_(shared.events),
      spec_(s),
      draw_(s.seed),
      send_(shared.events, *this),
      requests_(shared.statistics, std::string(sc_object::name()) + ".requests", "requests", "requests that passed"),
      overtaken_(shared.statistics, std::string(sc_object::name()) + ".overtaken", "requests",
                 "requests that a younger one has passed"),
      queued_(shared.statistics, std::string(sc_object::name()) + ".queued", "requests", "requests that wait") {
    if (s.queue == 0 || s.one_in == 0 || s.reorder == core::sim_time{} || s.line.count == 0)
        throw std::invalid_argument("data_fabric: it needs room, a time and a line");
    waiting_.reserve(s.queue);
}

bool data_fabric::request_arrived(unsigned, memory_extension& request) {
    if (!intake_.taking || waiting_.size() == spec_.queue) return false;
    take_in(request);
    return true;
}

void data_fabric::take_in(memory_extension& request) {
    const core::sim_time now = events_.now();
    const std::uint64_t address = request.carrier().get_address();
    const std::uint64_t line = address / (address >= io_space ? io_page : spec_.line.count);
    core::sim_time due = now;
    if (spec_.one_in == 1 || draw_.below(spec_.one_in) == 0)
        due = now + core::sim_time{draw_.below(spec_.reorder.ps + 1)};
    for (const waiting& w : waiting_)
        if (w.line == line) due = std::max(due, w.due);
    waiting_.push_back({&request, line, due, now});
    ++accepted_;
    ++requests_;
    queued_.set(now, static_cast<double>(waiting_.size()));
    request.times.pass(name(), now);
    send_.arm_by(due);
}

void data_fabric::send() {
    const core::sim_time now = events_.now();
    while (intake_.serving && !waiting_.empty()) {
        // Of equal ones the first, which is the oldest: so a line's requests keep their order.
        const auto next = std::min_element(waiting_.begin(), waiting_.end(),
                                           [](const waiting& a, const waiting& b) { return a.due < b.due; });
        if (next->due > now) return send_.arm_by(next->due);
        if (!down.ready()) return;
        overtaken_ += static_cast<std::uint64_t>(next - waiting_.begin());
        memory_extension& request = *next->request;
        waiting_.erase(next);
        queued_.set(now, static_cast<double>(waiting_.size()));
        request.milestone(stage::crossbar, now);
        down.send(request);
        if (intake_.taking && up.held() != nullptr && waiting_.size() < spec_.queue) take_in(up.take_request());
    }
}

bool data_fabric::response_arrived(unsigned, memory_extension& request) {
    if (!up.ready()) return false;
    request.times.pass(name(), events_.now());
    ++answered_;
    up.respond(request);
    return true;
}

void data_fabric::response_port_ready(unsigned) {
    while (up.ready() && down.holds_response()) {
        memory_extension& request = *down.take_response();
        ++answered_;
        up.respond(request);
    }
}

void data_fabric::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    down->b_transport(trans, delay);
}

unsigned data_fabric::debug_access(unsigned, tlm::tlm_generic_payload& trans) { return down->transport_dbg(trans); }

bool data_fabric::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        reset();
        return true;
    }
    if (!intake_.control(verb)) return false;
    if (intake_.serving) send_.arm_by(events_.now());
    if (intake_.taking && up.held() != nullptr && waiting_.size() < spec_.queue) take_in(up.take_request());
    return true;
}

void data_fabric::reset() {
    up.reset();
    down.reset();
    waiting_.clear();
    queued_.set(events_.now(), 0);
    draw_ = core::random_source(spec_.seed);
    send_.cancel();
    intake_ = {};
    accepted_ = answered_ = 0;
}

void data_fabric::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!down.ready())
        edges.push_back({down.name(), "acceptance of a request", down.peer_name(), down.sending_since()});
    if (!up.ready()) edges.push_back({up.name(), "acceptance of a response", up.peer_name(), up.responding_since()});
    if (!intake_.serving && !waiting_.empty())
        edges.push_back({name(), "to be enabled", name(), waiting_.front().since});
    if (accepted_ - answered_ > waiting_.size()) edges.push_back({name(), "answers", down.peer_name(), events_.now()});
}

void data_fabric::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests taken and answered", name()), "requests", accepted_, answered_);
}

}  // namespace contraflow::memory
