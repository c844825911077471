// SPDX-License-Identifier: Apache-2.0
// Reads GPU memory peer to peer. It writes requests of 8 bytes into a GPU's mailbox; each asks for a line of 128 bytes.
// The GPU answers by posted writes of 64 bytes into a window of the NIC, which shows the 256 lines of the transmit
// buffer 256 times. After a timeout the reader uses another of these copies, so that a late answer matches no request.
// A request costs one callback of the scheduler, in addition to those of PCIe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/bounded_queue.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "nic/transmit/core_if.h"
#include "nic/transmit/transmit_buffer.h"
#include "nic/transmit/transmit_spec.h"
#include "observe/counter.h"
#include "pcie/device/function.h"

namespace contraflow::nic {

class transmit_engine;

class peer_reader final : public pcie::region_if, public core::waiter_if, private pcie::requester_user_if {
public:
    static constexpr std::uint64_t window = 65536ull * transmit_buffer::line;  // bytes of the NIC's BAR

    struct fetch_range {
        unsigned gpu = 0;
        std::uint64_t mailbox = 0;  // bus address
        std::uint64_t address = 0;  // in GPU memory, a multiple of a line
        std::uint32_t first = 0;    // line of the transmit buffer
        std::uint32_t lines = 0;
    };
    peer_reader(core::scheduler& events, observe::statistics& statistics, pcie::function& of, transmit_buffer& buffer,
                const transmit_spec& s, transmit_engine& user, std::string name);

    // `number`: below transmit_spec::packets, and not in use.
    void start(unsigned number, const fetch_range& what);
    // v1: the requests that can be written now, up to the end of the buffer.
    wanted_reads wanted() const;
    // The core writes the next of these requests. A request for another line or place is refused.
    void write_request(std::uint64_t word);
    // The GPU did not answer, and has not been recovered since.
    bool stuck(unsigned gpu) const { return stuck_.at(gpu); }
    void recover(unsigned gpu) { stuck_.at(gpu) = false; }

    std::uint64_t requests() const { return requests_.value(); }
    std::uint64_t unexpected() const { return unexpected_.value(); }  // answers
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    // Answers.
    pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override;
    pcie::access_result request(pcie::inbound_request&, const pcie::tlp&) override {
        return pcie::access_result::unsupported;
    }
    void fetch(const pcie::inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}
    using pcie::requester_user_if::fetch;

private:
    struct job {
        fetch_range what;
        std::uint32_t asked = 0, missing = 0;  // lines
    };
    struct slot : pcie::operation {
        std::array<std::uint8_t, 8> bytes{};
    };
    void finished(pcie::operation& o) override;
    std::uint32_t next_line() const;
    void generate();
    void send(std::uint64_t word);
    void arm();
    void check_answers();

    core::scheduler& events_;
    pcie::function& function_;
    transmit_buffer& buffer_;
    transmit_engine& user_;
    const std::string name_;
    const transmit_spec spec_;
    std::vector<job> jobs_;              // by number
    core::bounded_queue<unsigned> ask_;  // jobs with requests to send
    std::vector<unsigned> owner_;        // by line of the buffer
    std::vector<std::uint8_t> awaited_;  // expected halves of each line, a bit each
    std::uint32_t open_ = 0;             // lines requested or waiting to be requested
    std::uint8_t epoch_ = 0;             // the copy of the buffer in the window
    std::array<bool, 4> stuck_{};
    std::vector<slot> slots_;
    std::vector<slot*> free_;
    core::sim_time next_request_{}, progress_{};
    core::timer<&peer_reader::generate> generate_{events_, *this};
    core::timer<&peer_reader::check_answers> watch_{events_, *this};
    observe::counter requests_, answers_, unexpected_, misplaced_, timeouts_;
};

}  // namespace contraflow::nic
