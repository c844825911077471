// SPDX-License-Identifier: Apache-2.0
// A requester that sends the test's requests at the test's times, and notes the time of each answer.
#pragma once

#include <cstring>
#include <deque>

#include "bench.h"
#include "memory/port/request_port.h"

namespace contraflow::memory::testing {

class probe : public sc_core::sc_module, private request_owner_if {
public:
    probe(const sc_core::sc_module_name& name, bench& b)
        : sc_core::sc_module(name),
          port("port", b.shared, *this),
          b_(b) {}

    struct asked {
        payload* request = nullptr;
        core::sim_time at{};        // time of the request
        core::sim_time accepted{};  // time of its acceptance
        core::sim_time answered{};
        bool done = false;
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
        std::uint64_t value = 0;  // first bytes of the answer
        milestones times;
        core::sim_time latency() const { return answered - at; }
        std::uint64_t ns() const { return latency().ps / 1000; }
    };

    request_port port;
    bool takes_answers = true;

    // Sends the request when the port is free and that number of ns has passed.
    asked& read(std::uint64_t address, unsigned length = 4, std::uint64_t at_ns = 0) {
        return ask(at_ns, [&](payload& p) { p.read(address, length); });
    }
    asked& write(std::uint64_t address, std::uint64_t value, unsigned length = 4, std::uint64_t at_ns = 0) {
        return ask(at_ns, [&](payload& p) {
            p.write(address, length);
            std::memcpy(p.bytes(), &value, std::min<std::size_t>(length, sizeof value));
        });
    }
    asked& add(std::uint64_t address, std::uint32_t value, std::uint64_t at_ns = 0) {
        return ask(at_ns, [&](payload& p) {
            p.modify(address, 4, {atomic_op::add, operand_type::u32, 0});
            std::memcpy(p.bytes(), &value, 4);
        });
    }
    template <class Prepare> asked& ask(std::uint64_t at_ns, Prepare prepare) {
        payload& p = b_.payloads.take();
        prepare(p);
        asked& a = all_.emplace_back();
        a.request = &p;
        p.extension().origin.wave = static_cast<std::uint32_t>(all_.size() - 1);
        b_.sim.events().after(
            core::sim_time::from_ns(at_ns),
            [](void* self, std::uint64_t n) { static_cast<probe*>(self)->due(static_cast<std::size_t>(n)); }, this,
            all_.size() - 1);
        return a;
    }
    std::uint64_t look(std::uint64_t address, unsigned length = 4) {
        std::uint64_t value = 0;
        debug(tlm::TLM_READ_COMMAND, address, &value, length);
        return value;
    }
    void put(std::uint64_t address, std::uint64_t value, unsigned length = 4) {
        debug(tlm::TLM_WRITE_COMMAND, address, &value, length);
    }
    unsigned debug(tlm::tlm_command command, std::uint64_t address, void* data, unsigned length) {
        tlm::tlm_generic_payload trans;
        trans.set_command(command);
        trans.set_address(address);
        trans.set_data_ptr(static_cast<unsigned char*>(data));
        trans.set_data_length(length);
        return port->transport_dbg(trans);
    }
    void reset() {
        for (asked& a : all_)
            if (!a.done && a.request != nullptr) a.request->release();
        all_.clear();
        waiting_.clear();
        port.reset();
    }

private:
    void due(std::size_t n) {
        if (n >= all_.size()) return;
        waiting_.push_back(n);
        go_on();
    }
    void go_on() {
        while (!waiting_.empty() && port.ready()) {
            asked& a = all_[waiting_.front()];
            sending_ = waiting_.front();
            waiting_.pop_front();
            a.at = b_.sim.events().now();
            a.request->extension().times.begin(a.at);
            port.send(a.request->extension());
            if (port.ready()) a.accepted = a.at;
        }
    }
    bool response_arrived(unsigned, memory_extension& e) override {
        if (!takes_answers) return false;
        asked& a = all_[e.origin.wave];
        a.answered = b_.sim.events().now();
        a.done = true;
        a.status = a.request->get_response_status();
        std::memcpy(&a.value, a.request->bytes(), std::min(8u, a.request->get_data_length()));
        a.times = e.times;
        EXPECT_TRUE(e.times.tile());
        a.request->release();
        return true;
    }
    void request_port_ready(unsigned) override {
        all_[sending_].accepted = b_.sim.events().now();
        go_on();
    }

    bench& b_;
    std::deque<asked> all_;
    std::deque<std::size_t> waiting_;
    std::size_t sending_ = 0;
};

}  // namespace contraflow::memory::testing
