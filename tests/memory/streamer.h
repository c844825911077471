// SPDX-License-Identifier: Apache-2.0
// A requester that writes and reads the lines of a range in order, as fast as possible, and allocates nothing.
#pragma once

#include "memory/port/request_port.h"

namespace contraflow::memory::testing {

class streamer : public sc_core::sc_module, private request_owner_if {
public:
    streamer(const sc_core::sc_module_name& name, const resources& shared, std::uint64_t first, std::uint64_t lines)
        : sc_core::sc_module(name),
          port("port", shared, *this),
          events_(shared.events),
          payloads_(shared.payloads),
          first_(first),
          lines_(lines) {}

    request_port port;
    std::uint64_t answered = 0;
    // Sends that many requests; every third writes.
    void start(std::uint64_t requests) {
        left_ = requests;
        wake();
    }

private:
    void wake() {
        if (armed_ || left_ == 0 || under_way_ == 32 || !port.ready()) return;
        armed_ = true;
        events_.after<&streamer::send>(core::sim_time::from_ns(1), this);
    }
    void send() {
        armed_ = false;
        payload& p = payloads_.take();
        const std::uint64_t address = first_ + next_ % lines_ * 128;
        if (next_++ % 3 == 0)
            p.write(address, 128);
        else
            p.read(address, 128);
        p.extension().times.begin(events_.now());
        --left_;
        ++under_way_;
        port.send(p.extension());
        wake();
    }
    bool response_arrived(unsigned, memory_extension& request) override {
        request.carrier().release();
        --under_way_;
        ++answered;
        wake();
        return true;
    }
    void request_port_ready(unsigned) override { wake(); }

    core::scheduler& events_;
    payload_pool& payloads_;
    const std::uint64_t first_, lines_;
    std::uint64_t next_ = 0, left_ = 0;
    unsigned under_way_ = 0;
    bool armed_ = false;
};

}  // namespace contraflow::memory::testing
