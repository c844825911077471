// SPDX-License-Identifier: Apache-2.0
// A socket's memory: channels by address, and the bytes. The data of a request is read or written when the request is
// accepted, in order of arrival. The answer to a read leaves when bank and bus have served it, that to a write when the
// write is in its channel's queue. Any length within the memory is served by the channel of its first byte. Atomic
// operations that arrive here are done here, in the time of a read.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "memory/dram/backing_store.h"
#include "memory/dram/dram_channel.h"
#include "memory/port/delay_line.h"
#include "memory/port/intake.h"
#include "memory/port/response_port.h"
#include "observe/conservation.h"
#include "observe/statistics.h"

namespace contraflow::memory {

class dram : public sc_core::sc_module,
             public core::waiter_if,
             public core::controllable_if,
             private response_owner_if {
public:
    dram(const sc_core::sc_module_name& name, const resources& shared, const dram_spec& s);
    ~dram() override;

    response_port& up(unsigned port = 0) { return *ports_[port]; }
    backing_store& bytes() { return bytes_; }

    // A reset keeps the contents.
    bool control(core::control_verb verb) override;
    bool idle() const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;
    const dram_spec& configuration() const { return spec_; }

    struct statistics_set {
        statistics_set(observe::statistics& group, const std::string& path);
        observe::counter reads, writes, atomics, refused, read_bytes, written_bytes, row_hits, rows_opened,
            row_conflicts, bus_busy, turns;
        observe::gauge under_way;
        observe::histogram latency;
        observe::series transferred;
    };
    const statistics_set& statistics() const { return statistics_; }

private:
    struct served_channel;  // a channel and its answers

    bool request_arrived(unsigned port, memory_extension& request) override;
    void response_port_ready(unsigned port) override;
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) override;

    std::uint64_t waiting(dram_access kind) const;  // in the channels' queues
    unsigned channel_of(std::uint64_t address) const { return spread_.part_of(address - spec_.base); }
    void take_in(unsigned port, memory_extension& request, served_channel& to);
    tlm::tlm_response_status access(tlm::tlm_generic_payload& trans, const memory_extension* request);
    void serve(served_channel& l, bool may_admit);
    void admit(served_channel& l);
    void answer(memory_extension& request);
    void resume();
    void reset();

    core::scheduler& events_;
    const dram_spec spec_;
    const interleave spread_;
    backing_store bytes_;
    statistics_set statistics_;
    std::vector<std::unique_ptr<response_port>> ports_;
    std::vector<std::unique_ptr<served_channel>> channels_;
    std::vector<unsigned> wanted_;  // by port: the channel that holds it back, or `none`
    unsigned held_back_ = 0;        // ports
    std::vector<bool> blocked_;     // by port: it does not accept its answers
    delay_line<dram, &dram::answer> acknowledged_;
    unsigned blocked_ports_ = 0;
    intake intake_;
    std::uint64_t accepted_ = 0, answered_ = 0;
    std::array<std::uint64_t, 2> queued_{}, carried_{};  // by dram_access: requests of channels; served by the banks
};

}  // namespace contraflow::memory
