// SPDX-License-Identifier: Apache-2.0
// A GPU's function in a PCIe tree, as a port of a network between GPUs: requests for another GPU's memory become TLPs
// to addresses in that GPU's BAR, and incoming requests become transactions of this one. There is no deadlock: requests
// of all kinds wait for completions, but completions wait for nothing. They have their own buffers and credits and are
// always taken at their end.
#pragma once

#include <string>
#include <vector>

#include "memory/crossbar/address_map.h"
#include "net/network_if.h"
#include "pcie/bridge/transaction_bridge.h"

namespace contraflow::gpu {

// The function and the memory's bus address of each GPU, by its number.
struct pcie_places {
    const memory::address_map& memory;
    std::vector<pcie::address_map::function> functions;
    std::uint64_t bus_address(unsigned gpu, std::uint64_t address) const {
        return functions[gpu].bars[0].base + memory.offset_of(address);
    }
    unsigned gpu_of(pcie::function_id id) const {
        unsigned gpu = 0;
        while (functions.at(gpu).id != id) ++gpu;
        return gpu;
    }
};

class pcie_port final : public pcie::device_if,
                        private pcie::bridge_user_if,
                        private core::channel_receiver_if<link::packet>,
                        private core::channel_sender_if<link::packet> {
public:
    struct spec {
        pcie::function::spec device;
        std::uint32_t queue = 16;  // packets of a class that wait for the link
    };
    // `places` must outlive the port.
    pcie_port(const char* name, const pcie::port::resources& shared, pcie::tlp_pool& packets, const spec& s,
              unsigned number, const pcie_places& places);

    const std::string& name() const { return name_; }
    net::network_port& port() { return port_; }
    const pcie::transaction_bridge& bridge() const { return bridge_; }
    // For the parts of the GPU that the host talks to.
    pcie::function& function() { return bridge_.device(); }
    pcie::port& link() override { return bridge_.link(); }
    // pause: sends and delivers nothing; drain: accepts no packets. It has nothing to invalidate or flush.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Unanswered requests to that GPU.
    std::uint64_t outstanding_to(unsigned gpu) const { return outstanding_to_[gpu]; }
    core::sim_time last_sent() const { return last_sent_; }
    bool waits_for_client() const { return inside_ != 0 || port_.waits_for_client(); }

private:
    link::packet request_of(const memory::memory_extension& made, pcie::function_id from) const;
    link::packet response_of(const memory::memory_extension& request) const;
    bool room(net::packet_class kind) const;
    void tell_refused(net::packet_class kind);

    // From the client, and to it again.
    bool can_take(unsigned number, const link::packet& p) override;
    void take(unsigned number, link::packet p) override;
    void channel_ready(unsigned number) override;

    bool can_take_response(memory::memory_extension& request) override;
    void take_response(memory::memory_extension& request) override;
    bool can_take_request(const memory::memory_extension& made, pcie::function_id from) override;
    void take_request(memory::memory_extension& made, pcie::function_id from) override;
    void request_left() override { tell_refused(net::packet_class::request); }
    void response_left() override { tell_refused(net::packet_class::response); }

    core::scheduler& events_;
    const spec spec_;
    const unsigned number_;
    const pcie_places& places_;
    pcie::transaction_bridge bridge_;
    const std::string name_;
    net::network_port port_;
    std::vector<std::uint64_t> outstanding_to_;  // by GPU
    std::uint64_t inside_ = 0;                   // requests that the client has not yet answered
    core::sim_time last_given_{};                // to the client
    bool accepting_ = true;
    core::sim_time last_sent_{};
};

}  // namespace contraflow::gpu
