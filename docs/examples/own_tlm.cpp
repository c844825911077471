// SPDX-License-Identifier: Apache-2.0
// An initiator and a target that know only the TLM-2.0 standard, with a cache of Contraflow between them:
//   your initiator --> checker --> cache --> checker --> your target
#include <array>
#include <cstring>
#include <iostream>
#include <vector>

#include <fmt/format.h>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "core/simulation.h"
#include "memory/cache/cache.h"
#include "memory/transaction/protocol_checker.h"
#include "observe/statistics.h"

namespace memory = contraflow::memory;

// Reads and writes, one request at a time, in approximately timed phases.
class my_initiator final : public sc_core::sc_module, tlm::tlm_mm_interface {
public:
    tlm_utils::simple_initiator_socket<my_initiator> socket;

    explicit my_initiator(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
        socket.register_nb_transport_bw(this, &my_initiator::backward);
        sc_core::sc_spawn([this] { run(); });
    }
    unsigned wrong() const { return wrong_; }

private:
    void run() {
        for (const std::uint64_t address : {0x100, 0x104, 0x108, 0x1000}) {
            std::array<unsigned char, 4> sent{1, 2, 3, static_cast<unsigned char>(address)}, back{};
            access(tlm::TLM_WRITE_COMMAND, address, sent);
            for (int twice = 0; twice < 2; ++twice) {
                access(tlm::TLM_READ_COMMAND, address, back);
                if (back != sent) ++wrong_;
            }
        }
    }

    void access(tlm::tlm_command command, std::uint64_t address, std::array<unsigned char, 4>& data) {
        const sc_core::sc_time begun = sc_core::sc_time_stamp();
        tlm::tlm_generic_payload request(this);
        request.acquire();
        request.set_command(command);
        request.set_address(address);
        request.set_data_ptr(data.data());
        request.set_data_length(data.size());
        request.set_streaming_width(data.size());
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        const tlm::tlm_sync_enum said = socket->nb_transport_fw(request, phase, delay);
        if (said == tlm::TLM_COMPLETED) {
            wait(delay);
        } else if (said == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
            wait(delay);
            phase = tlm::END_RESP;
            socket->nb_transport_fw(request, phase, delay = sc_core::SC_ZERO_TIME);
        } else {
            wait(answered_);
        }
        if (!request.is_response_ok()) ++wrong_;
        request.release();
        std::cout << fmt::format("{} {:#x}: {:.0f} ns\n", command == tlm::TLM_READ_COMMAND ? "read " : "write", address,
                                 (sc_core::sc_time_stamp() - begun).to_seconds() * 1e9);
    }

    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;  // END_REQ
        answered_.notify(delay);
        return tlm::TLM_COMPLETED;
    }
    // The requests are on run()'s stack; only what components have added to them goes.
    void free(tlm::tlm_generic_payload* request) override { request->reset(); }

    sc_core::sc_event answered_;
    unsigned wrong_ = 0;
};

// A memory of 64 KiB that takes 100 ns, with the loosely timed call alone: the standard's socket makes phases of it.
class my_target final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<my_target> socket;

    explicit my_target(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
        socket.register_b_transport(this, &my_target::access);
    }
    unsigned reads() const { return reads_; }
    unsigned writes() const { return writes_; }

private:
    void access(tlm::tlm_generic_payload& request, sc_core::sc_time& delay) {
        delay += sc_core::sc_time(100, sc_core::SC_NS);
        request.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        if (request.get_address() + request.get_data_length() > bytes_.size()) return;
        unsigned char* const here = bytes_.data() + request.get_address();
        if (request.is_read()) {
            ++reads_;
            std::memcpy(request.get_data_ptr(), here, request.get_data_length());
        } else {
            ++writes_;
            const unsigned char* const enables = request.get_byte_enable_ptr();
            for (unsigned i = 0; i < request.get_data_length(); ++i)
                if (enables == nullptr || enables[i % request.get_byte_enable_length()] == TLM_BYTE_ENABLED)
                    here[i] = request.get_data_ptr()[i];
        }
        request.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    std::vector<unsigned char> bytes_ = std::vector<unsigned char>(64 * 1024);
    unsigned reads_ = 0, writes_ = 0;
};

int main() {
    contraflow::core::simulation simulation;
    contraflow::observe::statistics statistics;
    memory::payload_pool payloads;
    const memory::resources shared{simulation.events(), statistics, payloads};

    my_initiator initiator("initiator");
    memory::cache cache("cache", shared, memory::cache_spec{});
    my_target target("target");
    memory::protocol_checker before("before"), behind("behind");
    initiator.socket.bind(before.in);
    before.out.bind(cache.up);
    cache.down.bind(behind.in);
    behind.out.bind(target.socket);
    simulation.run();

    const auto broken = before.violations().size() + behind.violations().size();
    std::cout << fmt::format(
        "{} wrong answers, {} rules of the protocol broken; of 4 writes and 8 reads the target saw "
        "{} and {}\n",
        initiator.wrong(), broken, target.writes(), target.reads());
    return initiator.wrong() + broken == 0 ? 0 : 1;
}
