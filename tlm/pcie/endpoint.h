// SPDX-License-Identifier: Apache-2.0
// An endpoint: a DMA engine that sends, and a memory that takes in writes, answers reads and checks every byte.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scheduler.h"
#include "observe/histogram.h"
#include "observe/series.h"
#include "pcie/dma_engine.h"
#include "pcie/leaf_if.h"

namespace contraflow::pcie {

class endpoint : public sc_core::sc_module, public leaf_if, public port_owner_if {
public:
    struct spec {
        port::spec link;
        dma_engine::spec dma;
        std::uint32_t read_completion_boundary = 128;          // bytes a completion carries
        core::sim_time latency = core::sim_time::from_ns(50);  // from a packet's last byte to the memory
    };
    // `number` is its own endpoint number; `streams` outlives it.
    endpoint(const sc_core::sc_module_name& name, const port::resources& shared, tlp_pool& pool, const spec& s,
             std::uint32_t number, stream_table& streams);

    port& link() override { return port_; }
    const port& link() const { return port_; }
    // Streams in the order of their starts, before the simulation runs.
    void add(std::uint32_t stream_number) { dma_.add(stream_number); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // pause: makes no TLP, answers no read; drain: takes up no further communication. Nothing to invalidate or flush.
    bool control(core::control_verb verb) override;
    // TLPs that nobody asked for; bytes and whole streams taken in.
    std::uint64_t unexpected_tlps() const { return unexpected_tlps_; }
    std::uint64_t delivered_bytes() const { return delivered_bytes_; }
    const observe::series& delivered() const { return delivered_; }
    std::uint64_t finished_streams() const { return finished_streams_; }

private:
    void start_of_simulation() override;
    core::sim_time ready_time(unsigned number, const tlp_transfer& transfer) override;
    void head_ready(unsigned number, credit_class c) override;
    void transmitted(unsigned) override {}
    void may_transmit(unsigned number) override;
    void wake();
    void take_in(credit_class c);
    void store(const tlp& packet);
    bool send_completion();
    bool send_request();
    std::uint32_t next_completion() const;

    core::scheduler& events_;
    tlp_pool& pool_;
    const spec spec_;
    const std::uint32_t number_;
    stream_table& streams_;
    port port_;
    dma_engine dma_;
    std::uint32_t answered_ = 0;                         // bytes of the read at the front that have been answered
    core::sim_time wakes_at_ = core::sim_time::never();  // for the next communication
    bool paused_ = false;
    bool completion_turn_ = true;
    std::uint64_t unexpected_tlps_ = 0;
    std::uint64_t delivered_bytes_ = 0;
    std::uint64_t finished_streams_ = 0;
    observe::histogram latency_;
    observe::series delivered_;
};

}  // namespace contraflow::pcie
