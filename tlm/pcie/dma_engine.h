// SPDX-License-Identifier: Apache-2.0
// An endpoint's DMA engine: carries out its communications one at a time, first come first served, as posted writes
// (push) or as reads with tags (pull). It makes the next TLP on demand; its endpoint decides when that is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduler.h"
#include "pcie/stream_table.h"
#include "pcie/tlp.h"

namespace contraflow::pcie {

class dma_engine {
public:
    struct spec {
        transfer_mode mode = transfer_mode::push;
        std::uint32_t max_payload = 256;       // bytes a write carries
        std::uint32_t max_read_request = 512;  // bytes a read asks for
        std::uint32_t tags = 64;               // reads under way
    };
    // Takes up no further communication; the one under way goes on.
    void hold(bool held) { held_ = held; }
    // Drops all communications that have not finished.
    void reset();
    // What the next TLP would need: its class and payload.
    struct demand {
        credit_class flow = credit_class::posted;
        std::uint32_t payload = 0;
    };

    dma_engine(core::scheduler& events, tlp_pool& pool, const spec& s, std::uint32_t self, stream_table& streams);

    // To be called once for each of its streams, in the order of their starts.
    void add(std::uint32_t stream_number) { queue_.push_back(stream_number); }
    // Start of the communication that waits for its time; none if one is under way or none is left.
    std::optional<core::sim_time> next_start() const;

    std::optional<demand> next() const;
    tlp* make();  // the TLP that next() told of
    // A completion has arrived; false: nobody asked for it.
    bool complete(const tlp& packet);
    bool waits_for_completions() const { return current_ && outstanding_ != 0; }
    // The communication under way.
    std::optional<std::uint32_t> current() const;

private:
    struct read {
        std::uint64_t next = 0;  // offset of the next byte expected
        std::uint64_t end = 0;
    };
    void finish();

    core::scheduler& events_;
    tlp_pool& pool_;
    const spec spec_;
    const std::uint32_t self_;
    stream_table& streams_;
    std::vector<std::uint32_t> queue_;
    std::size_t position_ = 0;  // of the current or next in queue_
    bool current_ = false;
    bool held_ = false;
    std::vector<read> reads_;  // by tag
    std::vector<std::uint16_t> free_tags_;
    std::uint32_t outstanding_ = 0;
};

}  // namespace contraflow::pcie
