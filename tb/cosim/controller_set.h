// SPDX-License-Identifier: Apache-2.0
// The lanes of a machine's links, with their controllers, at one level. Provides the factory for them, keeps the inputs
// of each, and the first difference between levels. The caller that runs the machine asks for the difference and stops.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cosim/controller_level.h"
#include "cosim/lane_recording.h"
#include "cosim/level_difference.h"
#include "link/lanes/policies.h"

namespace contraflow::cosim {

class controller_set {
public:
    struct link_record {
        std::string name;
        link::lane_spec spec;
        lane_recording told;
    };

    // Recording works for RTL only; it costs an entry each time that lanes become idle or change. `core`: for tests
    // with faulty RTL.
    controller_set(controller_level level, bool record, lane_core_factory core = make_lane_core)
        : level_(level),
          record_(record && level != controller_level::tlm),
          core_(std::move(core)) {}
    controller_set(const controller_set&) = delete;
    controller_set& operator=(const controller_set&) = delete;

    controller_level level() const { return level_; }
    // The links must not outlive the set.
    link::lane_set_factory factory();
    // Call at the end of the machine's run, while the links exist; cycle `at` is not part of the run.
    void finish(std::uint64_t at);
    const std::optional<level_difference>& difference() const { return difference_; }
    // One for each link, in the order in which they were made; empty if nothing is recorded.
    const std::vector<std::unique_ptr<link_record>>& records() const { return records_; }

private:
    const controller_level level_;
    const bool record_;
    const lane_core_factory core_;
    std::optional<level_difference> difference_;
    std::vector<link::lane_set_if*> handed_out_;  // owned by the links
    std::vector<std::unique_ptr<link_record>> records_;
};

}  // namespace contraflow::cosim
