// SPDX-License-Identifier: Apache-2.0
// A switch, or the part of a root complex that passes packets between its root ports. It is input-queued, with one FIFO
// for each input and class, so a head that waits for its output holds back all TLPs behind it. Each output has an
// arbiter.
// A packet larger than `split` bytes leaves in pieces of that size (root complexes forward in cache lines); a
// non-posted request stays whole. A request that no window claims, or whose window leads back to its input, is
// unsupported: a completion says so, if the request has one. Source: PCI Express Base Specification 3.0, 1.3.3, 2.3.1
// (unsupported requests), 2.4.1 (ordering), 6.3.3 (port arbitration).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/scheduler.h"
#include "core/waiting.h"
#include "observe/counter.h"
#include "pcie/fabric/port_arbiter.h"
#include "pcie/fabric/route_table.h"
#include "pcie/link/fault_if.h"
#include "pcie/link/port.h"

namespace contraflow::pcie {

enum class forwarding { cut_through, store_and_forward };

class pcie_switch : public sc_core::sc_module,
                    public core::waiter_if,
                    public core::controllable_if,
                    public port_owner_if {
public:
    struct port_spec {
        std::string name;  // the instance's, within the switch
        port::spec line;
    };
    struct spec {
        std::vector<port_spec> ports;
        std::vector<unsigned> weights;  // by input, in TLPs per turn; empty: one each
        forwarding mode = forwarding::cut_through;
        core::sim_time latency = core::sim_time::from_ns(150);  // latency of the header, without load
        std::uint32_t split = 0;                                // bytes of payload; 0: packets pass whole
        function_id id;                                         // its ID in answers to unclaimed requests
    };
    pcie_switch(const sc_core::sc_module_name& name, const port::resources& shared, tlp_pool& pool, const spec& s,
                route_table routes);

    port& at(unsigned number) { return *ports_[number]; }
    const port& at(unsigned number) const { return *ports_[number]; }
    unsigned size() const { return static_cast<unsigned>(ports_.size()); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // pause: forwards nothing; a switch drains by itself. Nothing to invalidate or flush.
    bool control(core::control_verb verb) override;
    // Called for every TLP with data that is about to leave; null: no faults.
    void set_buffer_faults(buffer_fault_if* faults) { faults_ = faults; }
    // Requests outside all windows, and completions without a requester.
    std::uint64_t unclaimed() const { return unclaimed_.value(); }

private:
    struct output {
        explicit output(port_arbiter::spec s) : arbiter(std::move(s)) {}
        port_arbiter arbiter;
        std::array<request_mask, credit_classes> requests{};  // inputs whose head of that class is routed here
        bool busy = false;                                    // `input`'s head is leaving
        unsigned input = 0;
        credit_class flow = credit_class::posted;
    };

    admission admit(unsigned number, const tlp_transfer& transfer) override;
    void head_ready(unsigned number, credit_class c) override;
    void transmitted(unsigned number) override;
    void may_transmit(unsigned number) override { arbitrate(number); }

    void arbitrate(unsigned number);
    void start(unsigned number, unsigned input, credit_class c);
    bool splits(const tlp& packet) const {
        return spec_.split != 0 && packet.payload() > spec_.split && packet.flow() != credit_class::non_posted;
    }
    // The output port of that queue's head.
    unsigned output_of(unsigned input, credit_class c) const;
    // The TLP to send instead of it: the answer, if no window claims the request.
    credit_class leaves_as(unsigned input, credit_class c) const;
    tlp* refusal_of(const tlp& request);
    // Bytes of payload in the next piece of that queue's head.
    std::uint32_t next_piece(unsigned input, credit_class c) const;

    tlp_pool& pool_;
    const spec spec_;
    const route_table routes_;
    buffer_fault_if* faults_ = nullptr;
    observe::counter unclaimed_;
    bool paused_ = false;
    std::vector<std::unique_ptr<port>> ports_;
    std::vector<output> outputs_;
    std::vector<std::array<std::uint32_t, credit_classes>> sent_;  // bytes of each input's head that have left
};

}  // namespace contraflow::pcie
