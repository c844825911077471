// SPDX-License-Identifier: Apache-2.0
#include "cosim/controller_set.h"

#include <utility>

#include "cosim/lockstep_lane_controller.h"
#include "cosim/rtl_lane_controller.h"

namespace contraflow::cosim {
namespace {

std::unique_ptr<link::lane_controller_if> make(controller_level level, const std::string& name,
                                               const link::lane_spec& s) {
    switch (level) {
    case controller_level::rtl: return std::make_unique<rtl_lane_controller>(name, s);
    case controller_level::lockstep: return std::make_unique<lockstep_lane_controller>(name, s);
    case controller_level::tlm: break;
    }
    return link::make_lane_controller(s);
}

}  // namespace

class controller_set::watched final : public link::lane_controller_if {
public:
    watched(controller_set& home, link_record* record, std::unique_ptr<link::lane_controller_if> inner)
        : home_(home),
          record_(record),
          inner_(std::move(inner)) {
        home_.handed_out_.push_back(this);
    }

    link::lane_decision window_ended(const link::window_sample& s) override {
        note({lane_event::what::window, {}, s.end, {}, s.busy, s.capacity});
        auto decision = link::lane_decision::none;
        tell([&] { decision = inner_->window_ended(s); });
        return decision;
    }
    void quiet_windows(std::uint64_t windows) override {
        tell([&] { inner_->quiet_windows(windows); });
    }
    void kernel_launched(std::uint64_t at) override {
        note({lane_event::what::launch, {}, at, {}, {}, {}});
        tell([&] { inner_->kernel_launched(at); });
    }
    void started(std::uint64_t at, const link::by_direction<unsigned>& lanes) override {
        note({lane_event::what::start, {}, at, lanes, {}, {}});
        tell([&] { inner_->started(at, lanes); });
    }
    void finished(std::uint64_t at) override {
        tell([&] { inner_->finished(at); });
    }
    void lane_failed(link::direction d, std::uint64_t at) override {
        note({lane_event::what::fault, d, at, {}, {}, {}});
        tell([&] { inner_->lane_failed(d, at); });
    }

private:
    void note(const lane_event& e) {
        if (record_ != nullptr) record_->events.push_back(e);
    }
    template <class Call> void tell(const Call& call) {
        if (home_.difference_) return;
        try {
            call();
        } catch (const level_difference& d) { home_.difference_ = d; }
    }

    controller_set& home_;
    link_record* const record_;
    const std::unique_ptr<link::lane_controller_if> inner_;
};

link::lane_controller_factory controller_set::factory() {
    return [this](const std::string& name, const link::lane_spec& s) -> std::unique_ptr<link::lane_controller_if> {
        link_record* record = nullptr;
        if (record_) record = records_.emplace_back(std::make_unique<link_record>(link_record{name, s, {}})).get();
        return std::make_unique<watched>(*this, record, make(level_, name, s));
    };
}

void controller_set::finish(std::uint64_t at) {
    for (watched* const w : handed_out_) w->finished(at);
}

}  // namespace contraflow::cosim
