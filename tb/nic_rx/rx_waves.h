// SPDX-License-Identifier: Apache-2.0
// A receive datapath as waves, after the run: what it was given is played again on the RTL with all its signals shown.
// The run itself is not slowed down. Inputs change while the clock is low. The clock stands still where the run has
// skipped its edges, because they change nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nic_rx/rx_recording.h"
#include "wave/wave_source_if.h"

namespace contraflow::nic_rx {

class rx_waves final : public wave::wave_source_if {
public:
    // `end` is of the run.
    rx_waves(std::shared_ptr<const rx_recording> recorded, core::sim_time end);

    void attach(wave::wave_file& file) override;
    void detach() override;
    void go_to(core::sim_time from) override;
    core::sim_time next() const override;
    void advance() override;
    core::sim_time end() const override { return end_; }
    std::string scope() const override { return recorded_->name(); }
    std::vector<observe::gtkw_group> groups(const wave::fst_contents& contents) const override;

private:
    core::sim_time half() const { return {recorded_->cycle().ps / 2}; }
    core::sim_time begin_of(std::uint64_t cycle) const { return recorded_->cycle() * cycle; }
    void read();
    void edge();

    const std::shared_ptr<const rx_recording> recorded_;
    const core::sim_time end_;
    std::unique_ptr<nic_rx_block> block_;
    rx_recording::reader from_;
    bool more_ = false;      // from_ has an edge that was not played
    bool driven_ = false;    // the block has its inputs
    bool high_ = false;      // the clock
    std::uint64_t now_ = 0;  // the cycle that has begun
    inputs last_;            // of the edge that began it
};

}  // namespace contraflow::nic_rx
