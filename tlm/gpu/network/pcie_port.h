// SPDX-License-Identifier: Apache-2.0
// A GPU's function in a PCIe tree, as a port of a network between GPUs: requests for another GPU's memory become TLPs
// to addresses in that GPU's BAR, and incoming requests become transactions of this one. There is no deadlock: requests
// of all kinds wait for completions, but completions wait for nothing. They have their own buffers and credits and are
// always taken at their end.
#pragma once

#include <array>
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

class pcie_port final : public net::port_if, public pcie::device_if, private pcie::bridge_user_if {
public:
    struct spec {
        pcie::function::spec device;
        std::uint32_t queue = 16;  // packets of a class that wait for the link
    };
    // `places` must outlive the port.
    pcie_port(const char* name, const pcie::port::resources& shared, pcie::tlp_pool& packets, const spec& s,
              unsigned number, const pcie_places& places);

    void set_client(net::client_if& client) override { client_ = &client; }
    const std::string& name() const override { return name_; }
    unsigned ports() const override { return 1; }
    unsigned port_to(unsigned) const override { return 0; }
    bool can_inject(net::packet_class kind, unsigned target) override;
    void inject(net::packet_class kind, link::packet p) override;
    void offer_again(net::packet_class kind) override;

    const pcie::transaction_bridge& bridge() const { return bridge_; }
    pcie::port& link() override { return bridge_.link(); }
    // pause: sends and delivers nothing; drain: accepts no packets. It has nothing to invalidate or flush.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Unanswered requests to that GPU.
    std::uint64_t outstanding_to(unsigned gpu) const { return outstanding_to_[gpu]; }
    core::sim_time last_sent() const { return last_sent_; }
    bool waits_for_client() const { return inside_ != 0 || held_[0] || held_[1]; }

private:
    static constexpr std::size_t classes = 2;
    static std::size_t index(net::packet_class kind) { return static_cast<std::size_t>(kind); }
    link::packet request_of(const memory::memory_extension& made, pcie::function_id from) const;
    link::packet response_of(const memory::memory_extension& request) const;
    bool room(net::packet_class kind) const;
    void tell_refused(net::packet_class kind);
    bool client_takes(net::packet_class kind, const link::packet& p);

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
    net::client_if* client_ = nullptr;
    std::array<bool, classes> refused_{};  // the client waits for room
    std::array<bool, classes> held_{};     // refused by the client, which has no room
    std::array<core::sim_time, classes> held_since_{};
    std::vector<std::uint64_t> outstanding_to_;  // by GPU
    std::uint64_t inside_ = 0;                   // requests that the client has not yet answered
    core::sim_time last_given_{};                // to the client
    bool accepting_ = true;
    core::sim_time last_sent_{};
};

}  // namespace contraflow::gpu
