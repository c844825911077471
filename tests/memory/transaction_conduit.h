// SPDX-License-Identifier: Apache-2.0
// A carrier of TLM-2.0 transactions, as a conduit: a stream for each initiator and each target that it sends to. A
// target answers a nanosecond after it has taken a request.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/timer.h"
#include "memory/port/request_port.h"
#include "memory/port/response_port.h"
#include "observe/statistics.h"
#include "support/conduit_contract.h"

namespace contraflow::memory::testing {

class transaction_conduit : public contraflow::testing::conduit {
public:
    unsigned streams() const override { return static_cast<unsigned>(streams_.size()); }
    bool offer(unsigned n, std::uint64_t number) override {
        stream& s = streams_[n];
        initiator& from = *initiators_[s.from];
        s.refused = !from.port.ready();
        if (s.refused) return false;
        ++in_;
        payload& p = payloads_.take();
        under_way_.push_back(&p);
        p.write(address(s.from, s.to, number), 32);
        const item what{number, n};
        std::memcpy(p.bytes(), &what, sizeof what);
        p.extension().origin.wave = n;
        p.extension().times.begin(sim.events().now());
        from.port.send(p.extension());
        return true;
    }
    void resume(unsigned n) override {
        target& to = *targets_[streams_[n].to];
        const memory_extension* const held = to.port.held();
        if (held != nullptr && item_of(*held).stream == n && user->may_take(n)) to.take(to.port.take_request());
    }
    void reset() override {
        dropped_ += held();
        for (const auto& i : initiators_) i->port.reset();
        reset_tested();
        for (const auto& t : targets_) t->reset();
        for (payload* p : under_way_) p->release();
        under_way_.clear();
        arrived_ = 0;
        for (stream& s : streams_) s.refused = false;
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    // Payloads that have arrived wait for their responses and no longer count as held.
    std::uint64_t held() const override { return payloads_.in_flight() - arrived_; }
    std::uint64_t dropped() const override { return dropped_; }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        for (const auto& i : initiators_)
            if (!i->port.ready())
                edges.push_back({i->name(), "acceptance of a request", i->port.peer_name(), i->port.sending_since()});
        report_tested(edges);
    }
    std::string sender(unsigned n) const override { return initiators_[streams_[n].from]->name(); }
    std::string receiver(unsigned n) const override { return targets_[streams_[n].to]->name(); }
    // A stream of an initiator that sends nothing to the same target.
    unsigned independent_of(unsigned n) const override {
        const auto meets = [&](unsigned from) {
            return std::any_of(streams_.begin(), streams_.end(),
                               [&](const stream& s) { return s.from == from && s.to == streams_[n].to; });
        };
        for (unsigned i = 0; i < streams(); ++i)
            if (!meets(streams_[i].from)) return i;
        return n;
    }
    std::string broken() override { return wrong_; }

protected:
    virtual std::uint64_t address(unsigned from, unsigned to, std::uint64_t number) const = 0;
    virtual void reset_tested() = 0;
    virtual void report_tested(std::vector<core::wait_edge>& edges) const = 0;

    void add_initiator(tlm::tlm_target_socket<>& to) {
        const auto n = static_cast<unsigned>(initiators_.size());
        initiators_.push_back(std::make_unique<initiator>(fmt::format("from{}", n).c_str(), *this, n));
        initiators_.back()->port.bind(to);
    }
    void add_target(tlm::tlm_initiator_socket<>& from) {
        const auto n = static_cast<unsigned>(targets_.size());
        targets_.push_back(std::make_unique<target>(fmt::format("to{}", n).c_str(), *this, n));
        from.bind(targets_.back()->port);
    }
    void add_stream(unsigned from, unsigned to) { streams_.push_back({from, to, false}); }

    observe::statistics statistics_;
    payload_pool payloads_;
    const resources shared_{sim.events(), statistics_, payloads_};

private:
    struct stream {
        unsigned from, to;
        bool refused;
    };
    struct item {  // the written data: all that a target can know of the writer
        std::uint64_t number = 0;
        unsigned stream = 0;
    };
    static item item_of(const memory_extension& e) {
        item what;
        std::memcpy(&what, e.carrier().get_data_ptr(), sizeof what);
        return what;
    }
    struct initiator final : sc_core::sc_module, request_owner_if {
        initiator(const sc_core::sc_module_name& name, transaction_conduit& o, unsigned n)
            : sc_module(name),
              owner(o),
              number(n),
              port("port", o.shared_, *this) {}
        bool response_arrived(unsigned, memory_extension& e) override {
            if (owner.streams_[e.origin.wave].from != number) owner.wrong_ = "a response for another initiator";
            std::erase(owner.under_way_, static_cast<payload*>(&e.carrier()));
            e.carrier().release();
            --owner.arrived_;
            return true;
        }
        void request_port_ready(unsigned) override { owner.offer_again(number); }
        transaction_conduit& owner;
        const unsigned number;
        request_port port;
    };
    struct target final : sc_core::sc_module, response_owner_if {
        target(const sc_core::sc_module_name& name, transaction_conduit& o, unsigned n)
            : sc_module(name),
              owner(o),
              number(n),
              port("port", o.shared_, *this),
              calls(o.sim.events(), *this) {}
        bool request_arrived(unsigned, memory_extension& e) override {
            const unsigned n = item_of(e).stream;
            if (owner.streams_[n].to != number) owner.wrong_ = "a request for another target";
            if (!owner.user->may_take(n)) return false;
            take(e);
            return true;
        }
        void take(memory_extension& e) {
            ++owner.out_;
            ++owner.arrived_;
            answers.push_back(&e);
            calls.after<&target::answer>(core::sim_time::from_ns(1));
            owner.user->arrived(item_of(e).stream, item_of(e).number);
        }
        void answer() {
            memory_extension& e = *answers.front();
            answers.pop_front();
            e.carrier().set_response_status(tlm::TLM_OK_RESPONSE);
            port.respond(e);
        }
        void reset() {
            port.reset();
            answers.clear();
            calls.cancel();
        }
        void response_port_ready(unsigned) override {}
        void blocking_access(unsigned, tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
        unsigned debug_access(unsigned, tlm::tlm_generic_payload&) override { return 0; }
        transaction_conduit& owner;
        const unsigned number;
        response_port port;
        std::deque<memory_extension*> answers;
        core::cancellable_calls<target> calls;
    };
    // Streams of an initiator take turns.
    void offer_again(unsigned from) {
        for (unsigned i = 0; i < streams() && initiators_[from]->port.ready(); ++i) {
            turn_ = (turn_ + 1) % streams();
            if (streams_[turn_].from == from && std::exchange(streams_[turn_].refused, false)) user->may_offer(turn_);
        }
    }

    std::vector<stream> streams_;
    std::vector<std::unique_ptr<initiator>> initiators_;
    std::vector<std::unique_ptr<target>> targets_;
    std::vector<payload*> under_way_;
    std::uint64_t in_ = 0, out_ = 0, dropped_ = 0, arrived_ = 0;
    unsigned turn_ = 0;
    std::string wrong_;
};

}  // namespace contraflow::memory::testing
