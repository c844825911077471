// SPDX-License-Identifier: Apache-2.0
// Outside memories, written against the TLM-2.0 standard alone: one that goes through the phases in every way
// that is allowed, and one that has b_transport only.
#pragma once

#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

namespace outside {

class memory_bytes {
public:
    explicit memory_bytes(std::size_t size) : bytes_(size) {}
    void access(tlm::tlm_generic_payload& trans) {
        const auto address = static_cast<std::size_t>(trans.get_address());
        if (address + trans.get_data_length() > bytes_.size()) {
            trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        const unsigned char* const enables = trans.get_byte_enable_ptr();
        for (unsigned i = 0; i < trans.get_data_length(); ++i) {
            if (enables != nullptr && enables[i % trans.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
            if (trans.is_write()) bytes_[address + i] = trans.get_data_ptr()[i];
            if (trans.is_read()) trans.get_data_ptr()[i] = bytes_[address + i];
        }
        trans.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    unsigned look(tlm::tlm_generic_payload& trans) {
        access(trans);
        return trans.is_response_ok() ? trans.get_data_length() : 0;
    }

private:
    std::vector<unsigned char> bytes_;
};

// The way in which it goes through the phases.
enum class manner {
    four_phases,     // END_REQ and BEGIN_RESP by calls of its own, later
    prompt,          // END_REQ by the return of BEGIN_REQ
    no_end_request,  // BEGIN_RESP alone, which implies END_REQ
    with_response,   // BEGIN_RESP by the return of BEGIN_REQ, with a delay
    completes,       // TLM_COMPLETED by the return of BEGIN_REQ, with a delay
    deaf,            // takes the first request and never responds
};

class target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<target> socket;

    target(const sc_core::sc_module_name& name, std::size_t size, manner m, unsigned seed = 1)
        : sc_core::sc_module(name),
          socket("socket"),
          bytes_(size),
          manner_(m),
          random_(seed),
          requests_("requests"),
          responses_("responses") {
        SC_HAS_PROCESS(target);
        socket.register_nb_transport_fw(this, &target::nb_transport_fw);
        socket.register_b_transport(this, &target::b_transport);
        socket.register_transport_dbg(this, &target::transport_dbg);
        SC_METHOD(end_requests);
        sensitive << requests_.get_event();
        dont_initialize();
        SC_METHOD(queue_responses);
        sensitive << responses_.get_event();
        dont_initialize();
        SC_METHOD(respond);
        sensitive << may_respond_;
        dont_initialize();
    }

private:
    sc_core::sc_time some_time(unsigned ns) { return sc_core::sc_time(random_() % ns, sc_core::SC_NS); }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_RESP) {
            responding_ = nullptr;
            may_respond_.notify(delay);
            return tlm::TLM_COMPLETED;
        }
        if (phase != tlm::BEGIN_REQ || manner_ == manner::deaf) return tlm::TLM_ACCEPTED;
        bytes_.access(trans);  // in the order of the requests, independent of the order of the answers
        switch (manner_) {
        case manner::completes: delay += some_time(30); return tlm::TLM_COMPLETED;
        case manner::with_response:
            if (responding_ != nullptr || !ready_.empty()) break;  // one response at a time
            responding_ = &trans;
            phase = tlm::BEGIN_RESP;
            delay += some_time(30);
            return tlm::TLM_UPDATED;
        case manner::prompt:
            trans.acquire();
            phase = tlm::END_REQ;
            delay += some_time(3);
            responses_.notify(trans, delay + some_time(60));
            return tlm::TLM_UPDATED;
        case manner::no_end_request:
            trans.acquire();
            responses_.notify(trans, delay + some_time(60));
            return tlm::TLM_ACCEPTED;
        default: break;
        }
        trans.acquire();
        requests_.notify(trans, delay + some_time(25));
        return tlm::TLM_ACCEPTED;
    }
    void end_requests() {
        while (tlm::tlm_generic_payload* const trans = requests_.get_next_transaction()) {
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time delay = some_time(4);
            socket->nb_transport_bw(*trans, phase, delay);
            responses_.notify(*trans, delay + some_time(60));
        }
    }
    void queue_responses() {
        while (tlm::tlm_generic_payload* const trans = responses_.get_next_transaction()) {
            ready_.push_back(trans);
            may_respond_.notify(sc_core::SC_ZERO_TIME);
        }
    }
    void respond() {
        if (ready_.empty() || responding_ != nullptr || sc_core::sc_time_stamp() < quiet_until_) return;
        tlm::tlm_generic_payload* const trans = ready_.front();
        ready_.pop_front();
        responding_ = trans;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = some_time(4);
        if (socket->nb_transport_bw(*trans, phase, delay) != tlm::TLM_ACCEPTED) {
            responding_ = nullptr;
            quiet_until_ = sc_core::sc_time_stamp() + delay;
            may_respond_.notify(delay);
        }
        trans->release();
    }
    void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
        bytes_.access(trans);
        delay += sc_core::sc_time(50, sc_core::SC_NS);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& trans) { return bytes_.look(trans); }

    memory_bytes bytes_;
    const manner manner_;
    std::mt19937 random_;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_, responses_;
    std::deque<tlm::tlm_generic_payload*> ready_;
    const tlm::tlm_generic_payload* responding_ = nullptr;
    sc_core::sc_time quiet_until_;
    sc_core::sc_event may_respond_;
};

class blocking_target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<blocking_target> socket;

    blocking_target(const sc_core::sc_module_name& name, std::size_t size)
        : sc_core::sc_module(name),
          socket("socket"),
          bytes_(size) {
        socket.register_b_transport(this, &blocking_target::b_transport);
        socket.register_transport_dbg(this, &blocking_target::transport_dbg);
    }

private:
    void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
        bytes_.access(trans);
        delay += sc_core::sc_time(20, sc_core::SC_NS);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& trans) { return bytes_.look(trans); }

    memory_bytes bytes_;
};

}  // namespace outside
