// SPDX-License-Identifier: Apache-2.0
// The RTL as a link's lanes. Its inputs are recorded, or played in lockstep, or both. In lockstep the whole block and
// the model follow cycle by cycle and phit by phit, and each of their windows must equal the link's. The first
// difference is kept, not thrown: an exception must not cross the SystemC kernel.
#pragma once

#include <optional>
#include <string>

#include "cosim/lane_player.h"
#include "cosim/level_difference.h"
#include "cosim/rtl_lane_set.h"

namespace contraflow::cosim {

class watched_lane_set final : public link::lane_set_if {
public:
    // `record` and `difference`, if given, must outlive it. Once there is a difference, nothing more is compared.
    watched_lane_set(std::string name, const link::lane_spec& s, std::uint64_t ticks_a_cycle, lane_recording* record,
                     std::optional<level_difference>* difference, const lane_core_factory& core = make_lane_core);

    const link::lane_state& state() const override { return rtl_.state(); }
    void carried(link::direction d, const link::lane_burst& b) override;
    void advance(std::uint64_t t) override;
    link::lane_window close_window() override;
    void launch(std::uint64_t t) override;
    bool fail_lane(link::direction d, std::uint64_t t) override;
    void reset(std::uint64_t t) override;
    void finish(std::uint64_t t) override;

private:
    struct follower {
        follower(const std::string& name, const link::lane_spec& s, std::uint64_t ticks)
            : both(name, s),
              player(both, ticks) {}
        lane_lockstep both;
        lane_player player;
        link::by_direction<std::uint64_t> owed;  // phits of the window before that are put on lanes in this one
    };

    void tell(const lane_event& e);
    template <class Play> void follow(const Play& play);
    void compare(const link::lane_window& w);
    void compare_lanes();

    const std::string name_;
    rtl_lane_set rtl_;
    lane_recording* const record_;
    std::optional<level_difference>* const difference_;
    std::optional<follower> follower_;
};

}  // namespace contraflow::cosim
