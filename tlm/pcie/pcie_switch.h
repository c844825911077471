// SPDX-License-Identifier: Apache-2.0
// A switch, or the part of a root complex that passes packets between its root ports: input-queued, one FIFO an input
// and class, so that a head that waits for its output holds back all behind it; an arbiter an output.
// A packet larger than `split` bytes leaves in pieces of that size (root complexes forward in cache lines).
// Source: PCI Express Base Specification 3.0, 1.3.3, 2.4.1 (ordering), 6.3.3 (port arbitration).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/scheduler.h"
#include "core/waiting.h"
#include "pcie/port.h"
#include "pcie/port_arbiter.h"

namespace contraflow::pcie {

enum class forwarding { cut_through, store_and_forward };

class pcie_switch : public sc_core::sc_module,
                    public core::waiter_if,
                    public core::controllable_if,
                    public port_owner_if {
public:
    struct port_spec {
        std::string name;  // of the instance, within the switch
        port::spec line;
    };
    struct spec {
        std::vector<port_spec> ports;
        std::vector<unsigned> weights;  // of the inputs, in TLPs a turn; empty: one each
        forwarding mode = forwarding::cut_through;
        core::sim_time latency = core::sim_time::from_ns(150);  // from the header's arrival to its departure, idle
        std::uint32_t split = 0;                                // bytes of payload; 0: packets pass whole
    };
    // routes: for each endpoint number, the port that leads to it.
    pcie_switch(const sc_core::sc_module_name& name, const port::resources& shared, tlp_pool& pool, const spec& s,
                std::vector<unsigned> routes);

    port& at(unsigned number) { return *ports_[number]; }
    const port& at(unsigned number) const { return *ports_[number]; }
    unsigned size() const { return static_cast<unsigned>(ports_.size()); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // pause: forwards nothing; a switch drains by itself. Nothing to invalidate or flush.
    bool control(core::control_verb verb) override;

private:
    struct output {
        explicit output(port_arbiter::spec s) : arbiter(std::move(s)) {}
        port_arbiter arbiter;
        std::array<request_mask, credit_classes> requests{};  // inputs whose head of that class wants to leave here
        bool busy = false;                                    // `input`'s head is leaving
        unsigned input = 0;
        credit_class flow = credit_class::posted;
    };

    core::sim_time ready_time(unsigned number, const tlp_transfer& transfer) override;
    void head_ready(unsigned number, credit_class c) override;
    void transmitted(unsigned number) override;
    void may_transmit(unsigned number) override { arbitrate(number); }

    void arbitrate(unsigned number);
    void start(unsigned number, unsigned input, credit_class c);
    bool splits(const tlp& packet) const { return spec_.split != 0 && packet.payload() > spec_.split; }
    // Bytes of payload that leave next of the head of that queue.
    std::uint32_t next_piece(unsigned input, credit_class c) const;

    tlp_pool& pool_;
    const spec spec_;
    const std::vector<unsigned> routes_;
    bool paused_ = false;
    std::vector<std::unique_ptr<port>> ports_;
    std::vector<output> outputs_;
    std::vector<std::array<std::uint32_t, credit_classes>> sent_;  // bytes of each input's head that have left
};

}  // namespace contraflow::pcie
