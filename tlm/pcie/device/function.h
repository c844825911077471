// SPDX-License-Identifier: Apache-2.0
// A PCIe function at the end of a link: one port, a requester for its device's operations, and a completer with the
// regions behind its BARs. Completions and requests alternate on the link.
//
//   device -> start()   -> requester --\           /--> link up
//          <- user      <-           <- \         /
//   regions <- write()  <- completer ----  port  ----- link down
//           -> answer() ->           ---/
//
// The ordering rules are those of the fabric (2.4.1): neither a request nor a completion is handed on before the posted
// writes that arrived before it; only a relaxed completion may be.
#pragma once

#include <array>
#include <string>

#include "core/scheduler.h"
#include "observe/counter.h"
#include "pcie/device/completer.h"
#include "pcie/device/requester.h"
#include "pcie/link/device_if.h"

namespace contraflow::pcie {

class function final : public sc_core::sc_module, public device_if, private port_owner_if {
public:
    struct spec {
        port::spec link;
        requester::spec requests;
        completer::spec answers;
        core::sim_time latency{};  // from a TLP's last byte to the device
    };
    // `place`: its number and BARs. The regions behind them are added before the simulation runs.
    function(const sc_core::sc_module_name& name, const port::resources& shared, tlp_pool& pool, spec s,
             const address_map::function& place, requester_user_if& user);

    const address_map::function& place() const { return place_; }
    void map_bar(unsigned bar, region_if& region) { completer_.add(place_.bars.at(bar), region); }
    void map_fixed(unsigned number, region_if& region) { completer_.add(place_.fixed.at(number), region); }

    // Starts an operation. Its TLPs leave after those of operations that were started before.
    void start(operation& o);
    // Ends a request that a region accepted for `later`.
    void answer(inbound_request& r);
    // Tries again after a region was busy, or the user could not take a completion.
    void resume(credit_class c) {
        if (c == credit_class::completion) requester_.resume();
        take_in(c);
    }

    const requester& requests() const { return requester_; }
    const completer& answers() const { return completer_; }
    port& link() override { return port_; }
    const port& link() const { return port_; }
    // Counts of unexpected completions, of requests that have timed out, and of completions after the timeout.
    std::uint64_t unexpected() const { return unexpected_.value(); }
    std::uint64_t timeouts() const { return timeouts_.value(); }
    std::uint64_t late() const { return late_.value(); }
    // pause: sends nothing and hands nothing over. The device drains its own operations.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    static std::size_t index(credit_class c) { return static_cast<std::size_t>(c); }
    admission admit(unsigned, const tlp_transfer& transfer) override { return {transfer.tail + latency_, 0}; }
    void head_ready(unsigned, credit_class c) override { take_in(c); }
    void transmitted(unsigned) override {}
    bool awaits_wire(unsigned) const override { return completer_.next() || requester_.waiting() != 0; }
    void may_transmit(unsigned) override;
    void report_open_requests(std::vector<open_request>& requests) const override {
        requester_.report_open_requests(requests);
    }
    void timed_out() { ++timeouts_; }
    void take_in(credit_class c);
    bool take_one(credit_class c);
    bool send_completion();
    bool send_request();
    bool send_request(bool urgent);
    static spec with_id(spec s, function_id id);

    const core::sim_time latency_;
    const address_map::function place_;
    port port_;
    requester requester_;
    completer completer_;
    std::array<bool, credit_classes> taking_{};
    bool paused_ = false;
    bool completion_turn_ = true;
    observe::counter unexpected_, timeouts_, late_, refused_writes_;
};

}  // namespace contraflow::pcie
