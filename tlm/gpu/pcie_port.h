// SPDX-License-Identifier: Apache-2.0
// A GPU's endpoint in a PCIe tree. Reads are memory reads, writes posted memory writes of MaxPayload at most, atomic
// operations AtomicOps; a response is one completion or more, that of a write one without data (a posted write has none
// of its own; what the memory system waits for is what a flushing read would bring).
// Why nothing locks: requests of both kinds wait for completions, completions for nothing: they have buffers and
// credits of their own, are always taken at their end, and carry the attribute of relaxed ordering, so that they may
// pass posted writes, in switches as well. Without it, completions behind writes that wait for completions would be a
// circle.
#pragma once

#include <array>
#include <string>

#include "core/bounded_queue.h"
#include "gpu/pcie_messages.h"
#include "pcie/leaf_if.h"
#include "pcie/port.h"

namespace contraflow::gpu {

class pcie_port final : public sc_core::sc_module,
                        public net::port_if,
                        public pcie::leaf_if,
                        private pcie::port_owner_if {
public:
    struct spec {
        pcie::port::spec line;
        std::uint32_t max_payload = 128;
        std::uint32_t completion_payload = 128;
        std::uint32_t tags = 64;
        std::uint32_t queue = 16;  // packets of a class that wait for the wire
        core::sim_time latency{};  // from a packet's last byte to the user
    };
    pcie_port(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& packets,
              pcie_messages& messages, const spec& s, std::uint32_t number);

    void set_client(net::client_if& client) override { client_ = &client; }
    const std::string& name() const override { return name_; }
    unsigned ports() const override { return 1; }
    unsigned port_to(unsigned) const override { return 0; }
    bool can_inject(net::packet_class kind, unsigned target) override;
    void inject(net::packet_class kind, link::packet p) override;
    void offer_again(net::packet_class kind) override;

    pcie::port& link() override { return port_; }
    const pcie::port& link() const { return port_; }
    // pause: sends nothing and hands nothing over; drain: takes no packets. Nothing to invalidate or flush.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    static constexpr std::size_t classes = 2;
    static std::size_t index(net::packet_class kind) { return static_cast<std::size_t>(kind); }

    core::sim_time ready_time(unsigned, const pcie::tlp_transfer& transfer) override {
        return transfer.tail + spec_.latency;
    }
    void head_ready(unsigned, pcie::credit_class c) override { deliver(c); }
    void transmitted(unsigned) override {}
    void may_transmit(unsigned) override;

    bool send(net::packet_class kind);
    std::uint32_t next_piece(const pcie_message& m) const;
    bool lacks_tag(const pcie_message& m) const;
    void deliver(pcie::credit_class c);
    bool take(pcie::credit_class c);
    void tell_refused(net::packet_class kind);

    core::scheduler& events_;
    pcie::tlp_pool& packets_;
    pcie_messages& messages_;
    const spec spec_;
    const std::uint32_t number_;
    const std::string name_;
    pcie::port port_;
    net::client_if* client_ = nullptr;
    std::array<core::bounded_queue<std::uint32_t>, classes> queues_;  // messages, by class
    std::array<bool, classes> refused_{};                             // the user waits for room
    std::array<bool, pcie::credit_classes> delivering_{};
    bool response_turn_ = true;
    bool sending_ = true;
    bool accepting_ = true;
    std::uint32_t tags_in_use_ = 0;
    core::sim_time last_sent_{};
};

}  // namespace contraflow::gpu
