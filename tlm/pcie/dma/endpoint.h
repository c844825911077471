// SPDX-License-Identifier: Apache-2.0
// An endpoint of pcie_tree: a function with memory behind BAR 0, an interrupt window behind BAR 1, and a DMA engine
// that carries out communications one at a time, first come first served: it writes the data that it sends (push), or
// reads the data that it receives (pull). A message to the other end's window announces a communication's end; its data
// is the stream's number. It follows the written data: all of that is in memory by then.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/timer.h"
#include "observe/counter.h"
#include "observe/histogram.h"
#include "observe/series.h"
#include "pcie/device/function.h"
#include "pcie/device/msi.h"
#include "pcie/dma/stream_memory.h"
#include "pcie/fabric/fabric_spec.h"

namespace contraflow::pcie {

class endpoint final : public device_if, private requester_user_if, private interrupt_user_if {
public:
    static constexpr unsigned memory_bar = 0, interrupt_bar = 1;
    static constexpr std::uint64_t interrupt_window_bytes = 4096;
    struct spec {
        pcie::function::spec device;
        transfer_mode mode = transfer_mode::push;
    };
    // `memory` belongs to this endpoint; `streams` and `memory` outlive it.
    endpoint(const char* name, const port::resources& shared, tlp_pool& pool, const spec& s,
             const address_map::function& place, stream_table& streams, stream_memory& memory);

    port& link() override { return function_.link(); }
    const pcie::function& device() const { return function_; }
    // Streams in the order of their starts, before the simulation runs.
    void add(std::uint32_t stream_number);
    void begin();
    // pause: makes and takes no TLP; drain: begins no further communication. Nothing to invalidate or flush.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override { function_.report_waits(edges); }
    // Bytes have arrived in the memory.
    void count(std::uint32_t stream_number, std::uint64_t position, std::uint32_t length, const tlp& by);
    // Unexpected TLPs and interrupts; received bytes and whole streams; interrupts that announced the end of a stream.
    std::uint64_t unexpected_tlps() const;
    std::uint64_t delivered_bytes() const { return delivered_bytes_; }
    const observe::series& delivered() const { return delivered_; }
    std::uint64_t finished_streams() const { return finished_streams_; }
    std::uint64_t interrupts() const { return interrupts_.value(); }
    // The first communication that failed, in words; empty: none.
    const std::string& fault() const { return fault_; }

private:
    struct transfer : operation {
        std::uint32_t of = 0;  // stream number
    };
    static std::uint32_t number_of(const operation& o) { return static_cast<const transfer&>(o).of; }
    void fetch(operation& o, std::uint64_t offset, std::uint8_t* to, std::uint32_t length) override;
    void store(operation& o, std::uint64_t offset, const std::uint8_t* from, std::uint32_t length,
               const tlp& completion) override;
    void leaving(operation& o, std::uint64_t offset, tlp& packet) override;
    void completed(operation& o, tlp_note* note, core::sim_time at) override;
    void finished(operation& o) override;
    void interrupt(std::uint64_t offset, std::uint32_t stream_number) override;
    void take_up();

    core::scheduler& events_;
    const spec spec_;
    stream_table& streams_;
    stream_memory& memory_;
    pcie::function function_;
    msi_sender announce_{function_};  // vectors by position in queue_
    interrupt_window window_{*this};
    transfer under_way_;
    std::vector<std::uint32_t> queue_;
    std::size_t position_ = 0;  // the current or next entry of queue_
    bool current_ = false;
    bool drained_ = false;
    core::timer<&endpoint::take_up> start_;  // starts the next communication
    std::uint64_t misdirected_ = 0;
    std::string fault_;
    std::uint64_t delivered_bytes_ = 0;
    std::uint64_t finished_streams_ = 0;
    observe::counter interrupts_;
    observe::histogram latency_;
    observe::series delivered_;
};

}  // namespace contraflow::pcie
