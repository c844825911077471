// SPDX-License-Identifier: Apache-2.0
// A link's lane controller as waves, after the run. Its inputs are played again on RTL and TLM model side by side, and
// every signal of the RTL is shown, and next to the outputs the model's values. The run itself is not slowed down.
// Inputs of the RTL change while its clock is low.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cosim/lane_lockstep.h"
#include "cosim/lane_player.h"
#include "link/cases/lane_harness.h"
#include "wave/wave_source_if.h"

namespace contraflow::cosim {

class lane_waves final : public wave::wave_source_if {
public:
    // `cycle` is of the link's clock; `end` is of the run. With the trace that was played, which must outlive this, the
    // queues of the two ends are shown as well.
    lane_waves(std::string link, const link::lane_spec& s, player_factory player, core::sim_time cycle,
               core::sim_time end, const std::vector<link::trace_row>* trace = nullptr);

    void attach(wave::wave_file& file) override;
    void detach() override;
    void go_to(core::sim_time from) override;
    core::sim_time next() const override;
    void advance() override;
    core::sim_time end() const override { return end_; }
    std::string scope() const override { return link_; }
    std::vector<observe::gtkw_group> groups(const wave::fst_contents& contents) const override;

private:
    struct model_signals {
        link::by_direction<observe::signal_id> lanes, busy, capacity;
        observe::signal_id turning, failed, pending, window_end, decision, differs;
        link::by_direction<observe::signal_id> queue;
    };
    // The queues at the two ends: arrivals by the trace, minus phits put on lanes.
    class queues {
    public:
        explicit queues(const std::vector<link::trace_row>& trace) : trace_(trace) {}
        // Ends the next cycle.
        void pass(const link::by_direction<std::uint64_t>& issued);
        const link::by_direction<std::uint64_t>& phits() const { return phits_; }

    private:
        const std::vector<link::trace_row>& trace_;
        std::size_t row_ = 0;
        std::uint64_t row_passed_ = 0;  // cycles of it
        link::by_direction<std::uint64_t> phits_;
    };
    void issue();
    void show_model();

    const std::string link_;
    const link::lane_spec spec_;
    const player_factory make_player_;
    const core::sim_time cycle_, end_;
    wave::wave_file* file_ = nullptr;
    std::optional<lane_lockstep> both_;
    std::unique_ptr<lane_player> player_;
    const std::vector<link::trace_row>* const trace_;
    std::optional<queues> queues_;
    model_signals model_;
    bool high_ = false;  // the clock
};

}  // namespace contraflow::cosim
