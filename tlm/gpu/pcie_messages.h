// SPDX-License-Identifier: Apache-2.0
// What is under way in a PCIe network. A TLP carries the number of its message as its stream and where its payload lies
// in the message as its address; the transaction itself crosses with the message. Numbers are used again.
#pragma once

#include <cstdint>
#include <vector>

#include "net/network_if.h"
#include "pcie/tlp.h"

namespace contraflow::gpu {

struct pcie_message {
    link::packet what;
    net::packet_class kind = net::packet_class::request;
    pcie::tlp_kind form = pcie::tlp_kind::memory_write;
    bool tagged = false;     // a request that has a tag, or its response
    std::uint32_t sent = 0;  // bytes of payload that have left
    bool begun = false;
};

class pcie_messages {
public:
    std::uint32_t take(const pcie_message& m) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(all_.size()));
            all_.emplace_back();
            free_.reserve(all_.capacity());
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        all_[number] = m;
        ++taken_;
        return number;
    }
    pcie_message& operator[](std::uint32_t number) { return all_[number]; }
    const pcie_message& operator[](std::uint32_t number) const { return all_[number]; }
    void give_back(std::uint32_t number) {
        free_.push_back(number);
        ++given_back_;
    }
    std::uint64_t taken() const { return taken_; }
    std::uint64_t given_back() const { return given_back_; }
    void reset() {
        all_.clear();
        free_.clear();
        given_back_ = taken_;
    }

private:
    std::vector<pcie_message> all_;
    std::vector<std::uint32_t> free_;
    std::uint64_t taken_ = 0, given_back_ = 0;
};

}  // namespace contraflow::gpu
