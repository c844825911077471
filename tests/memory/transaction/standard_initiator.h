// SPDX-License-Identifier: Apache-2.0
// Foreign initiators, written against the TLM-2.0 standard alone: they do not use our headers. One goes
// through all four phases, answers in every allowed way and annotates delays; one calls b_transport.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace outside {

// A transaction with its own memory, deleted when its last reference is released.
class transaction_manager : public tlm::tlm_mm_interface {
public:
    tlm::tlm_generic_payload* make(unsigned length) {
        auto* const trans = new tlm::tlm_generic_payload(this);
        trans->set_data_ptr(new unsigned char[length]);
        trans->set_data_length(length);
        trans->set_streaming_width(length);
        trans->acquire();
        ++alive;
        return trans;
    }
    void free(tlm::tlm_generic_payload* trans) override {
        trans->reset();
        delete[] trans->get_data_ptr();
        delete[] trans->get_byte_enable_ptr();
        delete trans;
        --alive;
    }
    int alive = 0;
};

struct initiator_plan {
    std::uint64_t base = 0;
    unsigned length = 1024;  // of its own range
    unsigned line = 128;     // boundary that it doesn't cross
    unsigned requests = 300;
    unsigned outstanding = 4;
    unsigned seed = 1;
};

class initiator : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<initiator> socket;

    initiator(const sc_core::sc_module_name& name, const initiator_plan& plan)
        : sc_core::sc_module(name),
          socket("socket"),
          plan_(plan),
          random_(plan.seed),
          reference_(plan.length),
          responses_("responses") {
        SC_HAS_PROCESS(initiator);
        socket.register_nb_transport_bw(this, &initiator::nb_transport_bw);
        SC_THREAD(send);
        SC_METHOD(take_responses);
        sensitive << responses_.get_event();
        dont_initialize();
    }
    unsigned answered = 0;
    unsigned wrong = 0;
    int alive() const { return manager_.alive; }

