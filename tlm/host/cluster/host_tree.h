// SPDX-License-Identifier: Apache-2.0
// The PCIe tree of a node: the host's memory and interrupts, a GPU, and a NIC somewhere near it. What the GPU and the
// NIC are is up to the node, which makes them.
//
//   host -- root complex --+-- switch --+-- GPU
//   (memory, interrupts)   |            +-- NIC
//                          +-- or NIC; or a second root complex, and the NIC there
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/cluster/host_tree_spec.h"
#include "pcie/device/function.h"
#include "pcie/device/msi.h"
#include "pcie/device/timed_memory.h"
#include "pcie/fabric/link_tree.h"

namespace contraflow::host {

class host_tree {
public:
    static constexpr std::uint64_t host_base = 0x1000'0000;  // bus address of the host's memory
    static constexpr std::uint64_t interrupt_address = 0xfee0'0000, interrupt_bytes = 1u << 12;

    // All of them outlive the tree.
    struct resources {
        core::scheduler& events;
        observe::statistics& statistics;
        std::span<std::uint8_t> memory;  // the host's memory
        pcie::requester_user_if& user;   // receives the answers to the host's requests
        pcie::interrupt_user_if& interrupts;
    };
    // What a device is made of.
    struct site {
        const std::string& name;  // instance
        const pcie::port::resources& bus;
        pcie::tlp_pool& packets;
        const pcie::function::spec& function;
        const pcie::address_map::function& place;
    };
    // A device at an end of the tree, which the tree owns: the device has TLPs, and they are the tree's. `make` is
    // called once, within the constructor.
    struct device {
        pcie::function_spec place;
        std::function<std::unique_ptr<pcie::device_if>(const site&)> make;
    };
    host_tree(const host_tree_spec& s, const pcie::link_tree_spec& fabric, const resources& r, const device& gpu,
              const device& nic);
    host_tree(const host_tree&) = delete;
    host_tree& operator=(const host_tree&) = delete;

    pcie::function& host() { return *host_; }
    pcie::link_tree& links() { return *links_; }
    const pcie::link_tree& links() const { return *links_; }
    pcie::timed_memory& memory() { return *memory_; }
    const pcie::topology& nodes() const { return shape_.nodes; }
    pcie::node_id nic() const { return shape_.nic; }
    const pcie::tlp_pool& pool() const { return pool_; }

    // Whether no TLP is under way, and the host has none to send.
    bool idle() const { return pool_.in_flight() == 0 && host_->requests().waiting() == 0; }
    bool control(core::control_verb verb);
    void report_waits(std::vector<core::wait_edge>& edges) const;

private:
    const host_tree_shape shape_;
    pcie::tlp_pool pool_{4096};
    std::unique_ptr<pcie::address_map> map_;
    std::unique_ptr<pcie::function> host_;
    std::vector<std::unique_ptr<pcie::device_if>> devices_;
    std::unique_ptr<pcie::link_tree> links_;
    std::unique_ptr<pcie::timed_memory> memory_;
    pcie::interrupt_window interrupts_;
};

}  // namespace contraflow::host
