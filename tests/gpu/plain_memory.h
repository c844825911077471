// SPDX-License-Identifier: Apache-2.0
// A memory for tests: answers each port's requests in order after a drawn time, holds a port back while too many of
// its requests are inside, and can be told to answer with errors or not at all.
#pragma once

#include <deque>
#include <random>
#include <set>

#include "memory/dram/backing_store.h"
#include "memory/port/delay_line.h"
#include "memory/port/response_port.h"

namespace contraflow::gpu::testing {

class plain_memory : public sc_core::sc_module, private memory::response_owner_if {
public:
    struct spec {
        unsigned ports = 1;
        unsigned queue = 16;
        core::sim_time least = core::sim_time::from_ns(20);
        core::sim_time most = core::sim_time::from_ns(400);
        std::uint64_t seed = 1;
    };

    plain_memory(const sc_core::sc_module_name& name, const memory::resources& shared, const spec& s, core::bytes size)
        : sc_core::sc_module(name),
          bytes(0, size),
          shared_(shared),
          spec_(s),
          draw_(s.seed) {
        for (unsigned i = 0; i < s.ports; ++i) parts_.emplace_back(*this, i);
    }

    memory::response_port& port(unsigned i) { return parts_[i].port; }

    memory::backing_store bytes;
    bool answering = true;
    bool failing = false;
    std::set<std::uint64_t> failing_at;  // requests for these addresses
    std::uint64_t requests = 0;
    std::uint64_t bytes_moved = 0;
    std::uint64_t most_inside = 0;
    std::uint64_t not_tiled = 0;
    std::set<std::uint64_t> sources;  // sockets and units of requesters

private:
    struct part {
        part(plain_memory& m, unsigned i)
            : home(m),
              port(sc_core::sc_gen_unique_name("port"), m.shared_, m, i),
              line(m.shared_.events, *this) {}
        void leave(memory::memory_extension& e) { home.answer(*this, e); }

        plain_memory& home;
        memory::response_port port;
        memory::delay_line<part, &part::leave> line;
        core::sim_time last{};
    };

    void enter(part& p, memory::memory_extension& e) {
        ++requests;
        bytes_moved += e.carrier().get_data_length();
        sources.insert(std::uint64_t{e.origin.gpu} << 32 | e.origin.unit);
        const auto drawn = std::uniform_int_distribution<std::uint64_t>(spec_.least.ps, spec_.most.ps)(draw_);
        p.last = std::max(p.last, shared_.events.now() + core::sim_time{drawn});
        p.line.push(e, p.last);
        most_inside = std::max<std::uint64_t>(most_inside, p.line.size());
    }
    bool request_arrived(unsigned i, memory::memory_extension& e) override {
        if (parts_[i].line.size() >= spec_.queue || !answering) return false;
        enter(parts_[i], e);
        return true;
    }
    void answer(part& p, memory::memory_extension& e) {
        perform(e);
        e.milestone(memory::stage::dram, shared_.events.now());
        p.port.respond(e);
        if (p.port.held() != nullptr && answering) enter(p, p.port.take_request());
    }
    void perform(memory::memory_extension& e) {
        tlm::tlm_generic_payload& t = e.carrier();
        if (failing || failing_at.contains(t.get_address())) {
            t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        std::uint8_t* const at = bytes.at(t.get_address());
        const std::uint8_t* const enables = t.get_byte_enable_ptr();
        if (e.atomic().op != memory::atomic_op::none) {
            if (!memory::perform(e.atomic(), at, t.get_data_ptr(), enables, t.get_byte_enable_length(),
                                 t.get_data_length()))
                throw std::logic_error("an atomic operation that doesn't fit its data");
        } else {
            for (unsigned i = 0; i < t.get_data_length(); ++i) {
                if (enables != nullptr && enables[i] == 0) continue;
                if (t.is_read()) t.get_data_ptr()[i] = at[i];
                if (t.is_write()) at[i] = t.get_data_ptr()[i];
            }
        }
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void response_port_ready(unsigned) override {}
    void blocking_access(unsigned, tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    unsigned debug_access(unsigned, tlm::tlm_generic_payload&) override { return 0; }

    const memory::resources shared_;
    const spec spec_;
    std::mt19937_64 draw_;
    std::deque<part> parts_;
};

}  // namespace contraflow::gpu::testing