private:
    struct expectation {
        tlm::tlm_generic_payload* trans;
        unsigned at;
        std::vector<unsigned char> data;
        bool wants_end = false;
    };

    unsigned draw(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }
    sc_core::sc_time some_time(unsigned ns) { return sc_core::sc_time(draw(ns), sc_core::SC_NS); }

    void send() {
        for (unsigned i = 0; i < plan_.requests; ++i) {
            if (draw(3) == 0) wait(some_time(20));
            while (under_way_.size() >= plan_.outstanding) wait(freed_);
            const unsigned at = draw(plan_.length);
            const unsigned most = std::min(plan_.length - at, plan_.line - at % plan_.line);
            const unsigned length = 1 + draw(most);
            for (bool clash = true; clash;) {
                clash = false;
                for (const auto& u : under_way_) clash |= u.at < at + length && at < u.at + u.data.size();
                if (clash) wait(freed_);
            }
            begin(at, length);
        }
    }
    void begin(unsigned at, unsigned length) {
        tlm::tlm_generic_payload* const trans = manager_.make(length);
        trans->set_address(plan_.base + at);
        trans->set_command(draw(2) == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
        for (unsigned i = 0; i < length; ++i) trans->get_data_ptr()[i] = static_cast<unsigned char>(draw(256));
        if (draw(3) == 0) {  // enables repeat
            const unsigned enables = 1 + draw(length);
            auto* const bytes = new unsigned char[enables];
            for (unsigned i = 0; i < enables; ++i) bytes[i] = draw(2) == 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
            trans->set_byte_enable_ptr(bytes);
            trans->set_byte_enable_length(enables);
        }
        expectation e{trans, at, {trans->get_data_ptr(), trans->get_data_ptr() + length}};
        for (unsigned i = 0; i < length; ++i) {
            const unsigned char* const enables = trans->get_byte_enable_ptr();
            if (enables != nullptr && enables[i % trans->get_byte_enable_length()] == TLM_BYTE_DISABLED) continue;
            (trans->is_write() ? reference_[at + i] : e.data[i]) = (trans->is_write() ? e.data[i] : reference_[at + i]);
        }
        under_way_.push_back(e);

        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = draw(2) == 0 ? sc_core::SC_ZERO_TIME : some_time(5);
        requesting_ = trans;
        switch (socket->nb_transport_fw(*trans, phase, delay)) {
        case tlm::TLM_ACCEPTED:
            while (requesting_ == trans) wait(request_ended_);
            break;
        case tlm::TLM_UPDATED:
            requesting_ = nullptr;
            if (phase == tlm::BEGIN_RESP) {
                find(*trans).wants_end = true;
                responses_.notify(*trans, delay);
            }
            wait(delay);
            break;
        case tlm::TLM_COMPLETED:
            requesting_ = nullptr;
            responses_.notify(*trans, delay);
            wait(delay);
            break;
        }
    }
    expectation& find(const tlm::tlm_generic_payload& trans) {
        for (auto& u : under_way_)
            if (u.trans == &trans) return u;
        throw std::logic_error("a response to nothing");
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_REQ || (phase == tlm::BEGIN_RESP && requesting_ == &trans)) {
            requesting_ = nullptr;
            request_ended_.notify(delay);
        }
        if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
        switch (draw(3)) {
        case 0:  // ends later, by a call of its own
            find(trans).wants_end = true;
            responses_.notify(trans, delay + some_time(30));
            return tlm::TLM_ACCEPTED;
        case 1:  // ends at a later time
            responses_.notify(trans, delay);
            phase = tlm::END_RESP;
            delay += some_time(10);
            return tlm::TLM_UPDATED;
        default: responses_.notify(trans, delay); return tlm::TLM_COMPLETED;
        }
    }
    void take_responses() {
        while (tlm::tlm_generic_payload* const trans = responses_.get_next_transaction()) {
            const expectation e = find(*trans);
            if (e.wants_end) {
                tlm::tlm_phase phase = tlm::END_RESP;
                sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
                socket->nb_transport_fw(*trans, phase, delay);
            }
            if (!trans->is_response_ok() || std::memcmp(trans->get_data_ptr(), e.data.data(), e.data.size()) != 0)
                ++wrong;
            ++answered;
            std::erase_if(under_way_, [&](const auto& u) { return u.trans == trans; });
            trans->release();
            freed_.notify();
        }
    }

    const initiator_plan plan_;
    std::mt19937 random_;
    std::vector<unsigned char> reference_;
    transaction_manager manager_;
    std::vector<expectation> under_way_;
    tlm::tlm_generic_payload* requesting_ = nullptr;
    sc_core::sc_event request_ended_, freed_;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> responses_;
};

class blocking_initiator : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<blocking_initiator> socket;

    blocking_initiator(const sc_core::sc_module_name& name, const initiator_plan& plan)
        : sc_core::sc_module(name),
          socket("socket"),
          plan_(plan),
          random_(plan.seed),
          reference_(plan.length) {
        SC_HAS_PROCESS(blocking_initiator);
        SC_THREAD(run);
    }
    unsigned answered = 0;
    unsigned wrong = 0;
    sc_core::sc_time taken;

private:
    void run() {
        std::vector<unsigned char> data(plan_.line);
        for (unsigned i = 0; i < plan_.requests; ++i) {
            const auto draw = [&](unsigned below) { return static_cast<unsigned>(random_() % below); };
            tlm::tlm_generic_payload trans;
            const unsigned at = draw(plan_.length);
            const unsigned length = 1 + draw(std::min(plan_.length - at, plan_.line - at % plan_.line));
            trans.set_address(plan_.base + at);
            trans.set_data_ptr(data.data());
            trans.set_data_length(length);
            trans.set_streaming_width(length);
            trans.set_command(draw(2) == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
            if (trans.is_write())
                for (unsigned j = 0; j < length; ++j)
                    reference_[at + j] = data[j] = static_cast<unsigned char>(draw(256));
            sc_core::sc_time delay;
            socket->b_transport(trans, delay);
            taken += delay;
            wait(delay);
            if (!trans.is_response_ok() || std::memcmp(data.data(), &reference_[at], length) != 0) ++wrong;
            ++answered;
        }
    }

    const initiator_plan plan_;
    std::mt19937 random_;
    std::vector<unsigned char> reference_;
};

}  // namespace outside
